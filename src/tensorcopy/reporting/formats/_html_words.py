"""Text as HTML: nothing in it can open a tag, end an attribute or act on the page."""

from __future__ import annotations

import re
from html import escape

from ..escaping import visible, visible_lines
from ..quantities import SIGNS
from ..values import Tone

_SPOKEN = {Tone.GOOD: "good", Tone.WARN: "caution", Tone.BAD: "bad"}


def esc(text: str) -> str:
    """*text* on one line, for content and for quoted attributes."""
    return escape(visible(text))


def esc_lines(text: str) -> str:
    """The same over several lines, for where white space is kept."""
    return escape(visible_lines(text))


def breakable(text: str) -> str:
    """Code that may be broken after a sign but within no name."""
    return re.sub(r"(?<=[._(,=\[])(?=\w)", "<wbr>", esc_lines(text))


def broken(text: str) -> str:
    """The same, each line ended by a break."""
    return esc_lines(text).replace("\n", "<br>")


def sign(tone: Tone) -> str:
    """The sign of a tone, with a word for those who cannot see it."""
    return f'<span role="img" aria-label="{_SPOKEN[tone]}">{SIGNS[tone]}</span> ' if tone in _SPOKEN else ""


def tone_class(tone: Tone) -> str:
    """The class of a tone; empty for a neutral one."""
    return "" if tone is Tone.NEUTRAL else tone.value
