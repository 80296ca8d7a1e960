"""Text for terminals, and a line for each finding."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len

from tensorcopy.linting.contents import Contents
from tensorcopy.linting.formats import render
from tensorcopy.linting.formats.text import statistics
from tensorcopy.reporting.medium import Medium
from tests.linting.formats.samples import CELLS, DATA, NOTHING, SAMPLES, USUAL, at, found, outcome

WIDE = """\
a.py:5:6  error TCY801 clone-first [*]
  the copy is made on the graph
  1 │ import torch
    │ ------------ torch comes from here
    ┆
  5 │     y = x.clone().detach()
    │         ^^^^^^^^^^^^^^^^^^
  b é.py:1:1
  1 │ 模型 = g(模型); z = 模型.data  # ü
    │ ---- the same model
  fix: detach first

b é.py:1:16  warning TCY802 hidden-data [~]
  autograd does not see it
  1 │ 模型 = g(模型); z = 模型.data  # ü
    │                    ^^^^^^^^^
  unsafe fix: say detach

b é.py:2:5  note TCY851 late-zeros
  it is filled twice
  2 │ w = (
    │     ^

1 error, 1 warning, 1 note (1 in the baseline, 2 silenced by comments) in 3 files, 1,234 lines checked.
[*] 1 fixable with --fix, [~] 1 with --fix --unsafe-fixes, to be read.
"""
LONG = "x" * 60 + " = first.data + " + "y" * 60


def test_a_finding_shows_the_lines_where_it_begins_and_where_it_bites() -> None:
    assert render(USUAL, "text", Medium(columns=110)) == WIDE


@pytest.mark.parametrize("columns", [40, 60, 100, 200])
@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("ascii", [False, True])
def test_no_line_is_wider_than_the_terminal(columns: int, sample: str, ascii: bool) -> None:
    text = render(SAMPLES[sample], "text", Medium(columns=columns, ascii=ascii))
    assert [line for line in text.split("\n") if cell_len(line) > columns] == []
    assert text.isascii() or not ascii


@pytest.mark.parametrize(("columns", "shown"), [(60, "first.data"), (160, LONG)])
def test_a_long_line_is_cut_around_the_place(columns: int, shown: str) -> None:
    place = at("a.py", 1, 64, 1, 74)
    one = outcome(found(DATA, place, "m"), contents=Contents({"a.py": LONG.encode()}))
    lines = render(one, "text", Medium(columns=columns)).split("\n")
    carets = re.search(r"\^+", lines[3])
    assert shown in lines[2]
    assert lines[2][carets.start() : carets.end()] == "first.data"


def test_colours_do_not_change_the_text() -> None:
    coloured = render(USUAL, "text", Medium(columns=110, color=True))
    assert coloured != WIDE
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == WIDE


def test_a_place_in_a_notebook_names_its_cell() -> None:
    assert render(CELLS, "text").split("\n")[:4] == [
        "n.ipynb:cell 2:2:5  warning TCY802 hidden-data",
        "  autograd does not see it",
        "  2 │ b = x.data",
        "    │     ^^^^^^",
    ]


def test_nothing_found_is_said() -> None:
    assert render(NOTHING, "text") == "Nothing found: 3 files, 1,234 lines checked.\n"
    assert render(outcome(files=1, lines=1, mended=2), "text") == (
        "2 findings fixed. Nothing left: 1 file, 1 line checked.\n"
    )


def test_statistics_count_by_rule() -> None:
    many = outcome(*USUAL.findings, *[USUAL.findings[2]] * 11)
    assert statistics(many, Medium(columns=110)).split("\n")[:3] == [
        "12  TCY851 note          late-zeros",
        " 1  TCY801 error    [*]  clone-first",
        " 1  TCY802 warning       hidden-data",
    ]


def test_concise_is_a_line_for_each_finding() -> None:
    assert render(USUAL, "concise").split("\n")[:3] == [
        "a.py:5:6 TCY801 [*] the copy is made on the graph",
        "b é.py:1:16 TCY802 [~] autograd does not see it",
        "b é.py:2:5 TCY851 it is filled twice",
    ]
    assert render(CELLS, "concise").startswith("n.ipynb:cell 2:2:5 TCY802 ")


@pytest.mark.parametrize("name", ["html", "markdown"])
def test_a_page_says_which_fixes_are_not_safe(name: str) -> None:
    shown = render(USUAL, name)

    assert shown.count("unsafe fix: say detach") == 1
    assert shown.count("fix: detach first") == 1
    assert "unsafe fix: detach first" not in shown
