"""Tables for a terminal: folded to its width, and records one under the other where that is too narrow."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

from ..medium import Medium
from ..model import Cell, Table
from ..quantities import cell_text, heading, signed
from ..values import Column, ValueType
from ._text_lines import GAP, STYLES, side_by_side, styled
from ._text_words import folded_code, longest_word, say, say_lines, widest

_NARROW_WORD, _WIDE_WORD = 10, 20


def table_lines(table: Table, medium: Medium) -> Iterator[Text]:
    """The table, then its footnotes and notes."""
    cells = [[_cell_text(c, cell, table, medium) for c, cell in _pairs(table, row)] for row in table.rows]
    headings = [say(heading(column), medium) for column in table.columns]
    widths = _widths(table.columns, headings, cells, medium.width)
    if not table.rows:
        yield from styled(say(f"no rows: {', '.join(headings)}", medium), medium.width, "dim")
    elif widths:
        yield from _grid(table, headings, cells, widths, medium)
    else:
        yield from _records(table, headings, cells, medium.width)
    notes = [f"[{number}] {note}" for number, note in enumerate(table.footnotes, 1)]
    for note in (*notes, *table.notes):
        yield from styled(say(note, medium), medium.width, "dim")


def is_grid(table: Table, medium: Medium) -> bool:
    """Whether the table fits as rows and columns, and needs no records."""
    cells = [[_cell_text(c, cell, table, medium) for c, cell in _pairs(table, row)] for row in table.rows]
    headings = [say(heading(column), medium) for column in table.columns]
    return bool(_widths(table.columns, headings, cells, medium.width))


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
    room -= GAP * (len(columns) - 1)
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
) -> Iterator[Text]:
    """Headings, a rule, and a row a row."""
    sides = [column.side for column in table.columns]
    heads = [styled(name, width, "bold") for name, width in zip(headings, widths, strict=True)]
    highest = max(map(len, heads))
    yield from side_by_side([[Text("")] * (highest - len(head)) + head for head in heads], widths, sides)
    yield Text(say("─", medium) * (sum(widths) + GAP * (len(widths) - 1)))
    for row, texts in zip(table.rows, cells, strict=True):
        fitted = [_fitted(*cell) for cell in zip(table.columns, texts, widths, strict=True)]
        lines = [styled(t, w, STYLES[cell.tone]) for t, w, cell in zip(fitted, widths, row, strict=True)]
        yield from side_by_side(lines, widths, sides)


def _records(table: Table, headings: list[str], cells: list[list[str]], room: int) -> Iterator[Text]:
    """Each row on lines of its own, under the first thing that stands in it."""
    names = min(max(map(cell_len, headings[1:]), default=0), room // 3)
    widths = (names, room - names - 2 * GAP)
    for row, texts in zip(table.rows, cells, strict=True):
        said = [item for item in zip(headings, row, texts, strict=True) if item[2]]
        for number, (name, cell, text) in enumerate(said):
            if number:
                lines = [styled(name, widths[0], "dim"), styled(text, widths[1], STYLES[cell.tone])]
                yield from (Text(" " * GAP) + line for line in side_by_side(lines, widths))
            else:
                yield from styled(f"{name}: {text}", room, f"bold {STYLES[cell.tone]}".strip())
