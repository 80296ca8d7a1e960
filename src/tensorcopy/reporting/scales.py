"""Where numbers lie along an axis, and which round numbers to write there."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from .drawings import Plot, Point, Series


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """A map of the numbers from `low` to `high` onto 0 to 1. On a logarithmic scale with `zero`, zero lies at 0."""

    low: float
    high: float
    log: bool
    zero: bool = False

    def place(self, value: float) -> float:
        """Where *value* lies, 0 at the lower end and 1 at the upper."""
        if not self.log:
            return (value - self.low) / (self.high - self.low)
        if value <= 0:
            return 0.0
        part = math.log(value / self.low) / math.log(self.high / self.low)
        return _FLOOR + part * (1 - _FLOOR) if self.zero else part

    @property
    def ticks(self) -> tuple[float, ...]:
        """Four to ten round numbers within the scale, zero among them where it has a place."""
        if self.log:
            return (0.0,) * self.zero + _decades(self.low, self.high)
        return _steps(self.low, self.high)


_FLOOR = 0.1


def scale_for(values: Iterable[float], *, log: bool) -> Scale:
    """The scale that holds all finite *values*, with a little room at both ends."""
    finite = [value for value in values if math.isfinite(value)]
    positive = [value for value in finite if value > 0]
    if log and positive:
        low, high = min(positive), max(positive)
        room = (high / low) ** 0.04 if high > low else 2.0
        return Scale(low=low / room, high=high * room, log=True, zero=len(positive) < len(finite))
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    room = (high - low) * 0.04 or abs(high) * 0.5 or 1.0
    return Scale(low=low if low == 0 else low - room, high=high + room, log=False)


def scales_of(plot: Plot) -> tuple[Scale, Scale]:
    """The scales of both axes, wide enough for all points and their bounds."""
    points = [point for series in plot.series for point in drawable(series)]
    bounds = [y for point in points for y in (point.y, point.low, point.high) if y is not None]
    places = [*(point.x for point in points), *(moment.x for moment in plot.moments)]
    return scale_for(places, log=plot.x.log), scale_for(bounds, log=plot.y.log)


def drawable(series: Series) -> list[Point]:
    """The finite points of a curve, from left to right."""
    finite = (point for point in series.points if math.isfinite(point.x) and math.isfinite(point.y))
    return sorted(finite, key=lambda point: point.x)


def spread_out(places: dict[str, float], *, low: float, high: float, apart: float) -> dict[str, float]:
    """*places* moved as little as keeps any two of them *apart*, from *low* to *high* as far as they fit there."""
    found: dict[str, float] = {}
    floor, ceiling = low, high
    for name, place in sorted(places.items(), key=lambda item: item[1]):
        found[name] = max(place, floor)
        floor = found[name] + apart
    for name in reversed(found):
        found[name] = min(found[name], ceiling)
        ceiling = found[name] - apart
    return found


def _decades(low: float, high: float) -> tuple[float, ...]:
    """Powers of ten from *low* to *high*, fewer where there are many, and halves of them where there are few."""
    decades = math.log10(high / low)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    factors = (1.0,) if decades > 2.5 else (1.0, 2.0, 5.0)
    found = (factor * 10.0**power for power in range(first, last + 1, max(1, int(decades / 8))) for factor in factors)
    ticks = tuple(float(f"{tick:.6g}") for tick in found if low <= tick <= high)
    return ticks if len(ticks) > 2 else _steps(low, high)


def _steps(low: float, high: float) -> tuple[float, ...]:
    """Multiples of 1, 2 or 5 times a power of ten."""
    raw = (high - low) / 6
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw)
    count = math.floor(high / step) - math.ceil(low / step) + 1
    return tuple(float(f"{(math.ceil(low / step) + i) * step:.6g}") for i in range(count))
