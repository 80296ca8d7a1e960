"""A capture as a report: what to fix first, then the copies by line."""

from __future__ import annotations

import json
from pathlib import Path

from ..reporting.model import (
    Callout,
    CalloutKind,
    Cell,
    Code,
    Column,
    Paragraph,
    Report,
    Section,
    Table,
    Tone,
    ValueType,
)
from .capture import Capture, CopyLine, Finding, Spot

_MOST_LINES = 20
_KINDS = {"error": CalloutKind.ERROR, "warning": CalloutKind.WARNING}


def report_of(capture: Capture) -> Report:
    """What a run showed."""
    errors = sum(f.level == "error" for f in capture.findings)
    warnings = len(capture.findings) - errors
    found = f"{errors} error{'s' * (errors != 1)}, {warnings} warning{'s' * (warnings != 1)}"
    steps = f"{capture.steps} optimizer step{'s' * (capture.steps != 1)}"
    good = Tone.GOOD if capture.ended == "normally" else Tone.WARN
    summary = Paragraph(
        text=f"{' '.join(capture.command)} ended {capture.ended} after {steps}: {found}.",
        tone=Tone.BAD if errors else Tone.WARN if warnings else good,
    )
    findings = tuple(block for finding in capture.findings for block in _finding(finding))
    sections = [Section(title="What to fix first", blocks=findings)] if findings else []
    if capture.copies:
        sections.append(Section(title="Copies by line", blocks=(_copies(capture.copies),)))
    if capture.limits:
        notes = tuple(Paragraph(text=limit, tone=Tone.WARN) for limit in capture.limits)
        sections.append(Section(title="What was not seen", blocks=notes))
    return Report(title="Traced run", blocks=(summary, *sections))


def _finding(finding: Finding) -> tuple[Callout | Code, ...]:
    times = f" ({finding.count} times)" if finding.count > 1 else ""
    places = [f"{_where(finding.place)}  {finding.place.code}"]
    places += [f"{_where(spot)}  {spot.code}  <- {spot.message}" for spot in finding.related]
    return (
        Callout(
            kind=_KINDS.get(finding.level, CalloutKind.NOTE),
            title=f"{finding.code} {finding.name}{times}",
            text=finding.message,
            code="\n".join(places),
        ),
    )


def _where(spot: Spot) -> str:
    return f"{Path(spot.file).name}:{spot.line}"


def _copies(copies: tuple[CopyLine, ...]) -> Table:
    columns = (
        Column(name="line", type=ValueType.CODE),
        Column(name="operation"),
        Column(name="phase"),
        Column(name="count", type=ValueType.NUMBER),
        Column(name="copied", type=ValueType.BYTES),
        Column(name="time", type=ValueType.TIME),
        Column(name="code", type=ValueType.CODE),
    )
    rows = tuple(
        (
            Cell(value=_where(c.place) if c.place.file else "(library)"),
            Cell(value=c.operation, note=c.avoidable, tone=Tone.WARN if c.avoidable else Tone.NEUTRAL),
            Cell(value=c.phase),
            Cell(value=c.count),
            Cell(value=c.bytes),
            Cell(value=c.seconds),
            Cell(value=c.place.code),
        )
        for c in copies[:_MOST_LINES]
    )
    rest = copies[_MOST_LINES:]
    notes = (f"{len(rest)} more lines with {sum(c.bytes for c in rest):,} bytes",) if rest else ()
    return Table(columns=columns, rows=rows, notes=notes)


def findings_json(capture: Capture) -> str:
    """The findings in the shape that ``tensorcopy check --output-format json`` has, with the copies beside them."""
    found = [
        {
            "code": f.code,
            "name": f.name,
            "level": f.level,
            "message": f.message,
            "file": f.place.file,
            "line": f.place.line,
            "count": f.count,
            "related": [{"file": s.file, "line": s.line, "message": s.message} for s in f.related],
        }
        for f in capture.findings
    ]
    copies = [
        {
            "file": c.place.file,
            "line": c.place.line,
            "operation": c.operation,
            "phase": c.phase,
            "count": c.count,
            "bytes": c.bytes,
            "seconds": c.seconds,
            "avoidable": c.avoidable,
        }
        for c in capture.copies
    ]
    whole = {
        "command": list(capture.command),
        "steps": capture.steps,
        "ended": capture.ended,
        "findings": found,
        "copies": copies,
        "limits": list(capture.limits),
    }
    return json.dumps(whole, indent=2) + "\n"
