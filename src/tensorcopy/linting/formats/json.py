"""JSON for programs. Stable: what is there keeps its name and meaning while ``schema`` stays the same number.

Lines and columns count from 1, columns in characters, ends are the first column after. All characters are ASCII.
"""

from __future__ import annotations

import json
from typing import Any

from ...reporting.medium import Medium
from ..model import Edit, Finding, Fix, Level, Place
from ..outcome import Outcome

SUFFIXES = (".json",)
SCHEMA = 1


def render(outcome: Outcome, medium: Medium) -> str:
    """The findings and a summary as one JSON object on several lines."""
    value = {"schema": SCHEMA, "findings": [as_data(f) for f in outcome.findings], "summary": _summary(outcome)}
    return json.dumps(value, indent=2) + "\n"


def as_data(finding: Finding) -> dict[str, Any]:
    """A finding in JSON types."""
    return {
        "code": finding.code,
        "name": finding.name,
        "level": finding.level.value,
        "message": finding.message,
        **_place(finding.place),
        "related": [{**_place(place), "message": place.message} for place in finding.related],
        "fix": _fix(finding.fix) if finding.fix else None,
    }


def _place(place: Place) -> dict[str, Any]:
    cell = {"cell": place.cell} if place.cell else {}
    return {"file": place.file, **cell, **_span(place)}


def _span(place: Place | Edit) -> dict[str, int]:
    return {
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
    }


def _fix(fix: Fix) -> dict[str, Any]:
    edits = [{**({"cell": e.cell} if e.cell else {}), **_span(e), "text": e.text} for e in fix.edits]
    return {"title": fix.title, "safe": fix.safe, "edits": edits}


def _summary(outcome: Outcome) -> dict[str, Any]:
    return {
        "files": outcome.files,
        "lines": outcome.lines,
        **{f"{level.value}s": sum(f.level is level for f in outcome.findings) for level in Level},
        "silenced": outcome.silenced,
        "in_baseline": outcome.known,
        "counts": dict(outcome.counts),
    }
