"""A report with a block of every kind, in which every text is one that some format could take for markup."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from enum import Enum
from itertools import count
from typing import Any

from tensorcopy.reporting import (
    Align,
    Amount,
    Amounts,
    Axis,
    Callout,
    CalloutKind,
    Cell,
    Code,
    Column,
    Excerpt,
    Field,
    KeyValues,
    Mark,
    MemoryPicture,
    Moment,
    Paragraph,
    Plot,
    Point,
    Report,
    Section,
    Series,
    SharedPart,
    Span,
    Stop,
    Storage,
    Table,
    Tone,
    ValueType,
    Way,
)

TRICKS = (
    "<script>alert(1) </script>",
    "\"quoted\" & 'single' &amp;",
    "\x1b[31mred \x1b[0m\x07",
    "pipe | and || pipe",
    "`tick` ``two`` ```three",
    "[red]loud[/red] [link](u) ![i](u)",
    "*star* **two** _under_ __init__ ~~gone~~",
    "right\u202eleft",
    "$x^2$ \\alpha \\| back\\",
    "{{braces}} {% tag %} ${js}",
    "</td></svg> <img src=x onerror=alert(1)>",
    "http://e.org/?a=1&b",
    "\udc80 surrogate \x00 nul \u2028 line",
    "--> <!-- ]]> </style>",
)
"""None has a word of more than twenty letters, which text in narrow columns would have to break."""

_numbers = count()


def tricky(start: str = "") -> str:
    """A text that no other one in the sample equals."""
    number = next(_numbers)
    return f"{start}t{number} {TRICKS[number % len(TRICKS)]} e{number}"


def _table(rows: int) -> Table:
    columns = (
        Column(name=tricky(), key="method", type=ValueType.CODE),
        Column(name=tricky(), key="memory", type=ValueType.VERDICT),
        Column(name=tricky(), key="graph", type=ValueType.YES_NO, align=Align.RIGHT),
        Column(name=tricky(), key="time", type=ValueType.TIME),
        Column(name=tricky(), key="allocated", type=ValueType.BYTES),
        Column(name=tricky(), key="elements", type=ValueType.NUMBER, unit=tricky()),
        Column(name=tricky(), key="remark"),
    )
    cells = tuple(
        (
            Cell(value=tricky("- ")),
            Cell(value=tricky(), tone=Tone.GOOD, note=tricky()),
            Cell(value=bool(row % 2)),
            Cell(value=1.234e-6 * 10**row, low=1.1e-6 * 10**row, high=1.5e-6 * 10**row, tone=Tone.BAD),
            Cell(value=4321 * 10**row),
            Cell(value=1001 + row),
            Cell(value=tricky("# "), tone=Tone.WARN),
        )
        for row in range(rows)
    )
    return Table(columns=columns, rows=cells, title=tricky(), notes=(tricky("1. "),))


def _fields() -> KeyValues:
    return KeyValues(
        title=tricky(),
        fields=(
            Field(name=tricky(), key="kind", value=tricky()),
            Field(name=tricky(), key="dtype", value=tricky(), type=ValueType.CODE, tone=Tone.WARN),
            Field(name=tricky(), key="size", value=400_000_123, type=ValueType.BYTES),
            Field(name=tricky(), key="time", value=0.0125, type=ValueType.TIME),
            Field(name=tricky(), key="count", value=987654, type=ValueType.NUMBER, unit=tricky()),
            Field(name=tricky(), key="writable", value=True, type=ValueType.YES_NO, tone=Tone.GOOD),
            Field(name=tricky(), key="nothing", value=None),
        ),
    )


def _memory() -> MemoryPicture:
    first, second = tricky(), tricky()
    spans = (
        Span(label=first, lo=0, hi=12_345, tone=Tone.BAD),
        Span(label=second, lo=6_789, hi=12_345, strides=tricky(), gaps=True),
    )
    part = SharedPart(lo=6_789, hi=9_876, labels=(first, second))
    return MemoryPicture(
        title=tricky(),
        storages=(
            Storage(name=tricky(), bytes=23_456, spans=spans, note=tricky(), shared=(part,)),
            Storage(name=tricky(), bytes=0),
        ),
    )


def _plot() -> Plot:
    first = tuple(Point(x=10.0**i, y=2.34e-6 * 10**i, low=2.22e-6 * 10**i, high=2.56e-6 * 10**i) for i in range(2, 5))
    second = tuple(Point(x=10.0**i, y=0.0 if i == 2 else 7.89e-5 * i) for i in range(2, 5))
    return Plot(
        title=tricky(),
        x=Axis(name=tricky(), unit=tricky()),
        y=Axis(name=tricky(), type=ValueType.TIME),
        series=(Series(name=tricky(), points=first, emphasis=True), Series(name=tricky(), points=second)),
        moments=(Moment(x=1000.0, name=tricky(), tone=Tone.BAD, target="a-1"), Moment(x=2000.0, name=tricky())),
    )


def _way() -> Way:
    return Way(
        title=tricky(),
        stops=(
            Stop(label=tricky(), code=tricky(), remark=tricky("- "), tone=Tone.BAD, cut=tricky()),
            Stop(label=tricky("1. "), tone=Tone.GOOD, target="a-998"),
        ),
    )


def _listing() -> Excerpt:
    amounts = (Amount(line=8, value=12_300_000.0, note=tricky("- ")), Amount(line=9, value=45_600.0))
    return Excerpt(
        path=tricky("dir/"),
        first_line=8,
        lines=("\tindented " + tricky(), tricky()),
        marks=(Mark(line=8, text=tricky(), columns=(1, 9)),),
        amounts=Amounts(column=Column(name=tricky(), type=ValueType.BYTES), lines=amounts, full=12_300_000.0),
        anchor="a",
        target="b",
    )


def _excerpt() -> Excerpt:
    return Excerpt(
        title=tricky(),
        path=tricky("dir/"),
        first_line=998,
        lines=("\tindented " + tricky(), tricky(), tricky("  ")),
        marks=(
            Mark(line=998, text=tricky(), tone=Tone.BAD, columns=(1, 9)),
            Mark(line=999, text=tricky("- "), tone=Tone.WARN),
        ),
    )


BLOCKS = {
    "paragraph": Paragraph(text=f"{tricky('1. ')}\n{tricky('# ')}", tone=Tone.WARN),
    "table": _table(4),
    "empty table": _table(0),
    "key-values": _fields(),
    "code": Code(title=tricky(), text=f"{tricky()}\n    {tricky()}\n```\n{tricky()}"),
    **{
        f"callout {kind.value}": Callout(
            kind=kind, title=tricky(), text=tricky(), code=tricky(), details=(Paragraph(text=tricky()),), anchor="c"
        )
        for kind in CalloutKind
    },
    "memory": _memory(),
    "plot": _plot(),
    "excerpt": _excerpt(),
    "listing": _listing(),
    "way": _way(),
    "section": Section(
        title=tricky(), lead=tricky(), blocks=(Section(title=tricky(), blocks=(Paragraph(text=tricky()),)),)
    ),
}
REPORT = Report(title=tricky(), lead=tricky(), blocks=tuple(BLOCKS.values()), data={"found": [1.5, float("inf")]})
NUMBERS_SHOWN = (
    "1.23 µs", "(1.10–1.50)", "12.3 µs", "123 µs", "1.23 ms", "4,321 B", "43.2 kB", "432 kB", "4.32 MB", "1,001",
    "400 MB (400,000,123 bytes)", "12.5 ms", "987,654", "[0, 12,345)", "[6,789, 12,345)", "[6,789, 9,876)",
    "23,456 bytes", "11,111 bytes", "0 bytes", "234 µs", "(222–256)", "2.34 ms", "23.4 ms", "237 µs", "316 µs", "0 s",
    "12.3 MB", "45.6 kB", "1,004", "10,000", "998", "999", "1000",
)  # fmt: skip
"""How the numbers of the report are written wherever people read them; 11,111 bytes lie outside of the spans."""


def texts_in(value: Any) -> Iterator[str]:
    """Every text of a report that came from outside, keys and languages left out."""
    match value:
        case Enum():
            return
        case str():
            yield value
        case tuple() | list():
            for inner in value:
                yield from texts_in(inner)
        case _ if dataclasses.is_dataclass(value):
            for field in dataclasses.fields(value):
                if field.name not in ("key", "language", "data", "anchor", "target"):
                    yield from texts_in(getattr(value, field.name))


def numbers_in(value: Any) -> Iterator[float]:
    """Every number of a report."""
    match value:
        case bool() | None | str():
            return
        case int() | float():
            yield value
        case Mapping():
            yield from numbers_in(list(value.values()))
        case tuple() | list():
            for inner in value:
                yield from numbers_in(inner)
        case _ if dataclasses.is_dataclass(value):
            yield from numbers_in([getattr(value, field.name) for field in dataclasses.fields(value)])
