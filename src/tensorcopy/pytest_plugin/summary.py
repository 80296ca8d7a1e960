"""What all tests together showed: what to fix first, and which of them copy most."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from ..reporting.escaping import visible
from ..reporting.quantities import bytes_text
from ..tracing.captures.capture import Finding, Spot
from .judging import place, told

_MOST_FINDINGS, _MOST_TESTS, _MOST_NAMES = 10, 10, 3
_LEVELS = {"error": 0, "warning": 1}


@dataclass(slots=True, kw_only=True)
class _Seen:
    """One finding, and the tests that have it."""

    finding: Finding
    tests: list[str] = field(default_factory=list)


def tell(reporter: pytest.TerminalReporter) -> None:
    """Write the section of the terminal's summary."""
    seen = {
        report.nodeid: report.tensorcopy
        for reports in reporter.stats.values()
        for report in reports
        if hasattr(report, "tensorcopy")
    }
    reporter.section("tensorcopy")
    for line in lines_about(seen, reporter.config.rootpath):
        reporter.write_line(line)


def lines_about(seen: dict[str, dict[str, Any]], root: Path) -> Iterable[str]:
    """The section: findings by their level and how many tests have them, then tests by what they copied."""
    found = _findings(seen)
    errors = sum(s.finding.level == "error" for s in found)
    copied = sum(one["copied"] for one in seen.values())
    yield (
        f"{len(seen)} test{'s' * (len(seen) != 1)} traced: {errors} error{'s' * (errors != 1)}, "
        f"{len(found) - errors} warning{'s' * (len(found) - errors != 1)}, {bytes_text(copied)} copied"
    )
    if found:
        yield from ("", "what to fix first")
    for one in found[:_MOST_FINDINGS]:
        yield from told(one.finding, root)
        yield f"    in {_named(one.tests)}"
    if found[_MOST_FINDINGS:]:
        yield f"  and {len(found) - _MOST_FINDINGS} more"
    yield from _copied(seen, root)


def _findings(seen: dict[str, dict[str, Any]]) -> list[_Seen]:
    """The findings of all tests, those first that are errors and that most tests have."""
    found: dict[tuple[str, Spot], _Seen] = {}
    for test, one in seen.items():
        for plain in one["findings"]:
            finding = _finding(plain)
            known = found.setdefault((finding.name, finding.place), _Seen(finding=replace(finding, count=0)))
            known.finding = replace(known.finding, count=known.finding.count + finding.count)
            known.tests.append(test)
    return sorted(found.values(), key=lambda s: (_LEVELS.get(s.finding.level, 2), -len(s.tests), s.finding.place))


def _finding(plain: dict[str, Any]) -> Finding:
    related = tuple(Spot(**spot) for spot in plain["related"])
    return Finding(
        code=plain["code"],
        name=plain["name"],
        level=plain["level"],
        message=plain["message"],
        place=Spot(**plain["place"]),
        related=related,
        count=plain["count"],
    )


def _named(tests: list[str]) -> str:
    rest = len(tests) - _MOST_NAMES
    return ", ".join(map(visible, tests[:_MOST_NAMES])) + (f" and {rest} more" if rest > 0 else "")


def _copied(seen: dict[str, dict[str, Any]], root: Path) -> Iterable[str]:
    most = sorted((item for item in seen.items() if item[1]["copied"]), key=lambda item: -item[1]["copied"])
    if most:
        yield from ("", "copied by test")
    for test, one in most[:_MOST_TESTS]:
        top = place(Spot(**one["top"]), root)
        yield f"  {bytes_text(one['copied']):>9}  {visible(test)}, most at {top}"
    if most[_MOST_TESTS:]:
        rest = sum(one["copied"] for _, one in most[_MOST_TESTS:])
        yield f"  {bytes_text(rest):>9}  by {len(most) - _MOST_TESTS} more tests"
