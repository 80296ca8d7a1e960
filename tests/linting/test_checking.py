"""One file from bytes to findings."""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorcopy.linting import upkeep
from tensorcopy.linting.checking import Checked, Checker, Followed
from tensorcopy.linting.model import Finding
from tensorcopy.linting.modules import Modules
from tensorcopy.linting.sources import Source
from tests.linting.fake import ANALYSIS
from tests.linting.test_notebooks import notebook


def checker(*files: str, raising: bool = False) -> Checker:
    return Checker(ANALYSIS, Modules(files), raising=raising)


def check(data: bytes | str, file: str = "f.py") -> Checked:
    return checker(file).check(file, data.encode() if isinstance(data, str) else data)


def told(checked: Checked) -> list[tuple[str, int, int, int]]:
    return [(f.code, f.place.cell, f.place.line, f.place.column) for f in checked.findings]


def test_findings_come_by_place_with_the_comments_and_the_lines() -> None:
    checked = check("b = x.data\na = x.clone().detach()  # noqa\n")
    assert told(checked) == [("TCY802", 0, 1, 5), ("TCY801", 0, 2, 5)]
    assert (checked.lines, len(checked.ignores), checked.complete, checked.settled) == (2, 1, True, True)


@pytest.mark.parametrize(
    ("data", "code", "message"),
    [
        (b"torch \xff", "TCY900", "it is not utf-8: invalid start byte"),
        (b"torch\0", "TCY900", "it contains null bytes"),
        (b"torch = (", "TCY901", "'(' was never closed"),
        (b"torch = " + b"(" * 5000, "TCY901", "too many nested parentheses"),
        (b"deep", "TCY903", "it is nested more deeply than can be followed"),
    ],
)
def test_a_file_that_cannot_be_checked_gives_one_clear_line(data: bytes, code: str, message: str) -> None:
    checked = check(data)
    assert [(f.code, f.message) for f in checked.findings] == [(code, message)]
    assert (checked.complete, checked.settled) == (False, True)


def test_a_bug_in_the_analysis_is_told_with_its_place_and_not_kept() -> None:
    checked = check("boom")
    assert checked.findings[0].message.startswith("this is a bug in tensorcopy: KeyError: 'boom' at _of:")
    assert (checked.findings[0].code, checked.settled) == ("TCY902", False)


def test_deep_expressions_are_followed() -> None:
    def depth(source: Source) -> list[Finding]:
        """Recurses as an interpreter would."""

        def below(node: ast.AST) -> int:
            return 1 + max(map(below, ast.iter_child_nodes(node)), default=0)

        assert below(source.tree) > 1000
        return []

    deep = Checker(replace(ANALYSIS, start=lambda: depth), Modules(["f.py"]))
    limit = sys.getrecursionlimit()
    assert deep.check("f.py", b"torch = " + b"+".join([b"1"] * 1000)).findings == ()
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize(("name", "error"), [("boom", KeyError), ("deep", RecursionError)])
def test_a_bug_may_be_left_to_raise(name: str, error: type[Exception]) -> None:
    with pytest.raises(error, match=name):
        checker("f.py", raising=True).check("f.py", name.encode())


def test_findings_in_a_notebook_are_in_cells() -> None:
    text = {"cell_type": "markdown", "source": "x.data"}
    raw = notebook(
        "import torch\n", text, ["%time\n", "y = 1\n", "b = x.data"], "z = (x.clone()\n  .detach())  # noqa: TCY999"
    )
    checked = check(raw, "n.ipynb")
    assert told(checked) == [("TCY802", 3, 3, 5), ("TCY801", 4, 1, 6)]
    clone = checked.findings[1]
    assert (clone.place.end_line, clone.related[0].cell, clone.fix.edits[0].cell, clone.fix.edits[0].line) == (
        2,
        4,
        4,
        1,
    )
    assert [(ignore.cell, ignore.line) for ignore in checked.ignores] == [(4, 2)]
    assert checked.lines == 7


def test_a_broken_cell_costs_only_itself() -> None:
    checked = check(notebook("a = x.data", "if", "b = x.data"), "n.ipynb")
    assert told(checked) == [("TCY901", 2, 1, 3), ("TCY802", 1, 1, 5), ("TCY802", 3, 1, 5)]
    assert not checked.complete


