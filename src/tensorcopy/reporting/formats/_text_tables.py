"""Tables for a terminal: folded to its width, and records one under the other where that is too narrow."""

from __future__ import annotations

from collections.abc import Iterator

from rich.box import Box
from rich.cells import cell_len
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from ..medium import Medium
from ..model import Cell, Column, Table, ValueType
from ..quantities import cell_text, heading, signed
from ._text_words import STYLES, folded_code, longest_word, say, say_lines, styled, widest

_GAP = 2
_NARROW_WORD, _WIDE_WORD = 10, 20
_LINED = "    \n    \n ── \n    \n    \n    \n    \n    \n"
_HEAD_ONLY, _HEAD_ONLY_ASCII = Box(_LINED), Box(_LINED.replace("─", "-"), ascii=True)


def table_lines(table: Table, medium: Medium) -> Iterator[RenderableType]:
    """The table, then its footnotes and notes."""
    cells = [[_cell_text(c, cell, table, medium) for c, cell in _pairs(table, row)] for row in table.rows]
    headings = [say(heading(column), medium) for column in table.columns]
    widths = _widths(table.columns, headings, cells, medium.width)
    if not table.rows:
        yield styled(say(f"no rows: {', '.join(headings)}", medium), "dim")
    elif widths:
        yield _grid(table, headings, cells, widths, medium)
    else:
        yield from _records(table, headings, cells)
    for number, note in enumerate(table.footnotes, 1):
        yield styled(say(f"[{number}] {note}", medium), "dim")
    yield from (styled(say(note, medium), "dim") for note in table.notes)


def _pairs(table: Table, row: tuple[Cell, ...]) -> Iterator[tuple[Column, Cell]]:
    return zip(table.columns, row, strict=True)


def _cell_text(column: Column, cell: Cell, table: Table, medium: Medium) -> str:
    note = f" [{table.footnotes.index(cell.note) + 1}]" if cell.note else ""
    return say_lines(signed(cell_text(column, cell), cell.tone) + note, medium)


def _widths(columns: tuple[Column, ...], headings: list[str], cells: list[list[str]], room: int) -> list[int]:
    """The width of each column, the widest texts shrunk first; empty where records are what fits, or are shorter."""
    texts = [[row[i] for row in cells] for i in range(len(columns))]
    smallest = [max(longest_word(h), _smallest(c, t)) for c, h, t in zip(columns, headings, texts, strict=True)]
    widths = [max(s, cell_len(h), *map(widest, t), 1) for s, h, t in zip(smallest, headings, texts, strict=True)]
    room -= _GAP * (len(columns) - 1)
    while sum(widths) > room:
        spare = [(width, i) for i, width in enumerate(widths) if width > smallest[i]]
        if not spare:
            return []
        widths[max(spare)[1]] -= 1
    as_grid = sum(max(-(-cell_len(t) // w) for t, w in zip(row, widths, strict=True)) for row in cells)
    as_records = sum(1 + sum(-(-cell_len(t) // (room * 3 // 4)) for t in row[1:]) for row in cells)
    return widths if as_grid <= as_records else []


def _smallest(column: Column, texts: list[str]) -> int:
    """The width below which a column is not readable; a quantity or a verdict is never broken."""
    if column.type.is_quantity:
        return max(map(widest, map(_in_two_lines, texts)), default=0)
    longest = max(map(widest, texts), default=0)
    if column.type not in (ValueType.TEXT, ValueType.CODE):
        return longest
    return min(longest, max(_NARROW_WORD, min(_WIDE_WORD, max(map(longest_word, texts), default=0))))


def _in_two_lines(text: str) -> str:
    """A measured value above its bounds: the one place where it may be broken."""
    return text.replace(" (", "\n(", 1)


def _fitted(column: Column, text: str, width: int) -> str:
    """A text broken where its type allows; what is still too long is folded by the table."""
    if widest(text) <= width:
        return text
    if column.type.is_quantity:
        return _in_two_lines(text)
    return folded_code(text, width) if column.type is ValueType.CODE else text


def _grid(
    table: Table, headings: list[str], cells: list[list[str]], widths: list[int], medium: Medium
) -> RenderableType:
    box = _HEAD_ONLY_ASCII if medium.ascii else _HEAD_ONLY
    grid = Grid(
        box=box, show_edge=False, pad_edge=False, padding=(0, _GAP - 1, 0, 0), header_style="bold", safe_box=False
    )
    for column, name, width in zip(table.columns, headings, widths, strict=True):
        grid.add_column(Text(name, overflow="fold"), justify=column.side.value, width=width, overflow="fold")
    for row, texts in zip(table.rows, cells, strict=True):
        fitted = [_fitted(*cell) for cell in zip(table.columns, texts, widths, strict=True)]
        grid.add_row(*(styled(text, STYLES[cell.tone]) for cell, text in zip(row, fitted, strict=True)))
    return grid


def _records(table: Table, headings: list[str], cells: list[list[str]]) -> Iterator[RenderableType]:
    """Each row on lines of its own, under the first thing that stands in it."""
    for row, texts in zip(table.rows, cells, strict=True):
        said = [item for item in zip(headings, row, texts, strict=True) if item[2]]
        grid = Grid.grid(padding=(0, _GAP, 0, 0))
        grid.add_column(style="dim", overflow="fold")
        grid.add_column(overflow="fold")
        for number, (name, cell, text) in enumerate(said):
            if number == 0:
                yield Text.assemble((f"{name}: ", "dim"), (text, f"bold {STYLES[cell.tone]}".strip()), overflow="fold")
            else:
                grid.add_row(Text(name), styled(text, STYLES[cell.tone]))
        yield Padding(grid, (0, 0, 0, 2))
