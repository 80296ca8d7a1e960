"""Other people's text made safe to show: no character in it may act on a terminal, a page or the order of reading."""

from __future__ import annotations

import re

# C0 and C1 controls, marks and overrides of writing direction, line separators, lone surrogates, the byte order mark.
_ACTING = r"\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff"
_IN_A_LINE = re.compile(f"[{_ACTING}]")
_IN_LINES = re.compile(f"(?![\n])[{_ACTING}]")


def visible(text: str) -> str:
    r"""*text* on one line, each acting character written as Python would write it: ``\x1b``, ``\n``, ``\u202e``."""
    return _IN_A_LINE.sub(_written_out, text)


def visible_lines(text: str) -> str:
    """The same, but line ends stay line ends and tabs become four-column stops."""
    ended = re.sub("\r\n?", "\n", text)
    return "\n".join(_IN_LINES.sub(_written_out, line.expandtabs(4)) for line in ended.split("\n"))


def _written_out(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
