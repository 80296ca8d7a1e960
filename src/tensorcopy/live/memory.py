"""Where elements lie in memory, and exactly which of them two objects have in common.

A `Region` is a strided set of elements at an address; everything here is arithmetic on it and touches no memory.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from .diophantine import MAX_WORK, solvable

MAX_RUNS = 1 << 16
"""Largest number of separate byte runs that are listed to count shared bytes; beyond, the count stays unknown."""


@dataclass(frozen=True, slots=True)
class Region:
    """Elements of *itemsize* bytes, the first at *address*, the others *strides* bytes apart (they may be negative).

    Two regions can only have bytes in common when they lie in the same *space*: ``host`` stands for every address that
    the processor's own numbering covers (CUDA included, which numbers host and device memory together).
    """

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int
    space: str = "host"
    label: str = ""

    @property
    def span(self) -> tuple[int, int]:
        """Half-open byte range ``[lo, hi)`` from the lowest to the highest byte; empty for no elements."""
        lo = hi = self.address
        for size, stride in zip(self.shape, self.strides, strict=True):
            if size == 0:
                return self.address, self.address
            if stride < 0:
                lo += (size - 1) * stride
            else:
                hi += (size - 1) * stride
        return lo, hi + self.itemsize

    @property
    def size(self) -> int:
        """Number of elements, as the shape counts them."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements, counting a byte as often as elements use it."""
        return self.size * self.itemsize

    def between(self, axis: int, first: int, last: int) -> Region:
        """The elements whose index along *axis* is in [first, last]."""
        shape = (*self.shape[:axis], last - first + 1, *self.shape[axis + 1 :])
        return replace(self, address=self.address + first * self.strides[axis], shape=shape)


