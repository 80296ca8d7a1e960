"""Measure the same ways at many sizes of the source."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

from ..errors import BadArgumentError
from .comparing import measurements_of
from .comparison import Comparison
from .deciding import granting
from .groups import GROUPS
from .making import Order, made
from .measurements import Measurement
from .sweeps import Curve, Grown, Sweep

_CURVES = 7
"""How many curves a plot can hold and still be read."""
_APART = 1.5
"""How many times as long a way has to take for a curve of its own."""


def with_sweep(comparison: Comparison, order: Order, sizes: Sequence[int], budget: float) -> Comparison:
    """*comparison* with how its `telling` ways grow over *sizes*, in *budget* seconds for each size.

    A way is left out at a size where it would take too long or too much memory; the sweep ends where the source would.
    """
    names = {measurement.code: measurement.name for measurement in telling(comparison)}
    codes = list(names)
    points: dict[str, list[Grown]] = {code: [] for code in codes}
    notes: list[str] = []
    end = time.perf_counter() + 4 * budget * len(sizes)
    for elements in sizes:
        try:
            if time.perf_counter() > end:
                raise _out_of_time(elements)
            found = _measured_at(order.of_size(elements), comparison, codes, budget)
        except BadArgumentError as error:
            notes.append(f"The sweep ends before {elements:,} elements: {error.why}.")
            break
        for measurement, grown in found:
            points[measurement.code].append(grown)
    curves = tuple(Curve(code=code, name=names[code], points=tuple(grown)) for code, grown in points.items() if grown)
    return replace(comparison, sweep=Sweep(curves=curves, notes=tuple(notes)))


def telling(comparison: Comparison) -> tuple[Measurement, ...]:
    """The ways to draw curves of: the recommended one, tensorcopy's own, one of each kind, and others that differ."""
    timed = [m for m in comparison.measurements if m.timing is not None]
    granted = granting(timed, comparison.wishes)
    chosen = comparison.chosen
    one_of_each = {(m.result.memory, m.result.graph): m for m in reversed(timed) if m.result is not None}
    fixed = [m for m in timed if m is chosen or m.ours or m in one_of_each.values()]
    found = dict.fromkeys([*fixed, *_apart(granted, fixed)])
    return tuple(sorted(found, key=lambda m: m is not chosen))[:_CURVES]


def _apart(pool: Sequence[Measurement], taken: Sequence[Measurement]) -> list[Measurement]:
    """Those of *pool* whose times are a good part off all that are taken, slowest first."""
    times = [_seconds(m) for m in taken]
    found = []
    for measurement in sorted(pool, key=_seconds, reverse=True):
        if all(max(_seconds(measurement), other) > _APART * min(_seconds(measurement), other) for other in times):
            times.append(_seconds(measurement))
            found.append(measurement)
    return found


def _seconds(measurement: Measurement) -> float:
    return measurement.timing.seconds if measurement.timing is not None else 0.0


def _measured_at(
    order: Order, comparison: Comparison, codes: Sequence[str], budget: float
) -> list[tuple[Measurement, Grown]]:
    source = made(order)
    group = GROUPS[comparison.group]
    found = measurements_of(source, group, comparison.wishes, budget, only=codes)
    elements = math.prod(order.shape)
    return [
        (m, Grown(elements=elements, timing=m.timing, bytes=m.result.peak))
        for m in found
        if m.timing is not None and m.result is not None
    ]


def _out_of_time(elements: int) -> BadArgumentError:
    return BadArgumentError(
        f"no time is left for {elements:,} elements",
        why="the time budget is used up",
        fix="pass a larger --time-budget",
    )
