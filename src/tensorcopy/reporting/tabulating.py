"""Pictures as tables and text, for formats that cannot draw and for readers who want the numbers."""

from __future__ import annotations

from collections.abc import Mapping

from .drawings import Axis, Excerpt, Moment, Plot, Point, Series, SharedPart, Span
from .model import Cell, Table
from .quantities import signed, value_text
from .values import Column, ValueType


def byte_range(lo: int, hi: int) -> str:
    """``[48, 64)``."""
    return f"[{lo:,}, {hi:,})"


def span_text(span: Span) -> str:
    """Where a span lies and how."""
    return f"{byte_range(span.lo, span.hi)} {span.strides}".rstrip()


def part_text(part: SharedPart) -> str:
    """Who shares a part, and whether there are gaps in it."""
    return ", ".join(part.labels) + (" (with gaps)" if part.gaps else "")


def axis_text(axis: Axis) -> str:
    """The name of an axis and its unit; times and bytes say theirs at each number."""
    return f"{axis.name} ({axis.unit})" if axis.unit else axis.name


def series_name(series: Series) -> str:
    """The name of a curve, with a sign before one that is to stand out."""
    return f"» {series.name}" if series.emphasis else series.name


def moment_text(moment: Moment, axis: Axis) -> str:
    """When something happens, and what."""
    at = f"{value_text(moment.x, axis.type)} {axis.unit}".rstrip()
    return f"{at}: {signed(moment.name, moment.tone)}"


def amount_texts(excerpt: Excerpt) -> Mapping[int, str]:
    """What stands before each line of an excerpt for its amount, all of one width; nothing where no line has one."""
    found = (
        {line: value_text(a.value, excerpt.amounts.column.type) for line, a in excerpt.amount_of.items()}
        if excerpt.amounts
        else {}
    )
    width = max(map(len, found.values()), default=0)
    numbers = range(excerpt.first_line, excerpt.first_line + len(excerpt.lines))
    return {number: f"{found.get(number, ''):>{width}} | " if found else "" for number in numbers}


def cells_of(lo: int, hi: int, size: int, width: int) -> tuple[int, int]:
    """Which of *width* characters, the first and the one after the last, stand for ``[lo, hi)`` of *size* bytes.

    All that the bytes touch, so at least one unless there are none.
    """
    return (lo * width // size, -(-hi * width // size)) if lo < hi else (0, 0)


def table_of(plot: Plot) -> Table:
    """The points of all curves: a row for each value on the first axis, a column for each curve."""
    at = [{point.x: point for point in series.points} for series in plot.series]
    rows = [(Cell(value=x), *(_cell(curve.get(x)) for curve in at)) for x in sorted({x for curve in at for x in curve})]
    curves = (
        Column(name=series_name(series), type=plot.y.type, unit=plot.y.unit, key=f"curve {number} {series.name}")
        for number, series in enumerate(plot.series)
    )
    return Table(columns=(plot.x.column, *curves), rows=tuple(rows), title=f"{axis_text(plot.y)} over {plot.x.name}")


def turned_table_of(plot: Plot) -> Table:
    """The same with a row for each curve and a column for each value on the first axis: for curves of long names."""
    at = [{point.x: point for point in series.points} for series in plot.series]
    places = sorted({x for curve in at for x in curve})
    columns = [
        Column(name=f"{value_text(x, plot.x.type)} {plot.x.unit}".rstrip(), type=plot.y.type, key=f"at {number}")
        for number, x in enumerate(places)
    ]
    rows = [
        (Cell(value=series_name(series)), *(_cell(curve.get(x)) for x in places))
        for series, curve in zip(plot.series, at, strict=True)
    ]
    title = f"{axis_text(plot.y)} over {axis_text(plot.x)}"
    return Table(columns=(Column(name="", type=ValueType.CODE, key="curve"), *columns), rows=tuple(rows), title=title)


def _cell(point: Point | None) -> Cell:
    return Cell(value=None) if point is None else Cell(value=point.y, low=point.low, high=point.high)
