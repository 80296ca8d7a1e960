"""Which rules are reported."""

from __future__ import annotations

import re

import pytest

from tensorcopy.errors import BadArgumentError
from tensorcopy.linting.model import Place
from tensorcopy.linting.selecting import selection, split_codes
from tensorcopy.linting.settings import Settings
from tests.linting.fake import CLONE, RULES, found

EVERY = {"TCY801", "TCY802", "TCY811", "TCY851"}


@pytest.mark.parametrize(
    ("settings", "codes"),
    [
        ({}, EVERY - {"TCY851"}),
        ({"select": ("ALL",)}, EVERY),
        ({"select": ("all",), "ignore": ("TCY80",)}, {"TCY811", "TCY851"}),
        ({"select": ("TCY80",)}, {"TCY801", "TCY802"}),
        ({"select": ("clone-first", "tcy811")}, {"TCY801", "TCY811"}),
        ({"extend_select": ("late-zeros",)}, EVERY),
        ({"ignore": ("hidden-data",)}, {"TCY801", "TCY811"}),
        ({"ignore": ("ALL",)}, set()),
        ({"select": ("TCY801",), "ignore": ("TCY80",)}, {"TCY801"}),
        ({"select": ("TCY80",), "ignore": ("TCY801",)}, {"TCY802"}),
        ({"select": ("TCY801",), "ignore": ("TCY801",)}, set()),
        ({"ignore": ("TCY8",), "extend_select": ("TCY802",)}, {"TCY802"}),
        ({"select": ()}, set()),
    ],
)
def test_the_more_exact_word_wins_and_notes_have_to_be_asked_for(settings: dict[str, object], codes: set[str]) -> None:
    assert selection(Settings(**settings), RULES).codes == codes


@pytest.mark.parametrize(
    ("selector", "fix"),
    [
        ("clone-frist", "did you mean clone-first?"),
        ("TCY812", "did you mean TCY"),
        ("quux", "tensorcopy check --list-rules shows them"),
        ("", "tensorcopy check --list-rules shows them"),
    ],
)
def test_what_is_no_rule_is_refused_with_what_may_be_meant(selector: str, fix: str) -> None:
    with pytest.raises(BadArgumentError, match=re.escape(f"no rule is called {selector!r}")) as caught:
        selection(Settings(select=(selector,)), RULES)
    assert caught.value.fix.startswith(fix)


@pytest.mark.parametrize(
    ("pattern", "file", "reported"),
    [
        ("tests/*", "tests/deep/a.py", False),
        ("tests", "tests/deep/a.py", False),
        ("a.py", "src/a.py", False),
        ("tests/*", "src/tests.py", True),
    ],
)
def test_rules_may_be_ignored_in_files_by_pattern(pattern: str, file: str, reported: bool) -> None:
    chosen = selection(Settings(per_file_ignores={pattern: ("TCY80",)}), RULES)
    place = Place(file=file, line=1, column=1, end_line=1, end_column=2)
    assert chosen.includes(found(CLONE, place, "")) is reported


def test_selectors_come_with_commas_or_one_by_one() -> None:
    assert split_codes(["a,b", "c d ,", ""]) == ("a", "b", "c", "d")
