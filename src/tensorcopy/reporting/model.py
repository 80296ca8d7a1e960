"""The blocks that a report is made of: plain frozen values that print nothing and know no format.

Text is plain text, never markup: every format shows it as it is. Bytes and seconds are numbers; how they are written is
the format's business. A block that contradicts itself (a row of the wrong length, a span outside its storage) is a
mistake of the code that built it, and an `AssertionError`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from typing import Any, TypeAlias

from .showing import Shown

_ANCHOR = re.compile(r"[a-z][a-z0-9-]*")

Value: TypeAlias = str | int | float | bool | None
"""What a cell holds; None where there is nothing to say."""


class Tone(Enum):
    """How good what is said is for the reader. Formats show it by a sign and a colour, never by colour alone."""

    NEUTRAL = "neutral"
    GOOD = "good"
    WARN = "warn"
    BAD = "bad"


class Align(Enum):
    """Which side of its column a value stands on."""

    LEFT = "left"
    RIGHT = "right"


class ValueType(Enum):
    """What a value is, which decides how it is written, aligned and sorted."""

    TEXT = "text"
    CODE = "code"
    NUMBER = "number"
    TIME = "time"
    """Seconds."""
    BYTES = "bytes"
    YES_NO = "yes or no"
    VERDICT = "verdict"
    """One or two words that judge, like ``shares``; the tone says what to think of it."""

    @property
    def is_quantity(self) -> bool:
        """True for what is measured or counted, and so must never be broken or cut."""
        return self in (ValueType.NUMBER, ValueType.TIME, ValueType.BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One value of a table.

    low, high: for a measured value, between what it was seen to lie, in the same unit.
    note: a footnote; equal notes of one table are written once.
    target: an anchor of the same report that a page leads to from here.
    """

    value: Value
    low: float | None = None
    high: float | None = None
    tone: Tone = Tone.NEUTRAL
    note: str = ""
    target: str = ""

    def __post_init__(self) -> None:
        require_anchor(self.target)


Row: TypeAlias = tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a table.

    key: its name for machines; made from `name` where empty. The unit is added to it.
    unit: of a number, like ``elements``; times and bytes have their own.
    align: right for quantities and left for all else, unless given.
    """

    name: str
    type: ValueType = ValueType.TEXT
    unit: str = ""
    key: str = ""
    align: Align | None = None

    @property
    def machine_key(self) -> str:
        """The key with its unit: ``time_seconds``, ``allocated_bytes``, ``size_elements``."""
        return key_with_unit(self.key or self.name, self.type, self.unit)

    @property
    def side(self) -> Align:
        """Where its values stand."""
        return self.align or (Align.RIGHT if self.type.is_quantity else Align.LEFT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of typed values. `notes` are remarks under the table that belong to no single cell."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    title: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        assert self.columns, "a table has columns"
        keys = [column.machine_key for column in self.columns]
        assert len(set(keys)) == len(keys), f"two columns of one key: {keys}"
        wrong = [len(row) for row in self.rows if len(row) != len(self.columns)]
        assert not wrong, f"a row of {wrong[0]} cells in a table of {len(self.columns)} columns"

    @property
    def footnotes(self) -> tuple[str, ...]:
        """The notes of its cells in the order in which they are met, each once."""
        return tuple(dict.fromkeys(cell.note for row in self.rows for cell in row if cell.note))


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """Running text."""

    text: str
    tone: Tone = Tone.NEUTRAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One named fact."""

    name: str
    value: Value
    type: ValueType = ValueType.TEXT
    unit: str = ""
    key: str = ""
    tone: Tone = Tone.NEUTRAL

    @property
    def machine_key(self) -> str:
        """The key with its unit."""
        return key_with_unit(self.key or self.name, self.type, self.unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyValues:
    """Named facts about one thing."""

    fields: tuple[Field, ...]
    title: str = ""

    def __post_init__(self) -> None:
        keys = [field.machine_key for field in self.fields]
        assert len(set(keys)) == len(keys), f"two fields of one key: {keys}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """Lines to read or to copy."""

    text: str
    language: str = "python"
    title: str = ""


class CalloutKind(Enum):
    """Why a callout is set apart."""

    RECOMMENDATION = "recommendation"
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"

    @property
    def tone(self) -> Tone:
        """The tone that goes with it."""
        return _TONES[self]


_TONES = {
    CalloutKind.RECOMMENDATION: Tone.GOOD,
    CalloutKind.NOTE: Tone.NEUTRAL,
    CalloutKind.WARNING: Tone.WARN,
    CalloutKind.ERROR: Tone.BAD,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Callout:
    """What must not be overlooked: a headline, the reason, and the line to write or the line that is wrong.

    details: what belongs to it: the lines that it is about, a picture.
    anchor: what a page calls the place, so that targets lead there.
    """

    kind: CalloutKind
    title: str
    text: str = ""
    code: str = ""
    details: tuple[Block, ...] = ()
    anchor: str = ""

    def __post_init__(self) -> None:
        require_anchor(self.anchor)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Blocks under a heading of their own; sections may hold sections."""

    title: str
    blocks: tuple[Block, ...]
    lead: str = ""


Block: TypeAlias = Paragraph | Table | KeyValues | Code | Callout | MemoryPicture | Plot | Excerpt | Way | Section


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(Shown):
    """All that one command or call has to say.

    lead: the answer in one sentence; the blocks give the grounds.
    data: the same findings for machines, as JSON types; only the JSON format carries it.
    """

    title: str
    lead: str = ""
    blocks: tuple[Block, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def report(self) -> Report:
        """Itself."""
        return self


def table(
    columns: Sequence[Column | str],
    rows: Iterable[Sequence[Cell | Value]],
    *,
    title: str = "",
    notes: Sequence[str] = (),
) -> Table:
    """A table from plain values: a string is a text column of that name, a value is a cell without tone or note."""
    return Table(
        columns=tuple(c if isinstance(c, Column) else Column(name=c) for c in columns),
        rows=tuple(tuple(v if isinstance(v, Cell) else Cell(value=v) for v in row) for row in rows),
        title=title,
        notes=tuple(notes),
    )


def require_anchor(name: str) -> None:
    """A name that needs no escaping in an address: small letters, digits and dashes, or nothing."""
    assert not name or _ANCHOR.fullmatch(name), f"{name!r} is no anchor"


def key_with_unit(name: str, value_type: ValueType, unit: str = "") -> str:
    """*name* as a key, in small letters and underscores, that ends in the unit of what it holds."""
    key = _as_key(name)
    suffix = {ValueType.TIME: "seconds", ValueType.BYTES: "bytes"}.get(value_type, _as_key(unit) if unit else "")
    return f"{key}_{suffix}" if suffix and key != suffix and not key.endswith(f"_{suffix}") else key


def _as_key(text: str) -> str:
    return re.sub(r"\W+", "_", text).strip("_").lower() or "value"
