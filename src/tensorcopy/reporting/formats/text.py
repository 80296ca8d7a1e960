"""Text for a terminal, 40 to 200 columns wide."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from io import StringIO

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.constrain import Constrain
from rich.padding import Padding
from rich.segment import Segment
from rich.style import Style
from rich.table import Table as Grid
from rich.text import Text

from ..medium import Medium
from ..model import (
    Block,
    Callout,
    Code,
    Excerpt,
    KeyValues,
    Mark,
    MemoryPicture,
    Paragraph,
    Plot,
    Report,
    Section,
    Table,
)
from ..quantities import field_text, signed
from ._text_pictures import memory_lines, plot_lines
from ._text_tables import table_lines
from ._text_words import STYLES, longest_word, say, say_lines, styled

SUFFIXES = (".txt",)
_PROSE = 100
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
        for line in _heading(report.title, report.lead, 0, medium):
            console.print(line)
        for block in report.blocks:
            console.print()
            for line in _titled(block, 1, medium):
                console.print(line)
    return "\n".join(line.rstrip() for line in captured.get().rstrip("\n").split("\n")) + "\n"


def _heading(title: str, lead: str, depth: int, medium: Medium) -> Iterator[RenderableType]:
    """A title that is one without bold letters too, and the lead under it."""
    text = styled(say(title, medium), "bold")
    yield text
    rule = _RULES[min(depth, len(_RULES) - 1)]
    if rule:
        yield styled(say(rule, medium) * min(text.cell_len, medium.width), "dim")
    if lead:
        yield _prose(styled(say(lead, medium)))


def _prose(text: Text) -> RenderableType:
    return Constrain(text, _PROSE)


def _titled(block: Block, depth: int, medium: Medium) -> Iterator[RenderableType]:
    """The block under its title, if it has one that its own rendering does not show."""
    if isinstance(block, Section):
        yield from _heading(block.title, block.lead, depth, medium)
        for inner in block.blocks:
            yield Text("")
            yield from _titled(inner, depth + 1, medium)
        return
    title = "" if isinstance(block, Paragraph | Callout) else block.title
    if title:
        yield styled(say(title, medium), "bold")
    yield from _lines(block, medium)


@singledispatch
def _lines(block: object, medium: Medium) -> Iterator[RenderableType]:
    raise AssertionError(f"no text for {block!r}")


@_lines.register
def _(block: Paragraph, medium: Medium) -> Iterator[RenderableType]:
    for part in say_lines(block.text, medium).split("\n"):
        yield _prose(styled(say(signed(part, block.tone), medium), STYLES[block.tone]))


_lines.register(Table, table_lines)
_lines.register(MemoryPicture, memory_lines)
_lines.register(Plot, plot_lines)


@_lines.register
def _(block: KeyValues, medium: Medium) -> Iterator[RenderableType]:
    names = [say(field.name, medium) for field in block.fields]
    room = max(max(map(longest_word, names), default=1), medium.width // 3)
    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", overflow="fold", max_width=room)
    grid.add_column(overflow="fold", max_width=_PROSE)
    for name, field in zip(names, block.fields, strict=True):
        grid.add_row(Text(name), styled(say(signed(field_text(field), field.tone), medium), STYLES[field.tone]))
    yield grid


@_lines.register
def _(block: Code, medium: Medium) -> Iterator[RenderableType]:
    yield Padding(styled(say_lines(block.text, medium)), (0, 0, 0, 4))


@_lines.register
def _(block: Callout, medium: Medium) -> Iterator[RenderableType]:
    parts: list[RenderableType] = [_callout_head(block, medium)]
    if block.text:
        parts.append(_prose(styled(say_lines(block.text, medium))))
    if block.code:
        parts.append(Padding(styled(say_lines(block.code, medium)), (0, 0, 0, 4)))
    yield from (_Barred(part, say("┃ ", medium), STYLES[block.kind.tone]) for part in parts)


def _callout_head(block: Callout, medium: Medium) -> Text:
    kind = say(signed(block.kind.value.capitalize(), block.kind.tone), medium)
    return Text.assemble(
        (kind, f"bold {STYLES[block.kind.tone]}".strip()), f": {say(block.title, medium)}", overflow="fold"
    )


class _Barred:
    """Something with a bar along its left side."""

    def __init__(self, inside: RenderableType, bar: str, style: str) -> None:
        self.inside, self.bar = inside, Segment(bar, Style.parse(style))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in console.render_lines(self.inside, options.update_width(options.max_width - 2), pad=False):
            yield self.bar
            yield from line
            yield Segment.line()


@_lines.register
def _(block: Excerpt, medium: Medium) -> Iterator[RenderableType]:
    yield styled(say(f"{block.path}:{block.first_line}", medium), "dim")
    grid = Grid.grid(padding=(0, 1, 0, 0))
    for justify in ("left", "right", "left", "left"):
        grid.add_column(justify=justify, overflow="fold")
    bar = styled(say("│", medium), "dim")
    for number, line in enumerate(block.lines, block.first_line):
        marks = [mark for mark in block.marks if mark.line == number]
        style = STYLES[marks[0].tone] if marks else "dim"
        pointer = styled(say("»", medium) if marks else " ", style)
        grid.add_row(pointer, styled(str(number), style), bar, styled(say_lines(line, medium)))
        for mark in marks:
            room = medium.width - len(str(number)) - 6
            grid.add_row("", "", bar, styled(_remark(mark, line, room, medium), STYLES[mark.tone]))
    yield grid


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
