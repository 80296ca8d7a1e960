"""Lines of text that fit their width: folded, styled, side by side. Nothing in them is markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from rich.cells import cell_len
from rich.text import Text

from ..values import Align

GAP = 2


def folded(text: str, width: int) -> list[str]:
    """*text* as lines of at most *width* columns, broken at spaces, and within a word only if it is longer itself."""
    return [line for part in text.split("\n") for line in _folded_line(part, width)]


def styled(text: str, width: int, style: str = "", *, indent: int = 0) -> list[Text]:
    """The same in a style, each line set in by some columns of the width."""
    return [Text(" " * indent).append(line, style) for line in folded(text, width - indent)]


def code_lines(text: str, width: int, *, indent: int) -> list[Text]:
    """Lines of code. What is longer than the width goes on further in than its line began, so that no block ends."""
    room = width - indent
    return [
        Text(" " * indent + part) for line in text.split("\n") for part in _folded_line(line, room, _hang(line, room))
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


def _folded_line(text: str, width: int, hang: str = "") -> Iterator[str]:
    line = ""
    for word in re.findall(r"\s*\S+", text):
        if cell_len(line + word) <= width:
            line += word
            continue
        if line:
            yield line
            word = hang + word.lstrip()
        while cell_len(word) > width:
            start = _start(word, width)
            yield start
            word = hang + word[len(start) :]
        line = word
    yield line


def _start(word: str, width: int) -> str:
    """The longest start that fits, of one letter at the least."""
    end = 1
    while end < len(word) and cell_len(word[: end + 1]) <= width:
        end += 1
    return word[:end]
