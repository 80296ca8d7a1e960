"""Collect what a run shows: one finding a mistake and place, counted, and the copies by line."""

from __future__ import annotations

import linecache
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

from .captures.capture import CopyLine, Finding, Source, Spot
from .extents import Onlooker, extent_of
from .kinds import KINDS
from .sites import NOWHERE, Site

_MOST_FINDINGS = 500
_MOST_RELATED = 8
_LONGEST_LINE, _LONGEST_MESSAGE = 400, 2000
_MOST_SOURCES, _LARGEST_SOURCE, _LARGEST_SOURCES = 64, 400_000, 2_000_000
_ORDER = {"error": 0, "warning": 1, "note": 2}


class Findings:
    """The findings of a session so far."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, int], Finding] = {}
        self.started = time.perf_counter()

    def add(
        self,
        kind: str,
        site: Site,
        message: str,
        related: Iterable[tuple[Site, str]] = (),
        *,
        variant: str = "",
        names: Iterable[str] = (),
        memory: Sequence[Onlooker] = (),
        count: int = 1,
    ) -> None:
        """Note a mistake at *site*; the same one again only counts.

        variant, names, count: what `Finding` says of them.
        memory: who sees the memory that it is about, and at which of its lines.
        """
        if site is NOWHERE:
            return
        key = (kind, site.file, site.line)
        known = self._found.get(key)
        if known is None and len(self._found) >= _MOST_FINDINGS:
            return
        others = tuple(spot(s, text) for s, text in related if s is not NOWHERE)
        if known is not None:
            both = tuple(dict.fromkeys((*known.related, *others)))[:_MOST_RELATED]
            self._found[key] = replace(known, related=both, count=known.count + count)
            return
        place = spot(site)
        self._found[key] = Finding(
            code=KINDS[kind].code,
            name=kind,
            level=KINDS[kind].level,
            message=message[:_LONGEST_MESSAGE],
            place=place,
            related=others[:_MOST_RELATED],
            count=count,
            variant=variant,
            names=tuple(names),
            memory=extent_of(memory, (place, *others[:_MOST_RELATED])) if memory else None,
            seconds=time.perf_counter() - self.started,
        )

    def discard(self, kind: str, site: Site) -> None:
        """Take a finding back, for one that says more."""
        self._found.pop((kind, site.file, site.line), None)

    def at(self, site: Site) -> bool:
        """Whether anything has been found on that line."""
        return any(f.place.line == site.line and f.place.file == site.file for f in self._found.values())

    def all(self) -> tuple[Finding, ...]:
        """Every finding, errors first, then by place."""
        return tuple(sorted(self._found.values(), key=lambda f: (_ORDER[f.level], f.place)))


def spot(site: Site, message: str = "") -> Spot:
    """A site as a plain value."""
    text = site.text[:_LONGEST_LINE]
    return Spot(file=site.file, line=site.line, function=site.function, code=text, message=message)


def sources_of(findings: Iterable[Finding], copies: Iterable[CopyLine]) -> tuple[Source, ...]:
    """The files that findings and copies are about, the most important first, as far as there is room for them."""
    places = [place for f in findings for place in (f.place, *f.related)] + [copy.place for copy in copies]
    found, room = list[Source](), _LARGEST_SOURCES
    for file in dict.fromkeys(place.file for place in places if place.file):
        text = "".join(linecache.getlines(file))
        if text and len(text) <= min(room, _LARGEST_SOURCE) and len(found) < _MOST_SOURCES:
            found.append(Source(file=file, text=text))
            room -= len(text)
    return tuple(found)
