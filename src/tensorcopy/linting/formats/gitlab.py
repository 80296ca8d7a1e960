"""A code quality report as GitLab reads it, which shows findings in merge requests."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from ...reporting.medium import Medium
from ...reporting.sarif import fingerprint_of
from ..model import Finding, Level
from ..outcome import Outcome
from ._wording import sentences

SUFFIXES = ()
_SEVERITIES = {Level.ERROR: "critical", Level.WARNING: "major", Level.NOTE: "info"}


def render(outcome: Outcome, medium: Medium) -> str:
    """The findings as a JSON list."""
    seen: Counter[str] = Counter()
    return json.dumps([_entry(finding, outcome, seen) for finding in outcome.findings], indent=2) + "\n"


def _entry(finding: Finding, outcome: Outcome, seen: Counter[str]) -> dict[str, Any]:
    place = finding.place
    return {
        "type": "issue",
        "check_name": finding.name,
        "description": f"{finding.code}: {finding.message}",
        "content": {"body": "\n\n".join(sentences(finding))},
        "categories": ["Bug Risk"],
        "severity": _SEVERITIES[finding.level],
        "fingerprint": fingerprint(finding, outcome, seen),
        "location": {
            "path": place.file.replace("\\", "/"),
            "positions": {
                "begin": {"line": place.line, "column": place.column},
                "end": {"line": place.end_line, "column": place.end_column},
            },
        },
    }


def fingerprint(finding: Finding, outcome: Outcome, seen: Counter[str]) -> str:
    """A text that stays the same while the line moves, and differs between findings. *seen* tells equal lines apart."""
    return fingerprint_of(finding.place.file, finding.code, outcome.contents.line_of(finding), seen)
