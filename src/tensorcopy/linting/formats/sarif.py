"""SARIF 2.1.0, as code scanning on GitHub and editors read it. Files are named relative to the working folder."""

from __future__ import annotations

from collections import Counter

from ...reporting import sarif
from ...reporting.medium import Medium
from ..model import Edit, Finding, Level, Place, Rule
from ..outcome import Outcome
from .gitlab import fingerprint

SUFFIXES = (".sarif", ".sarif.json")


def render(outcome: Outcome, medium: Medium) -> str:
    """The findings as one run, with all rules and their pages."""
    seen: Counter[str] = Counter()
    rules = [_rule(rule, outcome.page(rule.code)) for rule in outcome.rules.values()]
    results = [_result(finding, outcome, seen) for finding in outcome.findings]
    return sarif.document(rules, results, finished=outcome.is_finished)


def _rule(rule: Rule, page: str) -> sarif.Rule:
    return sarif.Rule(
        code=rule.code,
        name=rule.name,
        summary=rule.summary,
        page=page,
        level=rule.level.value,
        enabled=rule.level is not Level.NOTE,
    )


def _result(finding: Finding, outcome: Outcome, seen: Counter[str]) -> sarif.Result:
    return sarif.Result(
        code=finding.code,
        level=finding.level.value,
        message=finding.message,
        place=_location(finding.place),
        related=tuple(_location(place) for place in finding.related),
        fingerprint=fingerprint(finding, outcome, seen),
        fix=_fix(finding),
    )


def _location(place: Place) -> sarif.Location:
    part = f"cell {place.cell}" if place.cell else ""
    return sarif.Location(file=place.file, region=_region(place), message=place.message, part=part)


def _region(span: Place | Edit) -> sarif.Region:
    return sarif.Region(line=span.line, column=span.column, end_line=span.end_line, end_column=span.end_column)


def _fix(finding: Finding) -> sarif.Fix | None:
    fix = finding.fix
    if fix is None or not fix.edits:
        return None
    unsure = "" if fix.safe else " (read it before you keep it)"
    return sarif.Fix(
        title=f"{fix.title}{unsure}",
        file=finding.place.file,
        replacements=tuple((_region(edit), edit.text) for edit in fix.edits),
    )
