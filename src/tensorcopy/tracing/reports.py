"""Collect what a run shows: one finding a mistake and place, counted, and the copies by line."""

from __future__ import annotations

from collections.abc import Iterable

from .capture import Finding, Spot
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


class Findings:
    """The findings of a session so far."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, int], Finding] = {}

    def add(self, kind: str, site: Site, message: str, related: Iterable[tuple[Site, str]] = ()) -> None:
        """Note a mistake at *site*; the same one again only counts."""
        if site is NOWHERE:
            return
        key = (kind, site.file, site.line)
        known = self._found.get(key)
        if known is None and len(self._found) >= _MOST_FINDINGS:
            return
        code, level = KINDS[kind]
        others = tuple(spot(s, text) for s, text in related if s is not NOWHERE)
        first = (
            known
            if known is not None
            else Finding(code=code, name=kind, level=level, message=message, place=spot(site), related=others)
        )
        self._found[key] = Finding(
            code=code,
            name=kind,
            level=level,
            message=first.message,
            place=first.place,
            related=tuple(dict.fromkeys((*first.related, *others)))[:8],
            count=first.count + (known is not None),
        )

    def discard(self, kind: str, site: Site) -> None:
        """Take a finding back, for one that says more."""
        self._found.pop((kind, site.file, site.line), None)

    def at(self, site: Site) -> bool:
        """Whether anything has been found on that line."""
        return any(f.place.line == site.line and f.place.file == site.file for f in self._found.values())

    def all(self) -> tuple[Finding, ...]:
        """Every finding, errors first, then by place."""
        order = {"error": 0, "warning": 1, "note": 2}
        return tuple(sorted(self._found.values(), key=lambda f: (order[f.level], f.place)))


def spot(site: Site, message: str = "") -> Spot:
    """A site as a plain value."""
    return Spot(file=site.file, line=site.line, function=site.function, code=site.text, message=message)
