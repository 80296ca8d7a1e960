"""Draw which live objects lie on which bytes of which allocations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..live.describe import Description
from ..live.memory import Region
from ..reporting import Storage
from ..reporting.picturing import pictured


def allocations(objects: Sequence[tuple[str, Description]]) -> tuple[Storage, ...]:
    """The stretches of memory that the objects and their owners lie on, from low to high, with the objects on them."""
    views = [(_label(name, region), region) for name, found in objects for region in found.regions if region.size]
    spaces = dict.fromkeys(region.space for _, region in views)
    return tuple(storage for space in spaces for storage in _in_space(space, views, objects))


def _label(name: str, region: Region) -> str:
    return f"{name}{'' if region.label.startswith('[') else '.'}{region.label}" if region.label else name


def _in_space(
    space: str, views: Sequence[tuple[str, Region]], objects: Sequence[tuple[str, Description]]
) -> Iterator[Storage]:
    here = [(label, region) for label, region in views if region.space == space]
    owners = [owner for _, found in objects for owner in found.owners if owner.span] if space == "host" else []
    for lo, hi in _stretches([region.span for _, region in here] + [owner.span for owner in owners if owner.span]):
        on_it = [(label, region) for label, region in here if lo <= region.span[0] < hi]
        if on_it:
            kinds = dict.fromkeys(owner.kind for owner in owners if owner.span == (lo, hi))
            yield pictured(f"{next(iter(kinds), 'memory')} at {lo:#x}", hi - lo, on_it, base=lo)


def _stretches(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans that overlap, joined. Those that only touch are different allocations."""
    joined: list[tuple[int, int]] = []
    for lo, hi in sorted(span for span in spans if span[0] < span[1]):
        if joined and lo < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(hi, joined[-1][1]))
        else:
            joined.append((lo, hi))
    return joined
