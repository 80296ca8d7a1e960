"""Text for a terminal: what happens, and the lines of source where it begins and where it bites."""

from __future__ import annotations

from ...reporting.medium import Medium
from ..outcome import Outcome

SUFFIXES = (".txt",)


def render(outcome: Outcome, medium: Medium) -> str:
    """The findings with excerpts and a summary, in lines no longer than the medium is wide. Loads rich."""
    from ._excerpts import text_of

    return text_of(outcome, medium)


def statistics(outcome: Outcome, medium: Medium) -> str:
    """How many findings of each rule, the most frequent first. Loads rich."""
    from ._excerpts import statistics

    return statistics(outcome, medium)
