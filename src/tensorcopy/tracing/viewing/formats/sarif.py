"""SARIF 2.1.0 of the findings of a run. Files are named relative to the working folder."""

from __future__ import annotations

from collections import Counter

from ....reporting import sarif
from ...captures.capture import Capture, Finding, Spot
from ...kinds import KINDS, Kind, page_of
from ..reporting import in_order

SUFFIXES = (".sarif", ".sarif.json")
_LEVELS = ("error", "warning", "note")


def render(capture: Capture) -> str:
    """The findings as one run, with all kinds of findings and their pages."""
    seen: Counter[str] = Counter()
    results = [_result(finding, seen) for finding in in_order(capture)]
    return sarif.document([_rule(kind) for kind in KINDS.values()], results, finished=True)


def _rule(kind: Kind) -> sarif.Rule:
    return sarif.Rule(code=kind.code, name=kind.name, summary=kind.when, page=page_of(kind), level=kind.level)


def _result(finding: Finding, seen: Counter[str]) -> sarif.Result:
    place = finding.place
    return sarif.Result(
        code=finding.code,
        level=finding.level if finding.level in _LEVELS else "none",
        message=finding.message,
        place=_location(place),
        related=tuple(_location(spot) for spot in finding.related),
        fingerprint=sarif.fingerprint_of(place.file, finding.code, place.code, seen),
    )


def _location(spot: Spot) -> sarif.Location:
    return sarif.Location(file=spot.file, region=sarif.Region(line=max(spot.line, 1)), message=spot.message)
