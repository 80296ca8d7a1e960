"""What several formats say alike. Plain text; each format escapes it."""

from __future__ import annotations

from ..model import Finding, Level, Place
from ..outcome import Outcome

FIXABLE, FIXABLE_UNSAFELY = "[*]", "[~]"


def where(place: Place) -> str:
    """``file:line:column``, with the cell in between in a notebook."""
    cell = f"cell {place.cell}:" if place.cell else ""
    return f"{place.file}:{cell}{place.line}:{place.column}"


def mark(finding: Finding) -> str:
    """Whether it can be mended: ``[*]`` for safely, ``[~]`` for perhaps, nothing for neither."""
    if finding.fix is None:
        return ""
    return FIXABLE if finding.fix.safe else FIXABLE_UNSAFELY


def count(number: int, noun: str) -> str:
    """``1 file``, ``2,000 files``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def summary(outcome: Outcome) -> str:
    """How many findings of each level there are, and in how much text."""
    checked = f"{count(outcome.files, 'file')}, {count(outcome.lines, 'line')} checked"
    hidden = [f"{outcome.known:,} in the baseline"] * bool(outcome.known)
    hidden += [f"{outcome.silenced:,} silenced by comments"] * bool(outcome.silenced)
    less = f" ({', '.join(hidden)})" if hidden else ""
    fixed = f"{count(outcome.mended, 'finding')} fixed. " if outcome.mended else ""
    if not outcome.findings:
        return f"{fixed}Nothing {'left' if fixed else 'found'}{less}: {checked}."
    levels = [(sum(f.level is level for f in outcome.findings), level.value) for level in Level]
    found = ", ".join(count(number, name) for number, name in levels if number)
    return f"{fixed}{found[0].upper()}{found[1:]}{' left' if fixed else ''}{less} in {checked}."


def fixable(outcome: Outcome) -> str:
    """How many of the findings can be mended, and how; nothing if none can."""
    fixes = [finding.fix for finding in outcome.findings if finding.fix]
    safe = sum(fix.safe for fix in fixes)
    parts = [f"{FIXABLE} {safe:,} fixable with --fix"] * bool(safe)
    parts += [f"{FIXABLE_UNSAFELY} {len(fixes) - safe:,} with --fix --unsafe-fixes, to be read"] * (safe < len(fixes))
    return ", ".join(parts) + "." if parts else ""


def sentences(finding: Finding) -> list[str]:
    """The message, and what happens at the other places, each on a line."""
    others = [f"{where(place)}: {place.message}".rstrip(": ") for place in finding.related]
    return [finding.message, *others]