@pytest.mark.parametrize("data", [b"", b"torch", b'{"cells": "torch"}', b"\xff torch"])
def test_a_notebook_that_is_none_is_one_clear_line(data: bytes) -> None:
    assert [f.code for f in check(data, "n.ipynb").findings] == ["TCY900"]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    files = {
        "p/__init__.py": "",
        "p/a.py": "shared_a = 1\nfrom p.c import shared_c\n",
        "p/b.py": "from .a import shared_a\nfrom . import other\n",
        "p/c.py": "shared_c = 2\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return list(files)


def stamp(file: str, name: str) -> str:
    return f"{hashlib.blake2b(Path(file).read_bytes(), digest_size=16).hexdigest()} {name}"


def test_imports_are_followed_and_what_was_followed_is_told(package: list[str]) -> None:
    checked = checker(*package).check("p/b.py", Path("p/b.py").read_bytes())
    assert [(f.code, f.related[0].file, f.related[0].line) for f in checked.findings] == [("TCY811", "p/a.py", 1)]
    assert checked.followed == {
        "p/b.py": Followed(stamp=stamp("p/b.py", "p.b"), answers={"p.a": "p/a.py", "p": "p/__init__.py"}),
        "p/a.py": Followed(stamp=stamp("p/a.py", "p.a")),
        "p/__init__.py": Followed(stamp=stamp("p/__init__.py", "p")),
    }


def test_where_imports_lead_to_is_told_once_and_again_when_there_is_more(package: list[str]) -> None:
    one = checker(*package)
    first = one.check("p/b.py", Path("p/b.py").read_bytes()).followed
    assert one.check("p/b.py", Path("p/b.py").read_bytes()).followed == {}
    second = one.check("p/a.py", Path("p/a.py").read_bytes()).followed
    assert (set(first), set(second)) == ({"p/b.py", "p/a.py", "p/__init__.py"}, {"p/a.py", "p/c.py"})
    assert second["p/a.py"].answers == {"p.c": "p/c.py"}


def test_an_import_that_cannot_be_read_is_none(package: list[str]) -> None:
    Path("p/a.py").write_text("(")
    assert checker(*package).check("p/b.py", Path("p/b.py").read_bytes()).findings == ()


def test_few_sources_are_kept_in_memory(package: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensorcopy.linting.checking._CHARACTERS_KEPT", 50)
    one = checker(*package)
    for name in package:
        one.check(name, Path(name).read_bytes())
        known = [len(source.text) for source in one._sources.values() if source]
        assert sum(known) <= 50 + sum(len(Path(file).read_text()) for file in {name, *one._led})


def test_the_sources_that_were_asked_for_last_are_kept(package: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensorcopy.linting.checking._CHARACTERS_KEPT", 50)
    one = checker(*package)
    one.check("p/a.py", Path("p/a.py").read_bytes())
    followed = one._sources["p/c.py"]
    one.check("p/b.py", Path("p/b.py").read_bytes())
    assert one._sources["p/c.py"] is followed


def test_imports_are_followed_only_so_far(package: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensorcopy.linting.checking._CHARACTERS_FOLLOWED", 0)
    checked = checker(*package).check("p/b.py", Path("p/b.py").read_bytes())
    assert checked.findings == ()
    assert checked.followed["p/a.py"] == Followed(stamp=stamp("p/a.py", "p.a"))


@given(st.one_of(st.text(max_size=60).map(str.encode), st.binary(max_size=60)), st.sampled_from(["f.py", "n.ipynb"]))
def test_no_contents_are_too_strange(data: bytes, file: str) -> None:
    checked = check(data, file)
    assert all(f.code in upkeep.RULES for f in checked.findings)


NAMES = st.sampled_from(["cells", "cell_type", "source", "metadata", "language_info", "code"])
LEAVES = st.none() | st.booleans() | st.text(max_size=5) | st.integers()


@given(st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4)))
def test_no_json_is_too_strange_for_a_notebook(value: object) -> None:
    assert len(check(json.dumps(value), "n.ipynb").findings) <= 2
