"""Draw which objects lie on which bytes of an allocation: one value for live objects, for files and for recordings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import prod

from ..live.memory import Region, byte_runs, lattice, overlaps
from .drawings import SharedPart, Span, Storage

_MOST_SPANS = 24
_MOST_PARTS = 12
_MOST_RUNS = 2048


def pictured(
    name: str, size: int, views: Sequence[tuple[str, Region]], *, base: int = 0, note: str = "", full: bool = False
) -> Storage:
    """*views* over an allocation of *size* bytes that begins at address *base*, the shared parts of them found exactly.

    Args:
        name: What the allocation is called.
        size: Its bytes; views reach no further.
        views: Labels and elements.
        base: The address of its first byte.
        note: A remark on it.
        full: Draw all views, not only the first ones.
    """
    shown = views if full else views[:_MOST_SPANS]
    parts = _shared(shown, base)
    remarks = [note]
    remarks += [f"{len(views) - len(shown)} more lie here" if len(shown) < len(views) else ""]
    remarks += [f"{len(parts) - _MOST_PARTS} more parts are shared" if len(parts) > _MOST_PARTS and not full else ""]
    return Storage(
        name=name,
        bytes=size,
        spans=tuple(_span(label, region, base) for label, region in shown),
        note="; ".join(filter(None, remarks)),
        shared=parts if full else parts[:_MOST_PARTS],
    )


def _run_count(region: Region) -> int:
    """In how many pieces the bytes of a region lie, at the most."""
    return prod(count for _, count in lattice(region)[1:]) if region.size else 0


def _span(label: str, region: Region, base: int) -> Span:
    lo, hi = region.span
    gaps = region.size > 0 and (_run_count(region) > _MOST_RUNS or len(byte_runs(region) or []) > 1)
    how = f"{region.shape}, strides {region.strides}" if gaps else ""
    return Span(label=label, lo=lo - base, hi=hi - base, gaps=gaps, strides=how)


def _shared(views: Sequence[tuple[str, Region]], base: int) -> tuple[SharedPart, ...]:
    """What the same two or more views lie on, as one part each; for views in very many pieces, what each two do."""
    runs: dict[int, list[tuple[int, int]]] = {}
    scattered = []
    for k, (_, region) in enumerate(views):
        if _run_count(region) > _MOST_RUNS:
            scattered.append(k)
        else:
            runs[k] = byte_runs(region) or []
    parts = [
        SharedPart(
            lo=ranges[0][0] - base,
            hi=ranges[-1][1] - base,
            labels=tuple(views[k][0] for k in members),
            gaps=any(hi != lo for (_, hi), (lo, _) in pairwise(ranges)),
        )
        for members, ranges in _ranges(runs).items()
    ]
    pairs = {tuple(sorted((k, j))) for k in scattered for j in range(len(views)) if j != k}
    return (*parts, *(part for k, j in sorted(pairs) if (part := _common(views[k], views[j], base)) is not None))


def _common(first: tuple[str, Region], second: tuple[str, Region], base: int) -> SharedPart | None:
    """That the two share something, and between which bytes; exact in the former, not in the latter."""
    (lo, hi), (other_lo, other_hi) = first[1].span, second[1].span
    if not overlaps(first[1], second[1]):
        return None
    return SharedPart(lo=max(lo, other_lo) - base, hi=min(hi, other_hi) - base, labels=(first[0], second[0]), gaps=True)


def _ranges(runs: Mapping[int, list[tuple[int, int]]]) -> dict[tuple[int, ...], list[tuple[int, int]]]:
    """The ranges on which exactly the same two or more views lie, from low to high: one sweep over all edges."""
    changes: dict[int, list[tuple[int, int]]] = {}
    for k, found in runs.items():
        for lo, hi in found:
            changes.setdefault(lo, []).append((k, 1))
            changes.setdefault(hi, []).append((k, -1))
    inside: dict[int, int] = {}
    ranges: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for lo, hi in pairwise(sorted(changes)):
        for k, step in changes[lo]:
            inside[k] = inside.get(k, 0) + step
        here = tuple(k for k, depth in sorted(inside.items()) if depth)
        if len(here) > 1:
            ranges.setdefault(here, []).append((lo, hi))
    return ranges
