"""The blocks that a report is made of: plain frozen values that print nothing and know no format.

Text is plain text, never markup: every format shows it as it is. Bytes and seconds are numbers; how they are written is
the format's business. A block that contradicts itself (a row of the wrong length, a span outside its storage) is a
mistake of the code that built it, and an `AssertionError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias

from .drawings import Excerpt, MemoryPicture, Plot, Way
from .showing import Shown
from .values import Column, Tone, Value, ValueType, key_with_unit, require_anchor


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
