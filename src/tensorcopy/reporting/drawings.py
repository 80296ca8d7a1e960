"""The blocks that are drawn: memory, curves, excerpts of source, and ways from place to place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from .values import Column, Tone, ValueType, require_anchor


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The bytes ``[lo, hi)`` of a storage, counted from its start, that one object lies on.

    strides: a remark on how it lies there, like ``every second row``.
    gaps: it skips bytes in between, so that two spans may cross without sharing a byte.
    """

    label: str
    lo: int
    hi: int
    strides: str = ""
    gaps: bool = False
    tone: Tone = Tone.NEUTRAL


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPart:
    """Bytes ``[lo, hi)`` that several objects lie on, named by the labels of their spans.

    gaps: not all of the bytes in between, only the first, the last and others.
    """

    lo: int
    hi: int
    labels: tuple[str, ...]
    gaps: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """One allocation and the spans over it.

    shared: the parts that several spans share. None works them out, and takes spans with gaps to share nothing: where
        there are such, whoever knows the strides has to say.
    """

    name: str
    bytes: int
    spans: tuple[Span, ...] = ()
    note: str = ""
    shared: tuple[SharedPart, ...] | None = None

    def __post_init__(self) -> None:
        ranges = [(span.lo, span.hi) for span in self.spans] + [(part.lo, part.hi) for part in self.shared or ()]
        for lo, hi in ranges:
            assert 0 <= lo <= hi <= self.bytes, f"[{lo}, {hi}) is not within {self.bytes} bytes"

    @property
    def shared_parts(self) -> tuple[SharedPart, ...]:
        """The parts that several spans share, from low to high."""
        return shared_parts(self.spans) if self.shared is None else self.shared

    @property
    def uncovered(self) -> int:
        """How many bytes lie outside of all spans."""
        covered = end = 0
        for span in sorted(self.spans, key=lambda s: s.lo):
            covered += max(0, span.hi - max(span.lo, end))
            end = max(end, span.hi)
        return self.bytes - covered


def shared_parts(spans: Iterable[Span]) -> tuple[SharedPart, ...]:
    """The maximal byte ranges over which the same two or more *spans* lie, from low to high; no spans with gaps."""
    dense = [span for span in spans if not span.gaps and span.lo < span.hi]
    edges = sorted({edge for span in dense for edge in (span.lo, span.hi)})
    found = []
    for lo, hi in pairwise(edges):
        labels = tuple(span.label for span in dense if span.lo <= lo and hi <= span.hi)
        if len(labels) > 1:
            found.append(SharedPart(lo=lo, hi=hi, labels=labels))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPicture:
    """Which objects lie on which bytes of which allocation."""

    storages: tuple[Storage, ...]
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A measured point of a curve; `low` and `high` bound what was seen there."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One curve. `emphasis` sets it off from the others: the one recommended, say."""

    name: str
    points: tuple[Point, ...]
    emphasis: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """What an axis counts. On a logarithmic axis zero has a place of its own at the lower end; negatives have none."""

    name: str
    type: ValueType = ValueType.NUMBER
    unit: str = ""
    log: bool = True

    @property
    def column(self) -> Column:
        """The same as a column of a table."""
        return Column(name=self.name, type=self.type, unit=self.unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Something that happens at `x` on the first axis, to whatever the curves show."""

    x: float
    name: str
    tone: Tone = Tone.NEUTRAL
    target: str = ""

    def __post_init__(self) -> None:
        require_anchor(self.target)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """Curves over a common axis, and moments on it."""

    x: Axis
    y: Axis
    series: tuple[Series, ...]
    title: str = ""
    moments: tuple[Moment, ...] = ()

    def __post_init__(self) -> None:
        names = [series.name for series in self.series]
        assert len(set(names)) == len(names), f"two series of one name: {names}"
        for point in (point for series in self.series for point in series.points):
            assert not self.x.log or point.x >= 0, f"{point} on a logarithmic axis"
            assert not self.y.log or min(point.y, point.low or 0) >= 0, f"{point} on a logarithmic axis"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A remark on one line of an excerpt; `columns` are the first character and the one after the last, from 0.

    target: an anchor of the same report that a page leads to from here.
    """

    line: int
    text: str = ""
    tone: Tone = Tone.WARN
    columns: tuple[int, int] | None = None
    target: str = ""

    def __post_init__(self) -> None:
        require_anchor(self.target)


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """How much one line of an excerpt has of something; `note` says of what it is made up."""

    line: int
    value: float
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """What stands beside the lines of an excerpt, drawn as bars of which `full` is the longest."""

    column: Column
    lines: tuple[Amount, ...]
    full: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Lines of a source file, the first of which has the number `first_line`, with remarks and amounts on some.

    anchor: what a page calls its lines: targets ``anchor-12`` lead to line 12.
    target: the anchor of another excerpt of the same file, to whose lines a page leads from the lines of this one.
    """

    path: str
    first_line: int
    lines: tuple[str, ...]
    marks: tuple[Mark, ...] = ()
    language: str = "python"
    title: str = ""
    amounts: Amounts | None = None
    anchor: str = ""
    target: str = ""

    def __post_init__(self) -> None:
        require_anchor(self.anchor)
        require_anchor(self.target)
        beside = self.amounts.lines if self.amounts else ()
        for line in (*(mark.line for mark in self.marks), *(amount.line for amount in beside)):
            assert 0 <= line - self.first_line < len(self.lines), (
                f"what is said of line {line} is on no line of the excerpt"
            )

    @property
    def amount_of(self) -> Mapping[int, Amount]:
        """The amounts by their lines."""
        return {amount.line: amount for amount in self.amounts.lines} if self.amounts else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """One place on a way: what it is, a line of code, a remark. `cut` says why the way ends behind it."""

    label: str
    code: str = ""
    remark: str = ""
    tone: Tone = Tone.NEUTRAL
    cut: str = ""
    target: str = ""

    def __post_init__(self) -> None:
        require_anchor(self.target)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """Places in the order in which something passes them, and where it stops: a path through the graph, say."""

    stops: tuple[Stop, ...]
    title: str = ""