def contiguous_strides(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """Byte strides of row-major memory without gaps."""
    strides, step = [], itemsize
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def lattice(region: Region) -> tuple[tuple[int, int], ...]:
    """The region's bytes as few (stride, count) pairs, smallest stride first, counted from the low end of its span.

    Regions with equal span and lattice are the same bytes. A lattice of one pair is one unbroken run. Repeated
    (stride 0), reversed and nested dimensions vanish; overlapping windows merge where their union is regular.
    """
    steps = [(1, region.itemsize)]
    steps += [(abs(st), n) for n, st in zip(region.shape, region.strides, strict=True) if n > 1 and st]
    steps.sort()
    merged = [steps[0]]
    for stride, count in steps[1:]:
        below, length = merged[-1]
        if stride % below == 0 and stride <= below * length:
            merged[-1] = (below, length + (count - 1) * (stride // below))
        else:
            merged.append((stride, count))
    return tuple(merged)


def overlaps(a: Region, b: Region, *, max_work: int = MAX_WORK) -> bool | None:
    """Whether the two have at least one byte in common. Exact; bounds first, then a bounded Diophantine equation.

    Interleaved views such as ``x[::2]`` and ``x[1::2]`` do not overlap. None (*may overlap*) past *max_work* steps.
    """
    if a.space != b.space:
        return False
    (a_lo, a_hi), (b_lo, b_hi) = a.span, b.span
    if a_lo >= a_hi or b_lo >= b_hi or a_hi <= b_lo or b_hi <= a_lo:
        return False
    first, second = lattice(a), lattice(b)
    if len(first) == 1 and len(second) == 1:
        return True
    terms = [(stride, count - 1) for stride, count in (*first, *second)]
    return solvable(terms, b_hi - 1 - a_lo, max_work=max_work)


def same_bytes(a: Region, b: Region) -> bool:
    """Whether both are the very same set of bytes, in whatever order they walk through it."""
    lo, hi = a.span
    return lo < hi and a.space == b.space and b.span == (lo, hi) and lattice(a) == lattice(b)


def overlaps_itself(region: Region, *, max_work: int = MAX_WORK) -> bool | None:
    """Whether two different elements use a common byte, as after ``expand``. Exact; None past *max_work* steps."""
    steps = sorted((abs(st), n - 1) for n, st in zip(region.shape, region.strides, strict=True) if n > 1)
    if region.size == 0 or not region.itemsize:
        return False
    if _nests(steps, region.itemsize):
        return False
    slack = region.itemsize - 1
    answers = [_meets(steps[k:], slack, max_work) for k in range(len(steps))]
    return True if True in answers else None if None in answers else False


def _nests(steps: list[tuple[int, int]], itemsize: int) -> bool:
    """Each stride clears everything that the smaller ones reach; enough to be free of overlap, and the usual case."""
    reach = itemsize
    for stride, last in steps:
        if stride < reach:
            return False
        reach += stride * last
    return True


def _meets(steps: list[tuple[int, int]], slack: int, max_work: int) -> bool | None:
    """Whether two elements that differ along the first step, and anyhow along the others, have a byte in common."""
    (stride, last), others = steps[0], steps[1:]
    centre = sum(st * n for st, n in others) + slack
    terms = [(stride, last - 1), *((st, 2 * n) for st, n in others), (1, 2 * slack)]
    return solvable([(c, n) for c, n in terms if c], centre - stride, max_work=max_work) if stride else True


def layout_of(region: Region) -> str:
    """How the elements are laid out, in one word or two."""
    shape, strides = region.shape, region.strides
    steps = [(n, st) for n, st in zip(shape, strides, strict=True) if n > 1]
    if region.size < 2 or _dense(steps, region.itemsize):
        return "contiguous"
    if any(st == 0 for _, st in steps):
        return "expanded"
    if overlaps_itself(region) is not False:
        return "overlapping"
    if any(st < 0 for _, st in steps):
        return "negative strides"
    return _permuted(steps, shape, strides, region.itemsize)


def _dense(steps: Iterable[tuple[int, int]], itemsize: int) -> bool:
    expected = itemsize
    for size, stride in reversed(list(steps)):
        if stride != expected:
            return False
        expected *= size
    return True


def _permuted(steps: list[tuple[int, int]], shape: Sequence[int], strides: Sequence[int], itemsize: int) -> str:
    if len(shape) in (4, 5):
        axes = (0, *range(2, len(shape)), 1)
        if _dense([(shape[k], strides[k]) for k in axes if shape[k] > 1], itemsize):
            return "channels_last" if len(shape) == 4 else "channels_last_3d"
    if _dense(reversed(steps), itemsize):
        return "column-major"
    if _dense(sorted(steps, key=lambda step: -step[1]), itemsize):
        return "permuted"
    return "gaps"


def meeting_spans(regions: Sequence[Region]) -> Iterator[tuple[int, int]]:
    """Positions of all pairs whose spans meet, by one sweep over the sorted starts: candidates for `overlaps`.

    Every region that may still reach the next one is kept, not only the last, so a long one is never forgotten.
    """
    spans = [region.span for region in regions]
    active: dict[str, list[int]] = {}
    for k in sorted((k for k, (lo, hi) in enumerate(spans) if lo < hi), key=lambda k: spans[k]):
        alive = [j for j in active.get(regions[k].space, ()) if spans[j][1] > spans[k][0]]
        yield from ((min(j, k), max(j, k)) for j in alive)
        active[regions[k].space] = [*alive, k]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """What two objects have in common in memory. Indices and ranges belong to the first pair of parts that meet."""

    kind: str
    """``same memory``, ``overlap``, ``disjoint`` or ``unknown``."""
    bytes: int | None = 0
    """Bytes in common; None where counting them would take too long or where they are not known."""
    elements: tuple[int | None, int | None] = (0, 0)
    """How many elements of the first and of the second have such bytes."""
    first: tuple[tuple[int, ...] | None, tuple[int, ...] | None] = (None, None)
    """Index of the first such element, in row-major order, in the first and in the second."""
    ranges: tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]] = ((), ())
    """Half-open index ranges that enclose all of them, one a dimension, in the first and in the second."""
    parts: tuple[str, str] = ("", "")
    """Which part of each it is (``values``, ``indices``, a column), or empty for objects of one part."""
    why: str = ""
    """Why nothing more is known."""

    def __bool__(self) -> bool:
        return self.kind in ("same memory", "overlap")

    def __str__(self) -> str:
        if not self:
            return f"{self.kind}: {self.why}" if self.why else self.kind
        amount = "some bytes" if self.bytes is None else f"{self.bytes:,} bytes"
        return f"{self.kind}: {amount}, {_in_words(self, 0)} of the first, {_in_words(self, 1)} of the second"


def _in_words(overlap: Overlap, side: int) -> str:
    count, part = overlap.elements[side], overlap.parts[side]
    ranges = ", ".join(f"{lo}:{hi}" for lo, hi in overlap.ranges[side])
    of_part = f" of {part!r}" if part else ""
    return f"{'some' if count is None else f'{count:,}'} elements{of_part} within [{ranges}]"


def measure(a: Sequence[Region], b: Sequence[Region], *, max_work: int = MAX_WORK) -> Overlap:
    """What the two sets of regions have in common, element by element. Costs milliseconds; `overlaps` microseconds."""
    everything = [*a, *b]
    pairs = [(everything[i], everything[j]) for i, j in sorted(meeting_spans(everything)) if i < len(a) <= j]
    answers = [overlaps(x, y, max_work=max_work) for x, y in pairs]
    met = [pair for pair, answer in zip(pairs, answers, strict=True) if answer]
    if not met:
        return Overlap(kind="disjoint") if None not in answers else _undecided(max_work)
    same = len(a) == len(b) and all(same_bytes(x, y) for x, y in zip(a, b, strict=True))
    return _detailed("same memory" if same else "overlap", met, max_work)


def _undecided(max_work: int) -> Overlap:
    why = f"may overlap; the strides are so irregular that {max_work:,} steps did not decide it"
    return Overlap(kind="unknown", bytes=None, elements=(None, None), why=why)


def _detailed(kind: str, met: list[tuple[Region, Region]], max_work: int) -> Overlap:
    a, b = met[0]
    return Overlap(
        kind=kind,
        bytes=_total(common_bytes(x, y) for x, y in met),
        elements=(touched_elements(a, b), touched_elements(b, a)),
        first=(first_common(a, b, max_work=max_work), first_common(b, a, max_work=max_work)),
        ranges=(common_ranges(a, b, max_work=max_work), common_ranges(b, a, max_work=max_work)),
        parts=(a.label, b.label),
    )


def _total(counts: Iterable[int | None]) -> int | None:
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total


def first_common(a: Region, b: Region, *, max_work: int = MAX_WORK) -> tuple[int, ...] | None:
    """Index of the first element of *a*, in row-major order, that has a byte in common with *b*; None if none."""
    if not overlaps(a, b, max_work=max_work):
        return None
    index = []
    for axis in range(len(a.shape)):
        k = _least(a, b, axis, max_work)
        index.append(k)
        a = a.between(axis, k, k)
    return tuple(index)


def common_ranges(a: Region, b: Region, *, max_work: int = MAX_WORK) -> tuple[tuple[int, int], ...]:
    """The tightest index ranges of *a*, one a dimension, that hold every element with a byte in common with *b*."""
    ranges = []
    for axis, size in enumerate(a.shape):
        lo = _least(a, b, axis, max_work)
        mirrored = replace(
            a.between(axis, size - 1, size - 1),
            shape=a.shape,
            strides=(*a.strides[:axis], -a.strides[axis], *a.strides[axis + 1 :]),
        )
        ranges.append((lo, size - _least(mirrored, b, axis, max_work)))
    return tuple(ranges)


def _least(a: Region, b: Region, axis: int, max_work: int) -> int:
    """The smallest index along *axis* where *a* meets *b*, by bisection: meeting within [0, k] can only grow with k.

    An undecided question counts as meeting, so the answer errs towards telling of too many elements.
    """
    low, high = 0, a.shape[axis] - 1
    while low < high:
        middle = (low + high) // 2
        if overlaps(a.between(axis, low, middle), b, max_work=max_work) is False:
            low = middle + 1
        else:
            high = middle
    return low


def byte_runs(region: Region) -> list[tuple[int, int]] | None:
    """The region's bytes as sorted, disjoint, half-open runs; None where there are more than `MAX_RUNS`."""
    lo, hi = region.span
    if lo >= hi:
        return []
    (_, length), *outer = lattice(region)
    if prod(count for _, count in outer) > MAX_RUNS:
        return None
    starts = sorted(lo + sum(offsets) for offsets in product(*(range(0, st * n, st) for st, n in outer)))
    runs: list[tuple[int, int]] = []
    for start in starts:
        if runs and start <= runs[-1][1]:
            runs[-1] = (runs[-1][0], start + length)
        else:
            runs.append((start, start + length))
    return runs


def common_bytes(a: Region, b: Region) -> int | None:
    """How many bytes the two have in common; None where either has more than `MAX_RUNS` runs."""
    first, second = byte_runs(a), byte_runs(b)
    if first is None or second is None or a.space != b.space:
        return None if a.space == b.space else 0
    ends, total = [hi for _, hi in second], 0
    for lo, hi in first:
        for k in range(bisect_right(ends, lo), len(second)):
            if second[k][0] >= hi:
                break
            total += min(hi, second[k][1]) - max(lo, second[k][0])
    return total


def touched_elements(a: Region, b: Region) -> int | None:
    """How many elements of *a*, as its shape counts them, have a byte in common with *b*; None where too many runs."""
    runs = byte_runs(b)
    copies, length, outer = _element_rows(a)
    if runs is None or a.space != b.space or prod(count for _, count in outer) > MAX_RUNS:
        return None if a.space == b.space else 0
    lo = a.span[0]
    rows = (lo + sum(offsets) for offsets in product(*(range(0, st * n, st) for st, n in outer)))
    return copies * sum(_touched_in_row(row, length, a.itemsize, runs) for row in rows)


def _element_rows(region: Region) -> tuple[int, int, list[tuple[int, int]]]:
    """How often every element is repeated, the elements that lie back to back, and the (stride, count) of such rows."""
    steps = sorted((abs(st), n) for n, st in zip(region.shape, region.strides, strict=True) if n != 1)
    copies, length = prod(n for st, n in steps if st == 0), 1
    outer: list[tuple[int, int]] = []
    for stride, count in (step for step in steps if step[0]):
        if not outer and stride == region.itemsize * length:
            length *= count
        else:
            outer.append((stride, count))
    return copies, length, outer


def _touched_in_row(start: int, length: int, itemsize: int, runs: list[tuple[int, int]]) -> int:
    end, total, done = start + length * itemsize, 0, -1
    for k in range(max(0, bisect_right(runs, (start, start)) - 1), len(runs)):
        lo, hi = runs[k]
        if lo >= end:
            break
        if hi > start:
            first = max((max(lo, start) - start) // itemsize, done + 1)
            done = max(done, (min(hi, end) - 1 - start) // itemsize)
            total += max(0, done - first + 1)
    return total
