"""Text for terminals: every width, with and without colour, with and without more than ASCII."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tensorcopy.reporting import (
    Axis,
    Callout,
    CalloutKind,
    Cell,
    Code,
    Column,
    Medium,
    MemoryPicture,
    Plot,
    Point,
    Report,
    Series,
    Span,
    Storage,
    Tone,
    ValueType,
    render,
    table,
)
from tensorcopy.reporting.formats._text_words import folded
from tests.reporting.samples import NUMBERS_SHOWN, REPORT

QUANTITIES = table(
    [
        Column(name="method", type=ValueType.CODE),
        Column(name="memory", type=ValueType.VERDICT),
        Column(name="time", type=ValueType.TIME),
        Column(name="allocated", type=ValueType.BYTES),
        Column(name="elements", type=ValueType.NUMBER),
        "remark",
    ],
    [
        [
            "torch.from_numpy(x)",
            Cell(value="shares", tone=Tone.GOOD),
            Cell(value=1e-6, low=9e-7, high=2e-6),
            0,
            1_000,
            "",
        ],
        ["torch.tensor(x)", Cell(value="copies"), 0.0035, 4_000_000, 1_000_000, Cell(value="a copy", note="always")],
    ],
)


def text_of(block: object, columns: int, *, ascii: bool = False) -> str:
    report = Report(title="t", blocks=(block,))  # type: ignore[arg-type]
    return render(report, "text", Medium(columns=columns, ascii=ascii)).split("\n", 3)[3]


@pytest.mark.parametrize("columns", [40, 41, 60, 80, 100, 137, 200])
def test_no_line_is_wider_than_the_medium_and_none_ends_in_spaces(columns: int) -> None:
    lines = render(REPORT, "text", Medium(columns=columns)).split("\n")
    assert [line for line in lines if cell_len(line) > columns] == []
    assert [line for line in lines if line != line.rstrip()] == []


@pytest.mark.parametrize("columns", [40, 60, 100, 200])
def test_no_number_is_ever_broken(columns: int) -> None:
    lines = render(REPORT, "text", Medium(columns=columns))
    words = {word for number in NUMBERS_SHOWN for word in number.split()}
    assert [word for word in words if word not in lines] == []


@pytest.mark.parametrize(("columns", "meant"), [(1, 40), (39, 40), (40, 40), (200, 200), (1000, 200)])
def test_widths_outside_of_40_to_200_are_treated_as_these(columns: int, meant: int) -> None:
    assert render(REPORT, "text", Medium(columns=columns)) == render(REPORT, "text", Medium(columns=meant))


def test_a_table_is_a_grid_where_it_fits() -> None:
    assert text_of(QUANTITIES, 100) == (
        "method               memory                   time  allocated   elements  remark\n"
        "────────────────────────────────────────────────────────────────────────────────────\n"
        "torch.from_numpy(x)  ✓ shares  1.00 µs (0.90–2.00)        0 B      1,000\n"
        "torch.tensor(x)      copies                3.50 ms    4.00 MB  1,000,000  a copy [1]\n"
        "[1] always\n"
    )


def test_a_measured_value_goes_above_its_bounds_before_anything_else_gives_way() -> None:
    assert text_of(QUANTITIES, 76) == (
        "method               memory           time  allocated   elements  remark\n"
        "────────────────────────────────────────────────────────────────────────────\n"
        "torch.from_numpy(x)  ✓ shares      1.00 µs        0 B      1,000\n"
        "                               (0.90–2.00)\n"
        "torch.tensor(x)      copies        3.50 ms    4.00 MB  1,000,000  a copy [1]\n"
        "[1] always\n"
    )


def test_a_table_is_records_where_it_does_not_fit() -> None:
    assert text_of(QUANTITIES, 60) == (
        "method: torch.from_numpy(x)\n"
        "  memory     ✓ shares\n"
        "  time       1.00 µs (0.90–2.00)\n"
        "  allocated  0 B\n"
        "  elements   1,000\n"
        "method: torch.tensor(x)\n"
        "  memory     copies\n"
        "  time       3.50 ms\n"
        "  allocated  4.00 MB\n"
        "  elements   1,000,000\n"
        "  remark     a copy [1]\n"
        "[1] always\n"
    )


def test_code_is_broken_after_signs_and_not_within_names() -> None:
    wide = table(
        [Column(name="code", type=ValueType.CODE), "what"], [["x.clone(memory_format=torch.channels_last)", "w " * 30]]
    )
    lines = text_of(wide, 60).splitlines()[2:4]
    assert [line.split("  ")[0] for line in lines] == ["x.clone(memory_format=torch.", "channels_last)"]


@pytest.mark.parametrize("columns", range(40, 60))
def test_the_number_of_a_note_is_not_broken(columns: int) -> None:
    cell = Cell(value="x.expand_as(torch.empty(2))", note="n")
    noted = table([Column(name="code", type=ValueType.CODE), "what"], [[cell, "w " * 40]])
    assert text_of(noted, columns).count("[1]") == 2


CURVES = Plot(
    x=Axis(name="size", unit="elements"),
    y=Axis(name="time", type=ValueType.TIME),
    series=tuple(
        Series(name=f"torch.from_numpy(x.detach().numpy().copy()) number {k}", points=(Point(x=10, y=1e-6 * k),))
        for k in (1, 2, 3)
    ),
)


def test_curves_of_long_names_are_rows_where_columns_would_not_fit() -> None:
    lines = text_of(CURVES, 80).splitlines()
    assert lines[0] == "time over size (elements)"
    assert lines[1].split() == ["10", "elements"]
    assert [line.rpartition("  ")[2] for line in lines[3:6]] == ["1.00 µs", "2.00 µs", "3.00 µs"]


MEMORY = MemoryPicture(
    storages=(
        Storage(
            name="storage",
            bytes=100,
            spans=(
                Span(label="all", lo=0, hi=50),
                Span(label="part", lo=20, hi=21, strides="one"),
                Span(label="no", lo=9, hi=9),
            ),
        ),
    )
)


def test_memory_is_a_bar_for_each_span_and_each_shared_part() -> None:
    assert text_of(MEMORY, 40) == (
        "storage · 100 bytes\n"
        "all  [0, 50)\n"
        "  ███████████████████···················\n"
        "part  [20, 21) one\n"
        "  ·······█······························\n"
        "no  [9, 9)\n"
        "  ······································\n"
        "shared  [20, 21) all, part\n"
        "  ·······▓······························\n"
        "outside of all spans: 50 bytes\n"
        "█ without gaps  ▒ with gaps  ▓ shared by\n"
        "several\n"
    )


def test_memory_has_name_bar_and_remark_side_by_side_where_there_is_room() -> None:
    assert text_of(MEMORY, 60).splitlines()[2] == "part    ······█·························  [20, 21) one"


def test_ascii_is_all_that_a_poor_medium_gets() -> None:
    lines = render(REPORT, "text", Medium(ascii=True))
    assert lines.isascii()
    assert "1.23 us" in lines
    assert "(1.10-1.50)" in lines
    assert "+ t" in lines
    assert text_of(MEMORY, 60, ascii=True).splitlines()[2] == "part    ------#-------------------------  [20, 21) one"


def test_colour_is_nothing_but_colour() -> None:
    plain = render(REPORT, "text", Medium(columns=90))
    coloured = render(REPORT, "text", Medium(columns=90, color=True))
    assert "\x1b[" not in plain
    assert "\x1b[32m" in coloured
    without = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in without.split("\n")] == plain.split("\n")


def test_the_environment_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = render(REPORT, "text", Medium(columns=90))
    for name, value in {
        "COLUMNS": "50",
        "FORCE_COLOR": "1",
        "NO_COLOR": "1",
        "JPY_PARENT_PID": "1",
        "TERM": "dumb",
    }.items():
        monkeypatch.setenv(name, value)
    assert render(REPORT, "text", Medium(columns=90)) == before
    assert "\x1b[32m" in render(REPORT, "text", Medium(color=True))


def test_wide_letters_count_as_two_columns() -> None:
    korean = table(["이름", "n"], [["텐서를 복사합니다", "1"], ["x", "2"]])
    assert [cell_len(line) for line in text_of(korean, 60).splitlines()] == [20, 20, 20, 20]


def test_a_table_is_records_where_that_takes_fewer_lines() -> None:
    long = table(["name", "first", "second", "third"], [["x", "word " * 60, "y", "z"]])
    assert text_of(long, 40).splitlines()[0] == "name: x"
    assert text_of(table(["name", "first", "second"], [["x", "word " * 9, "y"]] * 2), 40).startswith("name  first")


def test_a_callout_has_a_coloured_bar_and_plain_words() -> None:
    callout = Callout(kind=CalloutKind.WARNING, title="a", text="b", code="c")
    lines = render(Report(title="t", blocks=(callout,)), "text", Medium(color=True)).splitlines()
    assert lines[3:] == [
        "\x1b[33m┃ \x1b[0m\x1b[1;33m! Warning\x1b[0m: a",
        "\x1b[33m┃ \x1b[0mb",
        "\x1b[33m┃ \x1b[0m    c",
    ]


def test_code_that_is_too_long_goes_on_further_in() -> None:
    block = Code(text=f"if x:\n    first = second(a_long_argument, another_one)\n{'e' * 40}")
    assert text_of(block, 40).splitlines() == [
        "    if x:",
        "        first = second(a_long_argument,",
        "            another_one)",
        "    " + "e" * 36,
        "        " + "e" * 4,
    ]


@given(st.text("ab c한\n", max_size=60), st.integers(2, 12))
def test_folding_loses_nothing_and_fits(text: str, width: int) -> None:
    lines = folded(text, width)
    assert [line for line in lines if cell_len(line) > width] == []
    assert "".join(lines).replace(" ", "") == text.replace(" ", "").replace("\n", "")
    assert len(lines) >= len(text.split("\n"))


def test_folding_breaks_words_only_where_they_are_longer_than_the_line() -> None:
    assert folded("  ab abcdefgh x\n\ny", 6) == ["  ab", "abcdef", "gh x", "", "y"]
