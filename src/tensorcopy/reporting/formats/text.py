"""Text for a terminal, 40 to 200 columns wide."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from io import StringIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ..drawings import Excerpt, Mark, MemoryPicture, Plot, Way
from ..medium import Medium
from ..model import Block, Callout, Code, KeyValues, Paragraph, Report, Section, Table
from ..quantities import field_text, signed
from ..tabulating import amount_texts
from ..values import Align, Tone
from ._text_lines import GAP, STYLES, code_lines, side_by_side, styled
from ._text_pictures import memory_lines, plot_lines
from ._text_tables import table_lines
from ._text_words import longest_word, say, say_lines

SUFFIXES = (".txt",)
_PROSE, _INDENT = 100, 4
_RULES = ("═", "─", "")


def render(report: Report, medium: Medium) -> str:
    """The report as lines no longer than the medium is wide, with escape sequences only if it has colour."""
    console = Console(
        file=StringIO(),
        width=medium.width,
        force_terminal=medium.color,
        color_system="standard" if medium.color else None,
        no_color=not medium.color,
        force_jupyter=False,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
    )
    with console.capture() as captured:
        for line in _page(report, medium):
            console.print(line, no_wrap=True, overflow="ignore", crop=False)
    return "\n".join(line.rstrip() for line in captured.get().rstrip("\n").split("\n")) + "\n"


def _page(report: Report, medium: Medium) -> Iterator[Text]:
    yield from _heading(report.title, report.lead, 0, medium)
    for block in report.blocks:
        yield Text("")
        yield from _titled(block, 1, medium)


def _heading(title: str, lead: str, depth: int, medium: Medium) -> Iterator[Text]:
    """A title that is one without bold letters too, and the lead under it."""
    lines = styled(say(title, medium), medium.width, "bold")
    yield from lines
    rule = _RULES[min(depth, len(_RULES) - 1)]
    if rule:
        yield Text(say(rule, medium) * max(line.cell_len for line in lines), "dim")
    if lead:
        yield from _prose(say(lead, medium), medium)


def _prose(text: str, medium: Medium, style: str = "") -> list[Text]:
    return styled(text, min(medium.width, _PROSE), style)


def _titled(block: Block, depth: int, medium: Medium) -> Iterator[Text]:
    """The block under its title, if it has one that its own rendering does not show."""
    if isinstance(block, Section):
        yield from _heading(block.title, block.lead, depth, medium)
        for inner in block.blocks:
            yield Text("")
            yield from _titled(inner, depth + 1, medium)
        return
    title = "" if isinstance(block, Paragraph | Callout) else block.title
    if title:
        yield from styled(say(title, medium), medium.width, "bold")
    yield from _lines(block, medium)
    for inner in block.details if isinstance(block, Callout) else ():
        yield Text("")
        yield from _titled(inner, depth + 1, medium)


@singledispatch
def _lines(block: object, medium: Medium) -> Iterator[Text]:
    raise AssertionError(f"no text for {block!r}")


@_lines.register
def _(block: Paragraph, medium: Medium) -> Iterator[Text]:
    yield from _prose(say_lines(signed(block.text, block.tone), medium), medium, STYLES[block.tone])


_lines.register(Table, table_lines)
_lines.register(MemoryPicture, memory_lines)
_lines.register(Plot, plot_lines)


@_lines.register
def _(block: KeyValues, medium: Medium) -> Iterator[Text]:
    names = [say(field.name, medium) for field in block.fields]
    room = max(*map(longest_word, names), medium.width // 3) if names else 0
    first = min(max(map(cell_len, names), default=0), room, medium.width // 2)
    widths = (first, min(medium.width - first - GAP, _PROSE))
    for name, field in zip(names, block.fields, strict=True):
        text = say_lines(signed(field_text(field), field.tone), medium)
        yield from side_by_side([styled(name, widths[0], "dim"), styled(text, widths[1], STYLES[field.tone])], widths)


@_lines.register
def _(block: Code, medium: Medium) -> Iterator[Text]:
    yield from code_lines(say_lines(block.text, medium), medium.width, indent=_INDENT)


@_lines.register
def _(block: Callout, medium: Medium) -> Iterator[Text]:
    style, width = STYLES[block.kind.tone], min(medium.width, _PROSE) - GAP
    lines = styled(f"{_kind(block, medium)}: {say(block.title, medium)}", width)
    lines[0].stylize(f"bold {style}".strip(), 0, len(_kind(block, medium)))
    if block.text:
        lines += styled(say_lines(block.text, medium), width)
    if block.code:
        lines += code_lines(say_lines(block.code, medium), medium.width - GAP, indent=_INDENT)
    yield from (Text.assemble((say("┃ ", medium), style), line) for line in lines)


def _kind(block: Callout, medium: Medium) -> str:
    return say(signed(block.kind.value.capitalize(), block.kind.tone), medium)


@_lines.register
def _(block: Way, medium: Medium) -> Iterator[Text]:
    for number, stop in enumerate(block.stops):
        if number:
            yield Text(say("  │", medium), "dim")
        yield from styled(say(signed(stop.label, stop.tone), medium), medium.width - GAP, STYLES[stop.tone], indent=GAP)
        for text in filter(None, [stop.code, stop.remark]):
            yield from styled(say(text, medium), medium.width - GAP, indent=2 * GAP)
        if stop.cut:
            yield from styled(say(signed(stop.cut, Tone.BAD), medium), medium.width - GAP, STYLES[Tone.BAD], indent=GAP)


@_lines.register
def _(block: Excerpt, medium: Medium) -> Iterator[Text]:
    yield from styled(say(_where(block), medium), medium.width, "dim")
    digits = len(str(block.first_line + len(block.lines) - 1))
    room = medium.width - digits - 5
    beside = amount_texts(block)
    for number, line in enumerate(block.lines, block.first_line):
        marks = [mark for mark in block.marks if mark.line == number]
        tone = STYLES[marks[0].tone] if marks else "dim"
        pointer = Text(say("»", medium) if marks else "", tone)
        shown = styled(say_lines(beside[number] + line, medium), room)
        yield from _source_line(pointer, Text(str(number), tone), shown, digits, medium)
        if (amount := block.amount_of.get(number)) is not None and amount.note:
            remark = styled(say(amount.note, medium), room, "dim")
            yield from _source_line(Text(""), Text(""), remark, digits, medium)
        for mark in marks:
            text = _remark(mark, line, room - len(beside[number]), medium)
            remark = styled(_set_in(text, beside[number]), room, STYLES[mark.tone])
            yield from _source_line(Text(""), Text(""), remark, digits, medium)


def _where(block: Excerpt) -> str:
    beside = f"  ({block.amounts.column.name} beside the lines)" if block.amounts else ""
    return f"{block.path}:{block.first_line}{beside}"


def _source_line(pointer: Text, number: Text, lines: list[Text], digits: int, medium: Medium) -> Iterator[Text]:
    bars = [Text(say("│", medium), "dim") for _ in lines]
    widths = (1, digits, 1, medium.width - digits - 5)
    sides = (Align.LEFT, Align.RIGHT, Align.LEFT, Align.LEFT)
    yield from side_by_side([[pointer], [number], bars, lines], widths, sides, gap=1)


def _set_in(text: str, beside: str) -> str:
    """Lines under a line of source, as far in as that is."""
    return "\n".join(" " * len(beside) + line for line in text.split("\n")) if "^" in text else text


def _remark(mark: Mark, line: str, room: int, medium: Medium) -> str:
    """The text of a mark, behind or below carets under the columns that it is about, if those fit on one line."""
    text = say(signed(mark.text, mark.tone), medium)
    if mark.columns is None:
        return text
    start, end = (cell_len(say_lines(line[:column], medium)) for column in mark.columns)
    if end > room:
        return f"{text} ({say(f'columns {mark.columns[0]}–{mark.columns[1]}', medium)})"
    carets = " " * start + "^" * max(1, end - start)
    return f"{carets} {text}" if len(carets) + 1 + cell_len(text) <= room else f"{carets}\n{text}"
