"""Text for a terminal: what happens, and the lines of source where it begins and where it bites."""

from __future__ import annotations

from textwrap import wrap

from ...reporting.medium import Medium
from ..outcome import Outcome
from ._wording import summary

SUFFIXES = (".txt",)


def render(outcome: Outcome, medium: Medium) -> str:
    """The findings with excerpts and a summary, in lines no longer than the medium is wide. Loads rich to show any."""
    if not outcome.findings:
        return "".join(f"{line}\n" for line in wrap(summary(outcome), medium.width))
    from ._excerpts import text_of

    return text_of(outcome, medium)


def statistics(outcome: Outcome, medium: Medium) -> str:
    """How many findings of each rule, the most frequent first. Loads rich."""
    from ._excerpts import statistics

    return statistics(outcome, medium)
