"""A line for each finding, ``file:line:column CODE message``, for editors and for other programs that read lines."""

from __future__ import annotations

from ...reporting.escaping import visible
from ...reporting.medium import Medium
from ..outcome import Outcome
from ._wording import fixable, mark, summary, where

SUFFIXES = ()


def render(outcome: Outcome, medium: Medium) -> str:
    """The findings, a line each, and a last line with their number."""
    lines = [" ".join(filter(None, [where(f.place), f.code, mark(f), f.message])) for f in outcome.findings]
    return "".join(f"{visible(line)}\n" for line in [*lines, summary(outcome), fixable(outcome)] if line)
