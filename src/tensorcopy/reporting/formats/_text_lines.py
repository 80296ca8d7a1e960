"""Lines of text that fit their width: styled, side by side. Nothing in them is markup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from rich.text import Text

from ..values import Align, Tone
from ._text_words import folded, folded_line

GAP = 2
STYLES = {Tone.NEUTRAL: "", Tone.GOOD: "green", Tone.WARN: "yellow", Tone.BAD: "red"}


def styled(text: str, width: int, style: str = "", *, indent: int = 0) -> list[Text]:
    """The same in a style, each line set in by some columns of the width."""
    return [Text(" " * indent).append(line, style) for line in folded(text, width - indent)]


def code_lines(text: str, width: int, *, indent: int) -> list[Text]:
    """Lines of code. What is longer than the width goes on further in than its line began, so that no block ends."""
    room = width - indent
    return [
        Text(" " * indent + part) for line in text.split("\n") for part in folded_line(line, room, _hang(line, room))
    ]


def _hang(line: str, width: int) -> str:
    return " " * min(len(line) - len(line.lstrip()) + 2 * GAP, width // 2)


def side_by_side(
    cells: Sequence[Sequence[Text]], widths: Sequence[int], sides: Sequence[Align] | None = None, *, gap: int = GAP
) -> Iterator[Text]:
    """Cells of some lines each as columns of these *widths*, which the lines must not exceed."""
    sides = sides or [Align.LEFT] * len(cells)
    for parts in zip_longest(*cells, fillvalue=Text("")):
        line = Text()
        for part, width, side in zip(parts, widths, sides, strict=True):
            space = " " * (width - part.cell_len)
            line.append_text(Text(space) + part if side is Align.RIGHT else part + Text(space)).append(" " * gap)
        line.rstrip()
        yield line
