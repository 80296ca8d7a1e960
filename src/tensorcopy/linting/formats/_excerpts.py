"""Findings laid out in lines: heading, message, lines of source with signs under the places. No markup is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.cells import cell_len

from ...reporting.formats._text_words import folded, say, say_lines
from ...reporting.medium import Medium
from ..model import Finding, Level, Place
from ..outcome import Outcome
from ._wording import FIXABLE, fixable, mark, summary, where

_PROSE, _INDENT = 100, 2
_BOLD, _DIM, _CYAN, _GREEN = "1", "2", "36", "32"
_COLORS = {Level.ERROR: "31", Level.WARNING: "33", Level.NOTE: "34"}


def text_of(outcome: Outcome, medium: Medium) -> str:
    """The findings with excerpts and a summary, in lines no longer than the medium is wide."""
    parts = [_finding(finding, outcome, medium) for finding in outcome.findings]
    parts.append(_closing(outcome, medium))
    return "\n".join("".join(f"{line.rstrip()}\n" for line in part) for part in parts)


def _closing(outcome: Outcome, medium: Medium) -> Iterator[str]:
    yield from (_styled(line, _BOLD, medium) for line in folded(say(summary(outcome), medium), medium.width))
    yield from folded(fixable(outcome), medium.width) if fixable(outcome) else ()


def _finding(finding: Finding, outcome: Outcome, medium: Medium) -> Iterator[str]:
    yield from _heading(finding, medium)
    room = min(medium.width, _PROSE) - _INDENT
    yield from (" " * _INDENT + line for line in folded(say(finding.message, medium), room))
    places = [finding.place, *finding.related]
    main = (finding.place.file, finding.place.cell)
    places.sort(key=lambda p: ((p.file, p.cell) != main, p.file, p.cell, p.line, p.column))
    for (file, cell), group in groupby(places, key=lambda place: (place.file, place.cell)):
        here = list(group)
        if (file, cell) != main:
            yield _styled(" " * _INDENT + say(where(here[0]), medium), _DIM, medium)
        yield from _excerpt(here, finding, outcome.contents.lines(file, cell), medium)
    yield from _fix(finding, medium)


def _heading(finding: Finding, medium: Medium) -> Iterator[str]:
    """Where it is, how bad it is and which rule says so; on two lines where one is too narrow."""
    place = say(where(finding.place), medium)
    label = f"{finding.level.value} {finding.code}"
    rest = " ".join(filter(None, [finding.name, mark(finding)]))
    shown = f"{_styled(label, f'{_BOLD};{_COLORS[finding.level]}', medium)} {rest}"
    if cell_len(f"{place}  {label} {rest}") <= medium.width:
        yield f"{_styled(place, _BOLD, medium)}  {shown}"
    else:
        yield from (_styled(line, _BOLD, medium) for line in folded(place, medium.width))
        yield " " * _INDENT + shown


def _excerpt(places: Sequence[Place], finding: Finding, lines: Sequence[str], medium: Medium) -> Iterator[str]:
    """The first lines of the places, each with what happens there under it."""
    digits = len(str(max(place.line for place in places)))
    last = places[0].line
    for line, group in groupby(places, key=lambda place: place.line):
        if line > last + 1:
            yield _margin("", digits, medium, bar="┆")
        if line <= len(lines):
            yield from _marked_line(lines[line - 1], list(group), finding, digits, medium)
        last = line


def _marked_line(line: str, places: Sequence[Place], finding: Finding, digits: int, medium: Medium) -> Iterator[str]:
    room = medium.width - _INDENT - digits - 3
    start, end = _columns(line, places[0], medium)
    shown, left = _window(say_lines(line, medium), start, end, room, medium)
    yield _margin(str(places[0].line), digits, medium) + shown
    for place in places:
        start, end = (max(column - left, 0) for column in _columns(line, place, medium))
        style, sign = (_COLORS[finding.level], "^") if place is finding.place else (_CYAN, "-")
        for text in _remark(place, start, min(end, room), sign, room, medium):
            yield _margin("", digits, medium) + _styled(text, style, medium)


def _columns(line: str, place: Place, medium: Medium) -> tuple[int, int]:
    """From which column on a place is shown, and up to which; up to the end of the line if it goes on below."""
    ends = place.end_column if place.end_line == place.line else len(line) + 1
    start = cell_len(say_lines(line[: place.column - 1], medium))
    return start, max(cell_len(say_lines(line[: ends - 1], medium)), start + 1)


def _window(text: str, start: int, end: int, room: int, medium: Medium) -> tuple[str, int]:
    """The part of a line that fits and has the columns in it, and how many columns are left out before it."""
    if cell_len(text) <= room:
        return text, 0
    dots = say("…", medium)
    left = 0 if end <= room - len(dots) else min(max(start - room // 4, 0), max(cell_len(text) - room, 0))
    cut = _cut(text, left, room)
    if left:
        cut = dots + _cut(cut, len(dots), room)
    if left + room < cell_len(text):
        cut = _cut(cut, 0, room - len(dots)) + dots
    return cut, left


def _cut(text: str, start: int, width: int) -> str:
    """The columns of *text* from *start* on, at most *width*; half of a wide letter becomes a space."""
    kept, column = [], 0
    for letter in text:
        size = cell_len(letter)
        if column >= start and column + size <= start + width:
            kept.append(letter)
        elif column < start < column + size:
            kept.append(" ")
        column += size
    return "".join(kept)


def _remark(place: Place, start: int, end: int, sign: str, room: int, medium: Medium) -> Iterator[str]:
    """Signs under the place and its message behind them, or below where that does not fit."""
    start = min(start, room - 1)
    carets = " " * start + sign * max(end - start, 1)
    text = say(place.message, medium)
    if not text or cell_len(f"{carets} {text}") <= room:
        yield f"{carets} {text}".rstrip()
        return
    yield carets
    indent = min(start, room // 3)
    yield from (" " * indent + line for line in folded(text, room - indent))


def _fix(finding: Finding, medium: Medium) -> Iterator[str]:
    if finding.fix is None:
        return
    lines = folded(say(finding.fix.said, medium), min(medium.width, _PROSE) - _INDENT)
    yield from (" " * _INDENT + _styled(line, _GREEN, medium) for line in lines)


def _margin(number: str, digits: int, medium: Medium, bar: str = "│") -> str:
    bar = (":" if bar == "┆" else "|") if medium.ascii else bar
    return " " * _INDENT + _styled(f"{number:>{digits}} {bar}", _DIM, medium) + " "


def _styled(text: str, style: str, medium: Medium) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if medium.color and text.strip() else text


def statistics(outcome: Outcome, medium: Medium) -> str:
    """How many findings of each rule, the most frequent first."""
    fixed = {finding.code for finding in outcome.findings if finding.fix and finding.fix.safe}
    digits = max((len(f"{number:,}") for number in outcome.counts.values()), default=0)
    lines = []
    for code, number in outcome.counts.items():
        rule = outcome.rules[code]
        label = _styled(f"{code} {rule.level.value:<7}", _COLORS[rule.level], medium)
        star = FIXABLE if code in fixed else " " * len(FIXABLE)
        lines.append(f"{number:>{digits},}  {label}  {star}  {rule.name}")
    return "".join(f"{line}\n" for line in [*lines, *_closing(outcome, medium)])
