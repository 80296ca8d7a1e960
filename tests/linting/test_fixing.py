"""Fixes applied until none is left, with every other byte as it was."""

from __future__ import annotations

import ast
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorcopy.linting.fixing import Fixed, edited, fix_contents
from tensorcopy.linting.model import Edit, Finding, Fix, Level, Place
from tensorcopy.linting.reading import decode, parse
from tensorcopy.linting.sources import Source
from tests.linting.fake import findings_in


def judged(data: bytes) -> list[Finding]:
    text = decode(data).text
    return findings_in(Source(name="f.py", text=text, tree=ast.parse(text)))


def fixed(data: bytes, *, unsafe: bool = False) -> Fixed:
    return fix_contents("f.py", data, judged, unsafe=unsafe)


def edit(line: int, column: int, end_line: int, end_column: int, text: str) -> Edit:
    return Edit(line=line, column=column, end_line=end_line, end_column=end_column, text=text)


def finding(*edits: Edit, code: str = "TCY801", safe: bool = True) -> Finding:
    place = Place(file="f.py", line=edits[0].line, column=edits[0].column, end_line=1, end_column=1)
    fix = Fix(title="t", edits=edits, safe=safe)
    return Finding(code=code, name="n", level=Level.ERROR, message="m", place=place, fix=fix)


def once(*findings: Finding) -> object:
    """A judge that has these findings the first time, and none then."""
    rounds = [list(findings)]
    return lambda data: rounds.pop() if rounds else []


def test_safe_fixes_are_made_and_unsafe_ones_left() -> None:
    result = fixed(b"a = x.clone().detach()\nb = x.data\n")
    assert result == Fixed(data=b"a = x.detach().clone()\nb = x.data\n", counts={"TCY801": 1})


def test_unsafe_fixes_are_made_if_that_is_asked_for() -> None:
    assert fixed(b"b = x.data\n", unsafe=True) == Fixed(data=b"b = x.detach()\n", counts={"TCY802": 1})


def test_nested_fixes_are_made_one_after_the_other() -> None:
    result = fixed(b"x.clone().detach().clone().detach()\n")
    assert result == Fixed(data=b"x.detach().detach().clone().clone()\n", counts={"TCY801": 3})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x.clone().detach()\r\ny\rz\n", "x.detach().clone()\r\ny\rz\n"),
        ("\ufeffé = 'é'; x.clone().detach()", "\ufeffé = 'é'; x.detach().clone()"),
    ],
)
def test_line_ends_and_byte_order_marks_stay(before: str, after: str) -> None:
    assert fixed(before.encode()).data == after.encode()


def test_the_encoding_stays() -> None:
    text = "# coding: latin-1\né = 'ü', x.clone().detach()\n"
    changed = text.replace("clone().detach", "detach().clone")
    assert fixed(text.encode("latin-1")).data == changed.encode("latin-1")


def test_new_lines_end_as_most_do() -> None:
    assert edited("f.py", b"a\r\nb\r\nc\n", [edit(2, 1, 2, 1, "x\ny\n")]) == b"a\r\nx\r\ny\r\nb\r\nc\n"
    assert edited("f.py", b"a\r\nb\nc\r\n", [edit(1, 1, 3, 1, "x\ny\n")]) == b"x\r\ny\nc\r\n"
    assert edited("f.py", b"a\rb\r", [edit(1, 1, 2, 1, "")]) == b"b\r"


def test_a_fix_that_overlaps_an_earlier_one_waits() -> None:
    first, second = finding(edit(1, 1, 1, 4, "x")), finding(edit(1, 3, 1, 6, "y"))
    assert fix_contents("f.py", b"abcdef", once(first, second)).data == b"xdef"


def test_equal_new_lines_of_two_fixes_are_made_once() -> None:
    imported = edit(1, 1, 1, 1, "import torch\n")
    both = finding(imported, edit(1, 1, 1, 2, "x")), finding(imported, edit(1, 3, 1, 4, "y"))
    assert fix_contents("f.py", b"a,b\n", once(*both)).data == b"import torch\nx,y\n"


def test_a_fix_that_makes_nonsense_is_undone_and_the_others_stay() -> None:
    bad, good = finding(edit(1, 1, 1, 2, "(")), finding(edit(2, 1, 2, 2, "c"))
    found = [bad, good]
    result = fix_contents("f.py", b"a\nb\n", lambda data: found if data == b"a\nb\n" else [bad])
    assert result == Fixed(data=b"a\nc\n", counts={"TCY801": 1}, undone=("t",))


def test_a_fix_that_the_encoding_cannot_write_is_undone() -> None:
    data = b"# coding: latin-1\na\n"
    result = fix_contents("f.py", data, lambda data: [finding(edit(2, 1, 2, 2, "'€'"))])
    assert result == Fixed(data=data, undone=("t",))


@pytest.mark.parametrize(
    "wrong", [edit(9, 1, 9, 1, "x"), edit(1, 9, 1, 9, "x"), edit(1, 2, 1, 1, "x"), edit(0, 1, 1, 1, "x")]
)
def test_a_fix_outside_of_the_text_is_undone(wrong: Edit) -> None:
    assert fix_contents("f.py", b"a\n", lambda data: [finding(wrong)]) == Fixed(data=b"a\n", undone=("t",))


def test_fixes_that_never_settle_end() -> None:
    longer = fix_contents("f.py", b"a", lambda data: [finding(edit(1, 1, 1, 1, "a"))])
    assert (longer.settled, set(longer.data)) == (False, set(b"a"))
    turns = {b"a": b"b", b"b": b"a"}
    assert not fix_contents("f.py", b"a", lambda d: [finding(edit(1, 1, 1, 2, turns[d].decode()))]).settled


def test_a_cell_is_fixed_in_place() -> None:
    raw = json.dumps(
        {"cells": [{"cell_type": "code", "source": ["%time\n", "a\n", "b"]}, {"cell_type": "code", "source": "c"}]}
    )
    change = Edit(line=2, column=1, end_line=3, end_column=2, text="d", cell=1)
    assert edited("n.ipynb", raw.encode(), [change]).decode() == raw.replace('"a\\n", "b"', '"d"')


PROGRAM = st.lists(
    st.sampled_from(
        ["x.clone().detach()", "x.data", "(x.clone().detach()).data", "f(x.data.clone().detach(), é)", "y = 1"]
    ),
    max_size=6,
).flatmap(lambda lines: st.sampled_from(["\n", "\r\n", " ; "]).map(lambda end: end.join(lines)))


@given(PROGRAM, st.booleans())
def test_fixes_settle_and_parse_and_leave_nothing_to_fix(program: str, unsafe: bool) -> None:
    result = fixed(program.encode(), unsafe=unsafe)
    parse(decode(result.data).text, "f.py")
    assert result.settled
    assert result.undone == ()
    assert [f for f in judged(result.data) if f.fix.safe or unsafe] == []
