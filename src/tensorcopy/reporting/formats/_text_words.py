"""Text for one medium: safe to print, in ASCII where the medium has nothing else, and folded to fit its width."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len

from ..escaping import visible, visible_lines
from ..medium import Medium

_ASCII = str.maketrans({
    "✓": "+", "✗": "x", "–": "-", "—": "-", "−": "-", "·": "-", "…": "...", "×": "x", "µ": "u", "±": "+/-",
    "∞": "inf", "→": "->", "≥": ">=", "≤": "<=", "\u2018": "'", "’": "'", "“": '"', "”": '"',
    "─": "-", "═": "=", "│": "|", "┃": "|", "█": "#", "▒": "%", "▓": "=", "├": "|", "┤": "|", "»": ">",
})  # fmt: skip


def say(text: str, medium: Medium) -> str:
    """*text* on one line."""
    return _shown(visible(text), medium)


def say_lines(text: str, medium: Medium) -> str:
    """*text* with its line ends."""
    return _shown(visible_lines(text), medium)


def longest_word(text: str) -> int:
    """Columns that the longest word takes."""
    return max((cell_len(word) for word in text.split()), default=0)


def folded(text: str, width: int) -> list[str]:
    """*text* as lines of at most *width* columns, broken at spaces, and within a word only if it is longer itself."""
    return [line for part in text.split("\n") for line in folded_line(part, width)]


def folded_line(text: str, width: int, hang: str = "") -> Iterator[str]:
    """One line as lines of at most *width* columns; all but the first begin with *hang*."""
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


def folded_code(text: str, width: int) -> str:
    """Code broken after spaces and signs where its lines are wider than *width*, as far as its names allow."""
    lines = [""]
    for part in re.split(r"(?<=[ ._(,=])|(?<=\[)(?!\d+\]$)|(?<=\n)", text):
        if cell_len((lines[-1] + part).rstrip()) > width and lines[-1].strip():
            lines.append("")
        lines[-1] += part
        lines += [""] * part.endswith("\n")
    return "\n".join(line.rstrip() for line in lines)


def widest(text: str) -> int:
    """Columns that the widest line takes."""
    return max(map(cell_len, text.split("\n")))


def _shown(text: str, medium: Medium) -> str:
    return text.translate(_ASCII).encode("ascii", "backslashreplace").decode() if medium.ascii else text


def _start(word: str, width: int) -> str:
    """The longest start that fits, of one letter at the least."""
    end = 1
    while end < len(word) and cell_len(word[: end + 1]) <= width:
        end += 1
    return word[:end]
