"""The report of a comparison: the one to take, then all ways in four tables, then curves."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..reporting import (
    Axis,
    Block,
    Callout,
    CalloutKind,
    Cell,
    Column,
    Field,
    KeyValues,
    Paragraph,
    Plot,
    Point,
    Report,
    Section,
    Series,
    Table,
    Tone,
    Value,
    ValueType,
)
from .deciding import unrest
from .measurements import Measurement, Result, Status
from .wishes import Wishes

if TYPE_CHECKING:
    from .comparison import Comparison
    from .sweeps import Grown, Sweep

_HOW = (
    "Each line was run on this very object. Memory: by addresses and by inverting bytes. Time: the fastest"
    " round (fastest to median), all ways taking turns after a warm-up, each result dropped at once."
)
_CURVES = 7
_BUSY = 2.0


def report_of(comparison: Comparison, most: int | None = None) -> Report:
    """What there is to show of a comparison; of each table the first *most* rows, all without."""
    count = len(comparison.measurements)
    title = f"{comparison.title[0].upper()}{comparison.title[1:]}: {_counted(count)}, measured"
    blocks: list[Block] = [_recommended(comparison), *_unrest(comparison), _facts(comparison)]
    blocks += _tables(comparison, most)
    if comparison.sweep is not None:
        blocks.append(_section(comparison, comparison.sweep))
    return Report(title=title, blocks=(*blocks, Paragraph(text=_HOW)), data=data_of(comparison))


def _counted(ways: int) -> str:
    return "1 way" if ways == 1 else f"{ways} ways"


def _recommended(comparison: Comparison) -> Callout:
    found = comparison.recommendation
    if found.chosen is None:
        return Callout(kind=CalloutKind.WARNING, title="no way to recommend", text=f"{found.reason}.")
    kind = CalloutKind.RECOMMENDATION
    line = found.chosen.code
    is_long = "\n" in line
    return Callout(kind=kind, title="write" if is_long else line, text=f"{found.reason}.", code=line if is_long else "")


def _unrest(comparison: Comparison) -> Iterator[Callout]:
    times = unrest(comparison.measurements)
    if times >= _BUSY:
        text = f"Half of the calls took {times:.3g} times as long as their fastest round, and more. Run it again later."
        yield Callout(kind=CalloutKind.NOTE, title="this machine is busy", text=text)


def _facts(comparison: Comparison) -> KeyValues:
    asked = ", ".join(comparison.wishes.in_words()) or f"{comparison.aim}, as fast as possible"
    fields = (
        Field(name="x is", key="source", value=comparison.source),
        Field(name="asked for", value=asked),
        Field(name="measured on", key="machine", value=str(comparison.machine)),
    )
    return KeyValues(fields=fields)


def _tables(comparison: Comparison, most: int | None) -> Iterator[Table]:
    for table in _all_tables(comparison):
        left = len(table.rows) - (most or len(table.rows))
        note = f"{left} more: --all shows them."
        yield dataclasses.replace(table, rows=table.rows[:most], notes=(*table.notes, note)) if left > 1 else table


def _all_tables(comparison: Comparison) -> Iterator[Table]:
    wishes, everything = comparison.wishes, comparison.measurements
    ran = [m for m in everything if m.status is Status.RAN]
    right = [m for m in ran if not m.wrong]
    granted = [m for m in right if not wishes.missing(m)]
    others = [m for m in right if wishes.missing(m)]
    chosen = comparison.chosen
    if granted:
        yield _measured(granted, wishes, chosen, title="What was asked for")
    if others:
        yield _measured(others, wishes, None, title="Right values, but not what was asked for")
    wrong = [(m, "; ".join(m.wrong), Tone.BAD) for m in ran if m.wrong]
    if wrong:
        yield _told(wrong, title="Silently wrong for this x")
    refused = [(m, m.reason, Tone.NEUTRAL) for m in everything if m.status is Status.REFUSED]
    if refused:
        yield _told(refused, title="Refused for this x")
    left = [(m, m.reason, Tone.WARN) for m in everything if m.status is Status.NOT_RUN]
    if left:
        yield _told(left, title="Not run")


def _told(rows: Sequence[tuple[Measurement, str, Tone]], *, title: str) -> Table:
    columns = (Column(name="line", type=ValueType.CODE), Column(name="what happens"))
    lines: dict[tuple[str, Tone], list[str]] = {}
    for measurement, text, tone in rows:
        lines.setdefault((text, tone), []).append(measurement.code)
    cells = [(Cell(value="\n".join(codes)), Cell(value=text, tone=tone)) for (text, tone), codes in lines.items()]
    return Table(columns=columns, rows=tuple(cells), title=title)


_Reader = Callable[[Result], Value]


def _measured(rows: Sequence[Measurement], wishes: Wishes, chosen: Measurement | None, *, title: str) -> Table:
    """The columns that tell the rows apart; what is the same for all of them is said below."""
    facts = [(column, read) for column, read in _FACTS if _differs(read, rows)]
    columns = (
        Column(name="line", type=ValueType.CODE),
        *(c for c, _ in facts),
        Column(name="time", type=ValueType.TIME),
    )
    cells = [(_line(m, chosen), *(_fact(c, read, m, wishes) for c, read in facts), _time(m)) for m in rows]
    return Table(columns=columns, rows=tuple(cells), title=title, notes=_same_for_all(rows))


def _differs(read: _Reader, measurements: Sequence[Measurement]) -> bool:
    return len({read(m.result) for m in measurements if m.result is not None}) > 1


_NO_BYTES = "no bytes"
_VERDICT, _TEXT = ValueType.VERDICT, ValueType.TEXT
_FACTS: tuple[tuple[Column, _Reader], ...] = (
    (Column(name="memory", type=_VERDICT), lambda r: r.memory or _NO_BYTES),
    (Column(name="graph", type=_VERDICT), lambda r: r.graph or None),
    (Column(name="requires grad", type=ValueType.YES_NO), lambda r: r.requires_grad),
    (Column(name="dtype", type=_TEXT), lambda r: r.dtype),
    (Column(name="layout", type=_TEXT), lambda r: r.layout),
    (Column(name="device", type=_TEXT), lambda r: r.device),
    (Column(name="allocated", type=ValueType.BYTES), lambda r: r.allocated),
    (Column(name="peak", type=ValueType.BYTES), lambda r: r.peak),
)


def _fact(column: Column, read: _Reader, measurement: Measurement, wishes: Wishes) -> Cell:
    value = read(measurement.result) if measurement.result is not None else None
    wanted = {"memory": wishes.memory, "graph": wishes.graph, "dtype": wishes.dtype}.get(column.name, "")
    tone = Tone.NEUTRAL if not wanted or value in (None, _NO_BYTES) else Tone.GOOD if value == wanted else Tone.BAD
    return Cell(value=value, tone=tone if column.type is _VERDICT else Tone.NEUTRAL)


def _line(measurement: Measurement, chosen: Measurement | None) -> Cell:
    note = "; ".join(measurement.cautions)
    tone = Tone.WARN if note else Tone.GOOD if measurement is chosen else Tone.NEUTRAL
    return Cell(value=measurement.code, note=note, tone=tone)


def _time(measurement: Measurement) -> Cell:
    timing = measurement.timing
    if timing is None:
        return Cell(value=None)
    if not timing.has_spread:
        return Cell(value=timing.seconds, note="too slow to be timed often: no spread")
    return Cell(value=timing.seconds, low=timing.seconds, high=timing.median)


def _same_for_all(rows: Sequence[Measurement]) -> tuple[str, ...]:
    first = next((m.result for m in rows if m.result is not None), None)
    if first is None:
        return ()
    same = [(column.name, read(first)) for column, read in _FACTS if not _differs(read, rows)]
    same = [(name, value) for name, value in same if isinstance(value, str | bool) and value not in ("", _NO_BYTES)]
    words = [f"{name} {_word(value)}" for name, value in same]
    return (f"{'All of them' if len(rows) > 1 else 'It'}: {', '.join(words)}.",) if words else ()


def _word(value: Value) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


# --- curves -----------------------------------------------------------------------------------------------------------


def _section(comparison: Comparison, sweep: Sweep) -> Section:
    notes = [Paragraph(text=note) for note in sweep.notes]
    return Section(title="Over the size of x", blocks=(*plots_of(comparison, sweep), *notes))


def plots_of(comparison: Comparison, sweep: Sweep) -> tuple[Plot, Plot]:
    """Time over size and bytes over size, the recommended way set off from the others."""
    what = f"{comparison.title[0].upper()}{comparison.title[1:]}"
    size = Axis(name="size of x", unit="elements")
    return (
        Plot(
            title=f"{what}: time per call",
            x=size,
            y=Axis(name="time", type=ValueType.TIME),
            series=_series(sweep, _time_point),
        ),
        Plot(
            title=f"{what}: most bytes allocated during a call",
            x=size,
            y=Axis(name="bytes", type=ValueType.BYTES),
            series=_series(sweep, _byte_point),
        ),
    )


def _series(sweep: Sweep, point: Callable[[Grown], Point | None]) -> tuple[Series, ...]:
    curves = [(curve, [point(grown) for grown in curve.points]) for curve in sweep.curves[:_CURVES]]
    return tuple(
        Series(name=curve.label, points=tuple(filter(None, points)), emphasis=number == 0)
        for number, (curve, points) in enumerate(curves)
        if any(points)
    )


def _time_point(grown: Grown) -> Point:
    timing = grown.timing
    return Point(x=grown.elements, y=timing.seconds, low=timing.seconds, high=timing.median)


def _byte_point(grown: Grown) -> Point | None:
    return None if grown.bytes is None else Point(x=grown.elements, y=grown.bytes)


# --- for machines -----------------------------------------------------------------------------------------------------


def data_of(comparison: Comparison) -> dict[str, Any]:
    """Everything that was found, as JSON types."""
    found, wishes = comparison.recommendation, comparison.wishes
    return {
        "group": comparison.group,
        "source": comparison.source,
        "wishes": _plain(wishes),
        "machine": {**_plain(comparison.machine), "releases": dict(comparison.machine.releases)},
        "recommendation": {
            "line": found.chosen.code if found.chosen else None,
            "reason": found.reason,
            "too_close_to_call": [m.code for m in found.tied],
        },
        "unrest": unrest(comparison.measurements),
        "ways": [_way(m, wishes) for m in comparison.measurements],
        "sweep": _plain(comparison.sweep) if comparison.sweep is not None else None,
    }


def _way(measurement: Measurement, wishes: Wishes) -> dict[str, Any]:
    fields = _plain(measurement)
    fields["status"] = measurement.status.value
    return {**fields, "missing": list(wishes.missing(measurement))}


def _plain(value: Any) -> dict[str, Any]:
    """A frozen value as a dict of JSON types; nested ones too."""
    return {field.name: _json(getattr(value, field.name)) for field in dataclasses.fields(value)}


def _json(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _plain(value)
    return [_json(member) for member in value] if isinstance(value, tuple) else value
