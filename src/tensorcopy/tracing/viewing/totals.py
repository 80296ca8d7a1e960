"""Copies summed up: by kind, by phase, by line, and what of them could be spared."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..captures.capture import CopyLine

PHASES = ("data", "forward", "backward", "optimizer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """The copies that have one thing in common."""

    name: str
    count: int
    bytes: int
    seconds: float
    saved: int


def total_of(name: str, copies: Iterable[CopyLine]) -> Total:
    """All of them as one."""
    found = list(copies)
    return Total(
        name=name,
        count=sum(c.count for c in found),
        bytes=sum(c.bytes for c in found),
        seconds=sum(c.seconds for c in found),
        saved=sum(c.saved for c in found),
    )


def by_kind(copies: Iterable[CopyLine]) -> list[Total]:
    """A total for each kind, most bytes first."""
    return _grouped(copies, lambda c: c.kind or c.operation)


def by_phase(copies: Iterable[CopyLine]) -> list[Total]:
    """A total for each phase, in the order of a training step."""
    found = _grouped(copies, lambda c: c.phase or "other")
    return sorted(found, key=lambda t: PHASES.index(t.name) if t.name in PHASES else len(PHASES))


def by_line(copies: Iterable[CopyLine]) -> dict[tuple[str, int], list[CopyLine]]:
    """The copies of each line of the program."""
    found: dict[tuple[str, int], list[CopyLine]] = {}
    for copy in copies:
        if copy.place.file:
            found.setdefault((copy.place.file, copy.place.line), []).append(copy)
    return found


def _grouped(copies: Iterable[CopyLine], key: Callable[[CopyLine], str]) -> list[Total]:
    found: dict[str, list[CopyLine]] = {}
    for copy in copies:
        found.setdefault(key(copy), []).append(copy)
    return sorted((total_of(name, group) for name, group in found.items()), key=lambda t: -t.bytes)
