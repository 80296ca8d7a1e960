"""JUnit XML, which servers for continuous integration show as tests: a file is a suite, a finding a failed test."""

from __future__ import annotations

from html import escape
from itertools import groupby

from ...reporting.escaping import visible
from ...reporting.medium import Medium
from ..model import Finding
from ..outcome import Outcome
from ._wording import sentences, where

SUFFIXES = (".xml",)
_CLEAN = """\
  <testsuite name="tensorcopy" tests="1" failures="0">
    <testcase classname="tensorcopy" name="check"/>
  </testsuite>"""


def render(outcome: Outcome, medium: Medium) -> str:
    """The findings as suites of failed tests; one passed test if there are none."""
    found = outcome.findings
    suites = [_suite(file, list(group)) for file, group in groupby(found, key=lambda finding: finding.place.file)]
    counted = f'tests="{max(len(found), 1)}" failures="{len(found)}"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="tensorcopy" {counted}>',
        *(suites or [_CLEAN]),
    ]
    return "\n".join([*lines, "</testsuites>"]) + "\n"


def _suite(file: str, findings: list[Finding]) -> str:
    counted = f'tests="{len(findings)}" failures="{len(findings)}"'
    cases = "\n".join(map(_case, findings))
    return f'  <testsuite name="{_text(file)}" {counted}>\n{cases}\n  </testsuite>'


def _case(finding: Finding) -> str:
    place = finding.place
    name = f"{finding.code} {finding.name} at {where(place)}"
    body = "\n".join(_text(line) for line in sentences(finding))
    return (
        f'    <testcase classname="{_text(place.file)}" name="{_text(name)}" file="{_text(place.file)}"'
        f' line="{place.line}">\n'
        f'      <failure type="{finding.level.value}" message="{_text(finding.message)}">{body}</failure>\n'
        "    </testcase>"
    )


def _text(text: str) -> str:
    """*text* for XML, which has no way to write control characters; nor U+FFFE and U+FFFF."""
    return escape(visible(text).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff"))
