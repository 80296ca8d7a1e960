"""Collect what a run shows: one finding a mistake and place, counted, and the copies by line."""

from __future__ import annotations

import linecache
import time
from collections.abc import Iterable
from dataclasses import replace

from .capture import CopyLine, Extent, Finding, Source, Spot
from .sites import NOWHERE, Site

# What the detectors find: its code and its level. A code never changes meaning.
KINDS = {
    "changing-snapshot": ("TCY601", "error"),
    "shared-buffer-overwritten": ("TCY602", "error"),
    "callers-memory-written": ("TCY603", "error"),
    "readonly-memory-written": ("TCY604", "error"),
    "expanded-memory-written": ("TCY605", "error"),
    "overlapping-copy": ("TCY606", "error"),
    "lost-write": ("TCY607", "error"),
    "view-of-moved-memory": ("TCY608", "error"),
    "separate-deep-copies": ("TCY609", "error"),
    "restored-from-itself": ("TCY610", "error"),
    "internal-buffer-returned": ("TCY611", "error"),
    "shared-array-changed": ("TCY612", "warning"),
    "silent-gradient": ("TCY621", "error"),
    "inplace-before-backward": ("TCY622", "error"),
    "gradient-cut": ("TCY623", "error"),
    "gradient-may-be-cut": ("TCY624", "warning"),
    "grad-of-non-leaf": ("TCY625", "error"),
    "graph-kept": ("TCY626", "error"),
    "attribute-typo": ("TCY627", "error"),
    "masked-values-dropped": ("TCY641", "error"),
    "values-not-in-dtype": ("TCY642", "error"),
    "float64-leak": ("TCY643", "warning"),
    "integers-through-float32": ("TCY646", "error"),
    "size-for-value": ("TCY647", "error"),
    "tensor-of-tensor": ("TCY644", "warning"),
    "subclass-metadata-lost": ("TCY645", "warning"),
    "failed": ("TCY650", "error"),
    "avoidable-copy": ("TCY661", "warning"),
    "list-of-arrays": ("TCY662", "warning"),
    "expanded-copied": ("TCY663", "warning"),
    "kept-storage": ("TCY664", "warning"),
    "constant-rebuilt": ("TCY665", "warning"),
}
_MOST_FINDINGS = 500
_MOST_RELATED = 8
_LONGEST_LINE, _LONGEST_MESSAGE = 400, 2000
_MOST_SOURCES, _LARGEST_SOURCE, _LARGEST_SOURCES = 64, 400_000, 2_000_000
_ORDER = {"error": 0, "warning": 1, "note": 2}


class Findings:
    """The findings of a session so far."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, int], Finding] = {}
        self._started = time.perf_counter()

    def add(
        self,
        kind: str,
        site: Site,
        message: str,
        related: Iterable[tuple[Site, str]] = (),
        *,
        variant: str = "",
        names: Iterable[str] = (),
        memory: Extent | None = None,
    ) -> None:
        """Note a mistake at *site*; the same one again only counts.

        variant, names, memory: what `Finding` says of them.
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
            self._found[key] = replace(known, related=both, count=known.count + 1)
            return
        code, level = KINDS[kind]
        self._found[key] = Finding(
            code=code,
            name=kind,
            level=level,
            message=message[:_LONGEST_MESSAGE],
            place=spot(site),
            related=others[:_MOST_RELATED],
            variant=variant,
            names=tuple(names),
            memory=memory,
            seconds=time.perf_counter() - self._started,
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
