"""Markdown as GitHub shows it: tables, alerts, fenced blocks. Text from elsewhere is escaped and shows as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import singledispatch
from html import escape

from ..drawings import Excerpt, Mark, MemoryPicture, Plot, Stop, Storage, Way
from ..escaping import visible, visible_lines
from ..medium import Medium
from ..model import Callout, CalloutKind, Cell, Code, KeyValues, Paragraph, Report, Section, Table, table
from ..quantities import cell_text, exact_bytes, field_text, heading, signed
from ..tabulating import amount_texts, byte_range, cells_of, moment_text, part_text, table_of
from ..values import Align, Column, Tone, ValueType

SUFFIXES = (".md", ".markdown")
_ALERTS = {
    CalloutKind.RECOMMENDATION: "TIP",
    CalloutKind.NOTE: "NOTE",
    CalloutKind.WARNING: "WARNING",
    CalloutKind.ERROR: "CAUTION",
}
_RULES = {Align.LEFT: ":---", Align.RIGHT: "---:"}
_MEANT = re.compile(r"([\\`*_\[\]~|$])")
_AT_START = re.compile(r"^(\s*)([-+=#]|\d+(?=[.)]))")
_BAR = 24


def render(report: Report, medium: Medium) -> str:
    """The report as a page of Markdown."""
    parts = [f"# {words(report.title)}"]
    parts += [words(report.lead)] if report.lead else []
    parts += [part for block in report.blocks for part in _parts(block, 2)]
    return "\n\n".join(parts) + "\n"


def words(text: str) -> str:
    """*text* on one line, every character of it shown as it is."""
    plain = _MEANT.sub(r"\\\1", visible(text)).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _AT_START.sub(lambda m: f"{m[1]}{m[2]}\\" if m[2].isdigit() else f"{m[1]}\\{m[2]}", plain)


def lines(text: str) -> str:
    """The same, over several lines, which end where they ended. What sets a line in is left out: it would make code."""
    return "  \n".join(words(line.lstrip()) for line in visible_lines(text).split("\n"))


def code(text: str) -> str:
    """*text* as code within a line; in a table too."""
    shown = visible(text)
    if not shown or re.search(r"[`|\\]|^\s|\s$", shown):
        return f"<code>{_MEANT.sub(_as_entity, escape(shown, quote=False))}</code>"
    return f"`{shown}`"


def _as_entity(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"


def fenced(text: str, language: str = "") -> str:
    """*text* as a block of code, within a fence longer than any in it."""
    shown = visible_lines(text)
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", shown)), 3)
    return f"{fence}{re.sub(r'[^A-Za-z0-9+-]', '', language)}\n{shown}\n{fence}"


@singledispatch
def _parts(block: object, depth: int) -> Iterator[str]:
    raise AssertionError(f"no Markdown for {block!r}")


def _title(text: str) -> Iterator[str]:
    if text:
        yield f"**{words(text)}**"


@_parts.register
def _(block: Section, depth: int) -> Iterator[str]:
    yield f"{'#' * min(depth, 6)} {words(block.title)}"
    if block.lead:
        yield words(block.lead)
    for inner in block.blocks:
        yield from _parts(inner, depth + 1)


@_parts.register
def _(block: Paragraph, depth: int) -> Iterator[str]:
    yield lines(signed(block.text, block.tone))


@_parts.register
def _(block: Table, depth: int) -> Iterator[str]:
    yield from _title(block.title)
    rules = [_RULES[column.side] for column in block.columns]
    rows = [[_cell(c, cell, block.footnotes) for c, cell in zip(block.columns, row, strict=True)] for row in block.rows]
    yield "\n".join(f"| {' | '.join(row)} |" for row in [[words(heading(c)) for c in block.columns], rules, *rows])
    if block.footnotes:
        yield "\n".join(f"{number}. {words(note)}" for number, note in enumerate(block.footnotes, 1))
    yield from (words(note) for note in block.notes)


def _cell(column: Column, cell: Cell, footnotes: tuple[str, ...]) -> str:
    note = f" <sup>{footnotes.index(cell.note) + 1}</sup>" if cell.note else ""
    return _value(signed("", cell.tone).strip(), cell_text(column, cell), column.type) + note


def _value(sign: str, text: str, value_type: ValueType) -> str:
    written = code if value_type is ValueType.CODE else words
    return " ".join(filter(None, [words(sign), "<br>".join(map(written, text.split("\n")))]))


@_parts.register
def _(block: KeyValues, depth: int) -> Iterator[str]:
    yield from _title(block.title)
    yield "\n".join(
        f"- **{words(field.name)}:** {_value(signed('', field.tone).strip(), field_text(field), field.type)}"
        for field in block.fields
    )


@_parts.register
def _(block: Code, depth: int) -> Iterator[str]:
    yield from _title(block.title)
    yield fenced(block.text, block.language)


@_parts.register
def _(block: Callout, depth: int) -> Iterator[str]:
    parts = [f"[!{_ALERTS[block.kind]}]\n**{words(block.title)}**"]
    parts += [lines(block.text)] if block.text else []
    parts += [fenced(block.code, "python")] if block.code else []
    yield "\n".join(f"> {line}".rstrip(" ") for line in "\n\n".join(parts).split("\n"))
    for inner in block.details:
        yield from _parts(inner, depth)


@_parts.register
def _(block: MemoryPicture, depth: int) -> Iterator[str]:
    yield from _title(block.title)
    for storage in block.storages:
        yield f"**{words(storage.name)}** · {exact_bytes(storage.bytes)}"
        if storage.note:
            yield words(storage.note)
        yield from _parts(_table_of(storage), depth)


def _table_of(storage: Storage) -> Table:
    columns: list[Column | str] = ["object", "bytes", Column(name="place", type=ValueType.CODE), "remark"]
    rows: list[Sequence[Cell | str]] = [
        [Cell(value=s.label, tone=s.tone), byte_range(s.lo, s.hi), _bar(s.lo, s.hi, storage.bytes), s.strides]
        for s in storage.spans
    ]
    rows += [
        ["shared", byte_range(p.lo, p.hi), _bar(p.lo, p.hi, storage.bytes), part_text(p)] for p in storage.shared_parts
    ]
    outside = f"outside of all spans: {exact_bytes(storage.uncovered)}"
    return table(columns, rows, notes=[outside] if storage.uncovered and storage.spans else [])


def _bar(lo: int, hi: int, size: int) -> str:
    first, last = cells_of(lo, hi, size, _BAR)
    return "·" * first + "█" * (last - first) + "·" * (_BAR - last)


@_parts.register
def _(block: Plot, depth: int) -> Iterator[str]:
    yield from _title(block.title)
    yield from _parts(table_of(block), depth)
    if block.moments:
        yield "\n".join(f"- {words(moment_text(moment, block.x))}" for moment in block.moments)


@_parts.register
def _(block: Way, depth: int) -> Iterator[str]:
    yield from _title(block.title)
    yield "\n".join(line for stop in block.stops for line in _stop(stop))


def _stop(stop: Stop) -> Iterator[str]:
    told = [words(signed(stop.label, stop.tone)), code(stop.code) if stop.code else "", words(stop.remark)]
    yield f"1. {' · '.join(filter(None, told))}"
    if stop.cut:
        yield f"   - **{words(signed(stop.cut, Tone.BAD))}**"


@_parts.register
def _(block: Excerpt, depth: int) -> Iterator[str]:
    yield from _title(block.title)
    yield code(f"{block.path}:{block.first_line}")
    marked = {mark.line for mark in block.marks}
    beside = amount_texts(block)
    width = len(str(block.first_line + len(block.lines) - 1))
    numbered = [
        f"{'>' if number in marked else ' '} {number:>{width}} | {beside[number]}{visible_lines(line)}"
        for number, line in enumerate(block.lines, block.first_line)
    ]
    yield fenced("\n".join(numbered), "text")
    if block.marks:
        yield "\n".join(_mark(mark) for mark in block.marks)
    if block.amounts:
        notes = [f"- line {a.line}: {words(a.note)}" for a in block.amounts.lines if a.note]
        yield "\n".join([f"{words(block.amounts.column.name)} beside the lines:", "", *notes])


def _mark(mark: Mark) -> str:
    columns = f", columns {mark.columns[0]}–{mark.columns[1]}" if mark.columns else ""
    return f"- line {mark.line}{columns}: {words(signed(mark.text, mark.tone))}"
