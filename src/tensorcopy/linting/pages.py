"""The page of a rule as a report, for every format of reports."""

from __future__ import annotations

import re

from ..reporting.model import Report
from ..reporting.pages import page_report
from .analysis import Analysis, shipped

_CALLED = re.compile(r"tcy\d{3}|[a-z]+(?:-[a-z0-9]+)+", re.IGNORECASE)


def rule_report(asked: str, analysis: Analysis | None = None) -> Report | None:
    """The page of the rule of that code or name; None if there is none. Loads the rules only for what may be one."""
    if not _CALLED.fullmatch(asked.strip()):
        return None
    analysis = analysis or shipped()
    wanted = asked.strip().lower()
    rule = next((rule for rule in analysis.rules.values() if wanted in (rule.code.lower(), rule.name)), None)
    return page_report(rule.code, rule.name, rule.level.value, analysis.page(rule.code)) if rule else None
