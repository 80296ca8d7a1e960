"""JSON for programs, in the shape of ``tensorcopy check``.

Stable: what is there keeps its name and meaning while ``schema`` stays the same number. Sizes are bytes, times seconds;
all characters are ASCII.
"""

from __future__ import annotations

import json
from typing import Any

from ...captures.capture import Capture, CopyLine, Finding, Process, Spot
from ..files import Files
from ..reporting import in_order
from ..rewriting import instead
from ..totals import Total, by_kind, by_phase, total_of

SUFFIXES = (".json",)
SCHEMA = 1
_Object = dict[str, Any]


def render(capture: Capture) -> str:
    """The findings, worst first, and the copies, most bytes first, as one JSON object on several lines."""
    files = Files.of(capture)
    whole = {
        "schema": SCHEMA,
        "command": list(capture.command),
        "steps": capture.steps,
        "ended": capture.ended,
        "processes": [_process(process) for process in capture.processes],
        "findings": [_finding(finding, files) for finding in in_order(capture)],
        "copies": [_copy(copy) for copy in capture.copies],
        "totals": {
            "all": _total(total_of("", capture.copies)),
            "kinds": {t.name: _total(t) for t in by_kind(capture.copies)},
            "phases": {t.name: _total(t) for t in by_phase(capture.copies)},
        },
        "limits": list(capture.limits),
        "releases": capture.releases,
    }
    return json.dumps(whole, indent=2) + "\n"


def _finding(finding: Finding, files: Files) -> _Object:
    return {
        "code": finding.code,
        "name": finding.name,
        "level": finding.level,
        "message": finding.message,
        **_place(finding.place),
        "count": finding.count,
        "only": list(finding.only),
        "related": [{**_place(spot), "message": spot.message} for spot in finding.related],
        "names": list(finding.names),
        "instead": instead(finding, files.text),
    }


def _copy(copy: CopyLine) -> _Object:
    return {
        **_place(copy.place),
        "operation": copy.operation,
        "kind": copy.kind or copy.operation,
        "phase": copy.phase,
        "count": copy.count,
        "bytes": copy.bytes,
        "seconds": copy.seconds,
        "avoidable": copy.avoidable,
        "saved_bytes": copy.saved,
    }


def _place(spot: Spot) -> _Object:
    return {"file": spot.file, "line": spot.line}


def _total(total: Total) -> _Object:
    return {"count": total.count, "bytes": total.bytes, "seconds": total.seconds, "saved_bytes": total.saved}


def _process(process: Process) -> _Object:
    return {
        "role": process.role,
        "rank": process.rank,
        "pid": process.pid,
        "ended": process.ended,
        "steps": process.steps,
        "seconds": process.timeline.seconds,
    }
