"""Plan how a storage looks once it holds only the bytes that its views use. Pure arithmetic; touches no memory."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from math import prod

from ...live.memory import Region, byte_runs, lattice

Pairs = tuple[tuple[int, int], ...]
_MOST_RUNS = 1 << 12
"""Separate runs of bytes that are looked at one by one; where there are more, only whole rows are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Bytes of the old storage, in rising order, that lie back to back in the new one.

    lo: where the first row of them begins.
    parts: the bytes of a row: an offset from its beginning, and (stride, count) pairs, the smallest stride first, of
        which the first is an unbroken run.
    rows: how often the row comes, and after how many bytes.
    target: where they begin in the new storage.
    """

    lo: int
    parts: tuple[tuple[int, Pairs], ...]
    target: int
    rows: tuple[int, int] = (1, 0)

    @property
    def nbytes(self) -> int:
        """How many bytes it is."""
        return self.rows[0] * sum(prod(count for _, count in pairs) for _, pairs in self.parts)


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
    everything = (_run(0, nbytes, 0),) if nbytes else ()
    unchanged = Squeezed(nbytes=nbytes, pieces=everything, views=tuple(views))
    if keep_all:
        return unchanged
    align = max((view.itemsize for view in views), default=1)
    end, pieces, moved = 0, [], list(views)
    for members in _groups(views):
        group = [views[k] for k in members]
        lo = min(view.span[0] for view in group)
        start = end + (lo - end) % align
        found, placed = _squeeze_group(group, lo, start, nbytes)
        pieces += found
        end = found[-1].target + found[-1].nbytes
        for k, view in zip(members, placed, strict=True):
            moved[k] = view
    moved = [view if view.size else replace(view, address=0) for view in moved]
    return Squeezed(nbytes=end, pieces=tuple(pieces), views=tuple(moved)) if end < nbytes else unchanged


def _run(lo: int, nbytes: int, target: int) -> Piece:
    return Piece(lo=lo, parts=((0, ((1, nbytes),)),), target=target)


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


def _squeeze_group(group: list[Region], lo: int, start: int, limit: int) -> tuple[list[Piece], list[Region]]:
    hi = max(view.span[1] for view in group)
    if len({(view.address, view.shape, view.strides, view.itemsize) for view in group}) == 1 and _nests(group[0]):
        return _packed(group, lo, start)
    if len({view.itemsize for view in group}) == 1:
        found = _without_gaps(group, start) or _by_rows(group, lo, start, limit)
        if found is not None:
            return found
    return [_run(lo, hi - lo, start)], [replace(view, address=view.address - lo + start) for view in group]


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
    return [Piece(lo=lo, parts=((0, lattice(view)),), target=start)], [placed] * len(group)


def _by_rows(group: list[Region], lo: int, start: int, limit: int) -> tuple[list[Piece], list[Region]] | None:
    """The same columns of every row, where the views are columns of one matrix: gaps between columns are closed.

    None where they are not, where that leaves nothing out, or where the last row would reach beyond *limit*.
    """
    width = max((st for view in group for st, _ in _steps(view)), default=0)
    cut = [_row_of(view, lo, width) for view in group] if width else []
    if not cut or any(found is None for found in cut):
        return None
    columns = [found for found in cut if found is not None]
    row = squeeze(width, [column for column, _, _ in columns])
    count = max(first + n for _, first, n in columns)
    end = max(piece.lo + offset + _reach(pairs) for piece in row.pieces for offset, pairs in piece.parts)
    if row.nbytes >= width or lo + (count - 1) * width + end > limit or any(piece.rows[0] > 1 for piece in row.pieces):
        return None
    parts = tuple((piece.lo + offset, pairs) for piece in row.pieces for offset, pairs in piece.parts)
    placed = [
        _in_rows(view, column, width, row.nbytes, start + first * row.nbytes)
        for view, column, (_, first, _) in zip(group, row.views, columns, strict=True)
    ]
    return [Piece(lo=lo, parts=parts, target=start, rows=(count, width))], placed


def _row_of(view: Region, lo: int, width: int) -> tuple[Region, int, int] | None:
    """What the view has of one row, its first row, and its number of rows; None if it does not stay within rows."""
    axes = [axis for axis, st in enumerate(view.strides) if st == width and view.shape[axis] > 1]
    first, offset = divmod(view.address - lo, width)
    count = view.shape[axes[0]] if axes else 1
    shape = tuple(1 if axis in axes else n for axis, n in enumerate(view.shape))
    column = replace(view, address=offset, shape=shape)
    return (column, first, count) if len(axes) < 2 and column.span[1] <= width else None


def _in_rows(view: Region, column: Region, old: int, new: int, start: int) -> Region:
    strides = tuple(
        new if st == old and n > 1 else moved
        for n, st, moved in zip(view.shape, view.strides, column.strides, strict=True)
    )
    return replace(view, address=start + column.address, strides=strides)


def _reach(pairs: Pairs) -> int:
    """How far a lattice goes, its last byte included."""
    return sum(st * (n - 1) for st, n in pairs) + 1


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
    pieces = [_run(lo, hi - lo, places.of(lo)) for lo, hi in runs]
    return pieces, [found for view in group if (found := moved[view]) is not None]


def _union(views: list[Region]) -> list[tuple[int, int]] | None:
    runs: list[tuple[int, int]] = []
    for view in views:
        found = byte_runs(view) if _run_count(view) <= _MOST_RUNS else None
        if found is None or len(runs) + len(found) > _MOST_RUNS:
            return None
        runs += found
    joined: list[tuple[int, int]] = []
    for lo, hi in sorted(runs):
        if joined and lo <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(hi, joined[-1][1]))
        else:
            joined.append((lo, hi))
    return joined


def _run_count(view: Region) -> int:
    """In how many unbroken runs the bytes of a view lie, at the most."""
    return prod(count for _, count in lattice(view)[1:])


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
