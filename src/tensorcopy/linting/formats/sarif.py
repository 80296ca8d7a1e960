"""SARIF 2.1.0, the standard for the results of static analysis, as code scanning on GitHub and editors read it.

Files are named relative to the folder that was checked from. A column counts characters.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ... import __version__
from ...reporting.medium import Medium
from ..model import Edit, Finding, Fix, Level, Place, Rule
from ..outcome import Outcome
from .gitlab import fingerprint

SUFFIXES = (".sarif", ".sarif.json")
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "SRCROOT"
_Object = dict[str, Any]


def render(outcome: Outcome, medium: Medium) -> str:
    """The findings as one run, with all rules and their pages."""
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(outcome)]}, indent=2) + "\n"


def _run(outcome: Outcome) -> _Object:
    numbers = {code: number for number, code in enumerate(outcome.rules)}
    seen: Counter[str] = Counter()
    driver = {
        "name": "tensorcopy",
        "semanticVersion": __version__,
        "rules": [_rule(rule, outcome.page(rule.code)) for rule in outcome.rules.values()],
    }
    return {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"uri": Path.cwd().as_uri().rstrip("/") + "/"}},
        "invocations": [{"executionSuccessful": outcome.is_finished}],
        "results": [_result(finding, numbers[finding.code], outcome, seen) for finding in outcome.findings],
    }


def _rule(rule: Rule, page: str) -> _Object:
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.summary},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": rule.level.value, "enabled": rule.level is not Level.NOTE},
        "properties": {"tags": ["tensorcopy", rule.name]},
    }


def _result(finding: Finding, number: int, outcome: Outcome, seen: Counter[str]) -> _Object:
    result: _Object = {
        "ruleId": finding.code,
        "ruleIndex": number,
        "level": finding.level.value,
        "message": {"text": finding.message},
        "locations": [_location(finding.place)],
        "partialFingerprints": {"tensorcopy/v1": fingerprint(finding, outcome, seen)},
    }
    if finding.related:
        result["relatedLocations"] = [
            {"id": number, **_location(place)} for number, place in enumerate(finding.related, 1)
        ]
    if finding.fix and finding.fix.edits:
        result["fixes"] = [_fix(finding.fix, finding.place)]
    return result


def _location(place: Place) -> _Object:
    location: _Object = {"physicalLocation": {"artifactLocation": _artifact(place.file), "region": _region(place)}}
    if place.message:
        location["message"] = {"text": place.message}
    if place.cell:
        location["logicalLocations"] = [{"name": f"cell {place.cell}"}]
    return location


def _artifact(file: str) -> _Object:
    if os.path.isabs(file):
        return {"uri": Path(file).as_uri()}
    return {"uri": quote(file.replace(os.sep, "/").encode("utf-8", "surrogateescape")), "uriBaseId": _ROOT}


def _region(span: Place | Edit) -> _Object:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _fix(fix: Fix, place: Place) -> _Object:
    replacements = [{"deletedRegion": _region(edit), "insertedContent": {"text": edit.text}} for edit in fix.edits]
    unsure = "" if fix.safe else " (read it before you keep it)"
    return {
        "description": {"text": f"{fix.title}{unsure}"},
        "artifactChanges": [{"artifactLocation": _artifact(place.file), "replacements": replacements}],
    }
