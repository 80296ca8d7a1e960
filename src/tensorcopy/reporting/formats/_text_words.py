"""Text for one medium: safe to print, and in ASCII where the medium has nothing else."""

from __future__ import annotations

import re

from rich.cells import cell_len

from ..escaping import visible, visible_lines
from ..medium import Medium
from ..values import Tone

STYLES = {Tone.NEUTRAL: "", Tone.GOOD: "green", Tone.WARN: "yellow", Tone.BAD: "red"}
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
