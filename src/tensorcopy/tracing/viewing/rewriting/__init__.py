"""The line to write instead, made from the line of the program by its syntax tree, for what a run has found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from ...captures.capture import Finding
from . import cost, gradients, sharing, values
from .statements import Edit, Rewrite, Statement, edited, place_of, statement_at

REWRITES: dict[str, Rewrite] = {**sharing.REWRITES, **gradients.REWRITES, **values.REWRITES, **cost.REWRITES}
"""By the name of a finding, or by its name and its variant."""


def instead(finding: Finding, text_of: Callable[[str], str]) -> str:
    """What to write in the place of the line of *finding*, ready to be pasted; empty where only its author can know.

    text_of: gives the text of a file of the program, empty where it is not at hand.
    """
    with suppress(SyntaxError, ValueError, RecursionError):
        statement, edits = _edits(finding, text_of)
        return edited(statement, edits) if statement is not None else ""
    return ""


def part_of(finding: Finding, text_of: Callable[[str], str]) -> tuple[int, int] | None:
    """The columns of what is to be changed on the line of *finding*, in characters from 0; None if that isn't known."""
    statement, edits = _edits(finding, text_of)
    if statement is None or not edits:
        return None
    first, last, start, end = place_of(edits[0][0])
    if first != last or first != finding.place.line:
        return None
    line = statement.lines[first - 1].encode()
    return len(line[:start].decode()), len(line[:end].decode())


def _edits(finding: Finding, text_of: Callable[[str], str]) -> tuple[Statement | None, Sequence[Edit]]:
    rewrite = REWRITES.get(f"{finding.name}/{finding.variant}") or REWRITES.get(finding.name)
    statement = statement_at(text_of(finding.place.file), finding.place.line) if rewrite else None
    if rewrite is None or statement is None:
        return None, ()
    return statement, rewrite(statement)
