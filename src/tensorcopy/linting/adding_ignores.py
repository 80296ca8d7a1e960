"""``# noqa`` comments for findings that are to stay, as edits."""

from __future__ import annotations

import io
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from . import upkeep
from .ignoring import Ignore, ignores_in
from .model import Edit, Finding


def comments_for(lines: Sequence[str], findings: Iterable[Finding], cell: int = 0) -> tuple[Edit, ...]:
    """Edits that put a comment on the line of each finding, or add its code to the one that is there.

    lines: those of the file, or of the cell of that number. A line in the middle of a text over several lines, or one
    that a backslash goes on from, has no room for a comment; it then stands where these end.
    """
    text = "\n".join(lines)
    ends = _ends(text, lines)
    wanted: dict[int, dict[str, None]] = defaultdict(dict)
    for finding in findings:
        if finding.code not in upkeep.RULES and finding.place.line <= len(lines):
            wanted[_end(finding.place.line, ends)][finding.code] = None
    present = {ignore.line: ignore for ignore in ignores_in(text) if ignore.codes and not ignore.own}
    return tuple(_edit(line, list(codes), lines[line - 1], present.get(line), cell) for line, codes in wanted.items())


def _edit(line: int, codes: list[str], text: str, present: Ignore | None, cell: int) -> Edit:
    if present is None:
        start, end = len(text.rstrip()) + 1, len(text) + 1
        comment = f"  # noqa: {', '.join(codes)}"
    else:
        start, end = present.column, present.end_column
        comment = f"# noqa: {', '.join(dict.fromkeys([*present.codes, *codes]))}"
    return Edit(line=line, column=start, end_line=line, end_column=end, text=comment, cell=cell)


def _ends(text: str, lines: Sequence[str]) -> Mapping[int, int]:
    """For each line that has no room for a comment, a line after it that has some, or leads to one."""
    ends = {number: number + 1 for number, line in enumerate(lines[:-1], 1) if line.endswith("\\")}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.end[0] > token.start[0] and token.string.strip():
                ends |= dict.fromkeys(range(token.start[0], token.end[0]), token.end[0])
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass
    return ends


def _end(line: int, ends: Mapping[int, int]) -> int:
    while line in ends:
        line = ends[line]
    return line
