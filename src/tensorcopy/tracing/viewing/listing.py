"""The source of the program with the bytes that each line copied beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...reporting.drawings import Amount, Amounts, Excerpt, Mark
from ...reporting.model import Paragraph, Section
from ...reporting.values import Column, Tone, ValueType
from ..captures.capture import Capture, CopyLine, Finding
from ..kinds import here_of
from .files import Files
from .telling import anchor_of
from .totals import by_line

_WHOLE, _AROUND = 400, 6
_COPIED = Column(name="copied", type=ValueType.BYTES)
_TONES = {"error": Tone.BAD, "warning": Tone.WARN}


def listings(capture: Capture, found: Sequence[Finding], files: Files) -> Iterator[Section]:
    """A section for each file whose text the capture has, that of most bytes first.

    found: the findings of the capture in the order in which the report numbers them.
    """
    lines = by_line(capture.copies)
    amounts = {place: sum(c.bytes for c in copies) for place, copies in lines.items()}
    full = float(max(amounts.values(), default=0))
    sums = {file: sum(size for (f, _), size in amounts.items() if f == file) for file in files.texts}
    for file in sorted(files.texts, key=lambda f: -sums[f]):
        marks = sorted(_marks(found, files, file), key=lambda mark: mark.line)
        beside = [
            Amount(line=line, value=amounts[f, line], note=_note(lines[f, line]))
            for f, line in amounts
            if f == file and 0 < line <= len(files.lines(file))
        ]
        blocks = tuple(_excerpts(files, file, marks, beside, full))
        if blocks:
            yield Section(title=files.name(file), blocks=blocks)


def _marks(findings: Sequence[Finding], files: Files, file: str) -> Iterator[Mark]:
    for number, finding in enumerate(findings, 1):
        if finding.place.file == file and files.has(finding.place):
            text = f"{finding.code} {finding.name}: {here_of(finding.name)}"
            tone = _TONES.get(finding.level, Tone.NEUTRAL)
            yield Mark(line=finding.place.line, text=text, tone=tone, target=anchor_of(number))


def _note(copies: Sequence[CopyLine]) -> str:
    """``240 × cast (forward), 3 × clone (backward)``."""
    return ", ".join(f"{c.count:,} × {c.kind or c.operation}{f' ({c.phase})' * bool(c.phase)}" for c in copies[:4])


def _excerpts(
    files: Files, file: str, marks: Sequence[Mark], beside: Sequence[Amount], full: float
) -> Iterator[Excerpt | Paragraph]:
    """The whole file if it is short, else the lines around those of which there is something to say."""
    text = files.lines(file)
    told = sorted({mark.line for mark in marks} | {amount.line for amount in beside})
    for first, last in [(1, len(text))] if len(text) <= _WHOLE else _stretches(told, len(text)):
        yield Excerpt(
            path=files.name(file),
            first_line=first,
            lines=tuple(text[first - 1 : last]),
            marks=tuple(mark for mark in marks if first <= mark.line <= last),
            amounts=Amounts(
                column=_COPIED, lines=tuple(a for a in beside if first <= a.line <= last), full=full or 1.0
            ),
            anchor=files.anchor(file),
        )


def _stretches(lines: Sequence[int], last: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for line in lines:
        first, end = max(line - _AROUND, 1), min(line + _AROUND, last)
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], end)
        else:
            found.append((first, end))
    return found
