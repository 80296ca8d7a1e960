"""The memory that a hazard is about, as plain values: the allocation, and which of its bytes each line sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ..live.memory import Region, lattice
from ..live.regions import footprint
from .captures.capture import Extent, Part, Spot
from .sites import Site

# Who sees the memory at a line, after the words for what is done there: a tensor, an array, a region, or `Seen`.
Onlooker = tuple[Site, str, Any]
_MOST_PARTS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a tensor or an array lies on, kept beyond its life: its elements, and the allocation ``[lo, hi)``."""

    text: str
    region: Region
    lo: int
    hi: int


def region_of(tensor: Any) -> Region | None:
    """Where the elements of a tensor lie; None within a transform of torch.func, which hides it."""
    try:
        size = tensor.itemsize
        return Region(tensor.data_ptr(), tuple(tensor.shape), tuple([step * size for step in tensor.stride()]), size)
    except RuntimeError:
        return None


def seen(obj: Any) -> Seen | None:
    """What *obj* lies on; None if it has no elements in one place."""
    if obj is None or isinstance(obj, Seen):
        return obj
    try:
        regions = footprint(obj).regions
    except (RuntimeError, ValueError, TypeError):
        return None
    if len(regions) != 1 or not regions[0].size:
        return None
    lo, hi = _allocation(obj, regions[0])
    return Seen(text=_described(obj), region=regions[0], lo=lo, hi=hi)


def extent_of(onlookers: Sequence[Onlooker], spots: Sequence[Spot]) -> Extent | None:
    """The allocation that the first onlooker lies in, and the parts of it that each of them sees at its line.

    spots: the lines of the finding, its own first; who is at none of them is left out. None where there is nothing to
        be drawn.
    """
    lines = {(spot.file, spot.line): number for number, spot in reversed(list(enumerate(spots)))}
    found = [
        (lines[site.file, site.line], what, sight)
        for site, what, obj in onlookers[:_MOST_PARTS]
        if (site.file, site.line) in lines and (sight := seen(obj)) is not None
    ]
    if not found:
        return None
    lo, hi = _joined([sight for _, _, sight in found])
    parts = (_part(line, f"{what} {sight.text}".strip(), sight.region, lo, hi) for line, what, sight in found)
    return Extent(bytes=hi - lo, parts=tuple(part for part in parts if part is not None))


def _joined(sights: Sequence[Seen]) -> tuple[int, int]:
    """The allocation of the first, as far as those that lie in it know it."""
    lo, hi = sights[0].lo, sights[0].hi
    for sight in sights[1:]:
        if sight.lo < hi and lo < sight.hi:
            lo, hi = min(lo, sight.lo), max(hi, sight.hi)
    return lo, hi


def _allocation(obj: Any, region: Region) -> tuple[int, int]:
    """The memory that an object is a part of, as far as it says."""
    lo, hi = region.span
    if isinstance(obj, torch.Tensor):
        storage = obj.untyped_storage()
        return storage.data_ptr(), storage.data_ptr() + storage.nbytes()
    while isinstance(obj, np.ndarray) and isinstance(obj.base, np.ndarray):
        obj = obj.base
        below = footprint(obj).regions[0].span
        lo, hi = min(lo, below[0]), max(hi, below[1])
    return lo, hi


def _part(line: int, what: str, region: Region, lo: int, hi: int) -> Part | None:
    first, last = region.span
    if not lo <= first < last <= hi:
        return None
    pieces = lattice(region)
    if len(pieces) == 1:
        return Part(what=what, lo=first - lo, hi=last - lo, line=line)
    strides, counts = zip(*reversed(pieces), strict=True)
    return Part(what=what, lo=first - lo, hi=last - lo, line=line, counts=counts, strides=strides)


def _described(obj: Any) -> str:
    """``float32 tensor (4, 3)``; with its strides, in elements, where it isn't contiguous."""
    if isinstance(obj, torch.Tensor):
        told = f"{str(obj.dtype).removeprefix('torch.')} tensor {tuple(obj.shape)}"
        return told if obj.is_contiguous() else f"{told}, strides {obj.stride()}"
    if isinstance(obj, np.ndarray):
        told = f"{obj.dtype} array {obj.shape}"
        steps = tuple(step // max(obj.itemsize, 1) for step in obj.strides)
        return told if obj.flags.c_contiguous else f"{told}, strides {steps}"
    if isinstance(obj, Region):
        return f"{obj.size:,} element{'s' * (obj.size != 1)} of {obj.itemsize} byte{'s' * (obj.itemsize != 1)}"
    return type(obj).__name__
