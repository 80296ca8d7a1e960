"""Workflow commands of GitHub Actions, which become annotations of the lines of a pull request."""

from __future__ import annotations

from ...reporting.escaping import visible
from ...reporting.medium import Medium
from ..model import Finding, Level
from ..outcome import Outcome
from ._wording import sentences

SUFFIXES = ()
_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}


def render(outcome: Outcome, medium: Medium) -> str:
    """A command for each finding."""
    return "".join(f"{_command(finding)}\n" for finding in outcome.findings)


def _command(finding: Finding) -> str:
    place = finding.place
    one_line = place.end_line == place.line
    values = {
        "title": f"tensorcopy {finding.code} ({finding.name})",
        "file": place.file,
        "line": place.line,
        **({"col": place.column, "endColumn": place.end_column} if one_line and not place.cell else {}),
        "endLine": place.end_line,
    }
    lines = [f"{place.file}, cell {place.cell}, line {place.line}"] * bool(place.cell) + sentences(finding)
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in values.items())
    return f"::{_COMMANDS[finding.level]} {properties}::{'%0A'.join(map(_data, lines))}"


def _data(text: str) -> str:
    """One line of a message; what acts in it is written out."""
    return visible(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
