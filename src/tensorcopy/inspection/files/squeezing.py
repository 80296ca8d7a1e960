"""Plan how a storage looks once it holds only the bytes that its views use. Pure arithmetic; touches no memory."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from math import prod

from ...live.memory import MAX_RUNS, Region, byte_runs, lattice

Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Bytes of the old storage, in rising order, that lie back to back in the new one.

    lo: the first of them.
    lattice: (stride, count) pairs, the smallest stride first; the first pair is an unbroken run of bytes.
    target: where they begin in the new storage.
    """

    lo: int
    lattice: Pairs
    target: int

    @property
    def nbytes(self) -> int:
        """How many bytes it is."""
        return prod(count for _, count in self.lattice)


@dataclass(frozen=True, slots=True, kw_only=True)
class Squeezed:
    """The new storage: its size, what to copy where, and the views in the order in which they were given."""

    nbytes: int
    pieces: tuple[Piece, ...]
    views: tuple[Region, ...]


def squeeze(nbytes: int, views: Sequence[Region], *, keep_all: bool = False) -> Squeezed:
    """The smallest storage found in which every one of *views* still is a strided view, sharing the bytes it shared.

    Bytes keep their order. Views that meet are moved together; where gaps between them cannot be left out without
    breaking the regular steps of one, the gaps stay.

    Args:
        nbytes: The size of the old storage.
        views: What is used of it.
        keep_all: Leave everything as it is.
    """
    unchanged = Squeezed(
        nbytes=nbytes, pieces=(Piece(lo=0, lattice=((1, nbytes),), target=0),) if nbytes else (), views=tuple(views)
    )
    if keep_all:
        return unchanged
    align = max((view.itemsize for view in views), default=1)
    end, pieces, moved = 0, [], list(views)
    for members in _groups(views):
        group = [views[k] for k in members]
        lo = min(view.span[0] for view in group)
        start = end + (lo - end) % align
        found, placed = _squeeze_group(group, lo, start)
        pieces += found
        end = found[-1].target + found[-1].nbytes
        for k, view in zip(members, placed, strict=True):
            moved[k] = view
    moved = [view if view.size else replace(view, address=0) for view in moved]
    return Squeezed(nbytes=end, pieces=tuple(pieces), views=tuple(moved)) if end < nbytes else unchanged


def _groups(views: Sequence[Region]) -> list[list[int]]:
    """The views that hold anything, by position, in groups whose spans do not meet, from low to high."""
    groups: list[list[int]] = []
    end = -1
    for k in sorted((k for k, view in enumerate(views) if view.size), key=lambda k: views[k].span):
        lo, hi = views[k].span
        if lo < end:
            groups[-1].append(k)
        else:
            groups.append([k])
        end = max(end, hi)
    return groups


def _squeeze_group(group: list[Region], lo: int, start: int) -> tuple[list[Piece], list[Region]]:
    hi = max(view.span[1] for view in group)
    if len({(view.address, view.shape, view.strides, view.itemsize) for view in group}) == 1 and _nests(group[0]):
        return _packed(group, lo, start)
    if len({view.itemsize for view in group}) == 1:
        found = _without_gaps(group, start)
        if found is not None:
            return found
    kept = Piece(lo=lo, lattice=((1, hi - lo),), target=start)
    return [kept], [replace(view, address=view.address - lo + start) for view in group]


def _nests(view: Region) -> bool:
    """Each step clears all that the smaller ones reach, so rising addresses are rising indices."""
    reach = view.itemsize
    for stride, count in _steps(view):
        if stride < reach:
            return False
        reach = stride * (count - 1) + reach
    return True


def _steps(view: Region) -> list[tuple[int, int]]:
    """(stride, count) of the dimensions that move, the smallest stride first."""
    return sorted((st, n) for n, st in zip(view.shape, view.strides, strict=True) if n > 1 and st)


def _packed(group: list[Region], lo: int, start: int) -> tuple[list[Piece], list[Region]]:
    """All views are one and the same: its elements back to back, its dimensions in their order in memory."""
    view = group[0]
    strides, step = list(view.strides), view.itemsize
    for axis in sorted(range(len(strides)), key=lambda axis: strides[axis]):
        if view.shape[axis] > 1 and strides[axis]:
            strides[axis] = step
            step *= view.shape[axis]
    placed = replace(view, address=start, strides=tuple(strides))
    return [Piece(lo=lo, lattice=lattice(view), target=start)], [placed] * len(group)


def _without_gaps(group: list[Region], start: int) -> tuple[list[Piece], list[Region]] | None:
    """The bytes that any view uses, back to back; None where that breaks a view's steps or takes too long to tell."""
    distinct = list(dict.fromkeys(group))
    runs = _union(distinct)
    if runs is None:
        return None
    places = _Places(runs, start)
    moved = {view: places.moved(view) for view in distinct}
    if None in moved.values():
        return None
    pieces = [Piece(lo=lo, lattice=((1, hi - lo),), target=places.of(lo)) for lo, hi in runs]
    return pieces, [found for view in group if (found := moved[view]) is not None]


def _union(views: list[Region]) -> list[tuple[int, int]] | None:
    runs: list[tuple[int, int]] = []
    for view in views:
        found = byte_runs(view)
        if found is None or len(runs) + len(found) > MAX_RUNS:
            return None
        runs += found
    joined: list[tuple[int, int]] = []
    for lo, hi in sorted(runs):
        if joined and lo <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(hi, joined[-1][1]))
        else:
            joined.append((lo, hi))
    return joined


class _Places:
    """Where bytes that are used come to lie once the gaps between the runs of used ones are closed."""

    def __init__(self, runs: list[tuple[int, int]], start: int) -> None:
        self._starts = [lo for lo, _ in runs]
        self._gaps = [runs[0][0] - start]
        for (_, hi), (lo, _) in pairwise(runs):
            self._gaps.append(self._gaps[-1] + lo - hi)

    def of(self, address: int) -> int:
        """The new place of a used byte."""
        return address - self._gaps[bisect_right(self._starts, address) - 1]

    def moved(self, view: Region) -> Region | None:
        """The view over the new bytes; None if its steps are not regular any more."""
        first = self.of(view.address)
        strides = tuple(
            self.of(view.address + st) - first if n > 1 else st for n, st in zip(view.shape, view.strides, strict=True)
        )
        found = replace(view, address=first, strides=strides)
        pairs = zip(_row_starts(view, view), _row_starts(found, view), strict=True)
        return found if all(self.of(old) == new for old, new in pairs) else None


def _row_starts(view: Region, like: Region) -> Iterator[int]:
    """The address of the first element of every unbroken row; rows are those of *like*, a view of the same shape."""
    inner = _inner_dimensions(like)
    outer = [
        range(0, st * n, st)
        for axis, (n, st) in enumerate(zip(view.shape, view.strides, strict=True))
        if axis not in inner and n > 1 and like.strides[axis]
    ]
    yield from (view.address + sum(offsets) for offsets in product(*outer))


def _inner_dimensions(view: Region) -> set[int]:
    """The axes along which elements lie back to back."""
    inner, reach = set(), view.itemsize
    for axis in sorted(range(len(view.shape)), key=lambda axis: view.strides[axis]):
        if view.shape[axis] > 1 and view.strides[axis] == reach:
            inner.add(axis)
            reach *= view.shape[axis]
    return inner
