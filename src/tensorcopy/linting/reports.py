"""An outcome as a report, for the formats that show any report: Markdown, HTML, and what notebooks print."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from ..reporting.drawings import Excerpt, Mark
from ..reporting.model import Block, Callout, CalloutKind, Report, Section
from ..reporting.values import Tone
from .formats._wording import fixable, summary, where
from .formats.json import as_data
from .model import Finding, Level, Place
from .outcome import Outcome

_KINDS = {Level.ERROR: CalloutKind.ERROR, Level.WARNING: CalloutKind.WARNING, Level.NOTE: CalloutKind.NOTE}


def report_of(outcome: Outcome) -> Report:
    """The findings by file, each with its excerpts."""
    sections = tuple(
        Section(title=file, blocks=tuple(block for finding in group for block in _blocks(finding, outcome)))
        for file, group in groupby(outcome.findings, key=lambda finding: finding.place.file)
    )
    lead = " ".join(filter(None, [summary(outcome), fixable(outcome)]))
    data = {"findings": [as_data(finding) for finding in outcome.findings]}
    return Report(title="tensorcopy check", lead=lead, blocks=sections, data=data)


def _blocks(finding: Finding, outcome: Outcome) -> Iterator[Block]:
    title = f"{where(finding.place)} {finding.code} {finding.name}"
    text = f"{finding.message}\n{finding.fix.said}" if finding.fix else finding.message
    yield Callout(kind=_KINDS[finding.level], title=title, text=text)
    places = sorted((finding.place, *finding.related), key=lambda p: (p.file != finding.place.file, p))
    for (file, cell, line), group in groupby(places, key=lambda place: (place.file, place.cell, place.line)):
        lines = outcome.contents.lines(file, cell)
        if line <= len(lines):
            marks = tuple(_mark(place, finding, lines[line - 1]) for place in group)
            path = f"{file}:cell {cell}" if cell else file
            yield Excerpt(path=path, first_line=line, lines=(lines[line - 1],), marks=marks)


def _mark(place: Place, finding: Finding, line: str) -> Mark:
    """The remark on a place: its message, or the name of the rule where the finding itself is."""
    is_main = place is finding.place
    end = place.end_column - 1 if place.end_line == place.line else len(line)
    return Mark(
        line=place.line,
        text=place.message or (finding.name if is_main else ""),
        tone=_KINDS[finding.level].tone if is_main else Tone.NEUTRAL,
        columns=(place.column - 1, end),
    )
