"""Every rule's page is true: its wrong programs are found, its right ones are not and run, its safe fixes mend."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tensorcopy.linting.rules import all_rules, modules, page_of
from tests.linting.programs import codes_in, found_in, mended, printed_by

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
PAGED = [m.RULE.code for m in modules() if Path(str(m.__file__)).with_suffix(".md").exists()]
SECTIONS = ["What happens", "Wrong", "Right", "When it is silent", "Fix"]


def sections(code: str) -> dict[str, str]:
    parts = re.split(r"^## (.+)\n", page_of(code), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def programs(section: str) -> list[tuple[str, str]]:
    return [(code, block) for code in PAGED for block in BLOCK.findall(sections(code).get(section, ""))]


def labelled(pairs: list[tuple[str, str]]) -> list[str]:
    return [f"{code}-{i}" for i, (code, _) in enumerate(pairs)]


def safely_mended() -> list[tuple[str, str]]:
    return [
        (code, block)
        for code, block in programs("Wrong")
        if any(f.code == code and f.fix is not None and f.fix.safe for f in found_in(block))
    ]


WRONG, RIGHT, MENDED = programs("Wrong"), programs("Right"), safely_mended()


@pytest.mark.parametrize("code", PAGED)
def test_a_page_has_its_title_its_sections_and_at_least_one_program_of_each_kind(code: str) -> None:
    rule = all_rules()[code]

    assert page_of(code).startswith(f"# {code} {rule.name}\n")
    assert list(sections(code)) == SECTIONS
    assert BLOCK.search(sections(code)["Wrong"])
    assert BLOCK.search(sections(code)["Right"])


@pytest.mark.parametrize(("code", "program"), WRONG, ids=labelled(WRONG))
def test_a_wrong_program_gives_exactly_the_finding_of_its_page(code: str, program: str) -> None:
    assert codes_in(program) == [code]


@pytest.mark.parametrize(("code", "program"), RIGHT, ids=labelled(RIGHT))
def test_a_right_program_gives_no_error_and_no_warning_and_runs(code: str, program: str) -> None:
    assert codes_in(program, notes=False) == []
    assert code not in codes_in(program)
    printed_by(program)


@pytest.mark.parametrize(("code", "program"), MENDED, ids=labelled(MENDED))
def test_a_safe_fix_settles_and_the_program_still_runs(code: str, program: str) -> None:
    once = mended(program, code)

    ast.parse(once)
    assert code not in codes_in(once)
    assert mended(once, code) == once
    printed_by(once)
