"""Curves as one SVG: axes with units, a grid of round numbers, and each curve named where it ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..drawings import Axis, Plot, Point, Series
from ..palette import color_of, dash_of
from ..quantities import tick_text, value_text
from ..scales import Scale, drawable, scales_of, spread_out
from ..tabulating import axis_text, moment_text, series_name
from ._html_words import esc, tone_class

_WIDTH, _HEIGHT = 860, 420
_LEFT, _TOP, _BOTTOM = 78, 14, 52
_LETTER, _LABEL_GAP, _LINE, _LONGEST = 7.2, 14, 17, 34
_MOST_MARKERS = 40
"""Where more points lie on a curve, they would hide it."""
_BOLD = 1.12
"""How many times as wide a bold letter is."""
_MARKERS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-3.6-3.6h7.2v7.2h-7.2z",
    "M0-4.8L4.4 3.4h-8.8z",
    "M0-5L5 0L0 5L-5 0z",
    "M-4.4-3.4h8.8L0 4.8z",
    "M-4.2-1.4h2.8v-2.8h2.8v2.8h2.8v2.8h-2.8v2.8h-2.8v-2.8h-2.8z",
    "M-4.6-2h9.2v4h-9.2z",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Canvas:
    """Two scales laid over the drawing."""

    x: Scale
    y: Scale
    right: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        across, up = self.x.place(x), self.y.place(y)
        return _LEFT + across * (self.right - _LEFT), _HEIGHT - _BOTTOM - up * (_HEIGHT - _BOTTOM - _TOP)


def plot_svg(plot: Plot) -> str:
    """The drawing. Its numbers are not in it as text, so a table of them belongs beside it."""
    across, up = scales_of(plot)
    longest = max((min(len(series_name(s)), _LONGEST) * (_BOLD if s.emphasis else 1) for s in plot.series), default=0)
    canvas = _Canvas(
        x=across,
        y=up,
        right=_WIDTH - _LABEL_GAP - 10 - longest * _LETTER,
    )
    named = esc(f"{plot.title or plot.y.name}: {axis_text(plot.y)} over {axis_text(plot.x)}")
    inside = "".join([*_axes(plot, canvas), *_moments(plot, canvas), *_curves(plot, canvas)])
    return f'<svg class="plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{named}">{inside}</svg>'


def _axes(plot: Plot, canvas: _Canvas) -> Iterator[str]:
    bottom, middle = _HEIGHT - _BOTTOM, (_LEFT + canvas.right) / 2
    for tick in canvas.x.ticks:
        x = canvas.at(tick, 0)[0]
        yield f'<path class="grid" d="M{x:.1f} {_TOP}V{bottom}"/>'
        yield f'<text class="tick" x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{_tick(tick, plot.x)}</text>'
    for tick in canvas.y.ticks:
        y = canvas.at(canvas.x.low, tick)[1]
        yield f'<path class="grid" d="M{_LEFT} {y:.1f}H{canvas.right:.1f}"/>'
        yield f'<text class="tick" x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{_tick(tick, plot.y)}</text>'
    yield f'<path class="frame" d="M{_LEFT} {_TOP}V{bottom}H{canvas.right:.1f}"/>'
    yield f'<text x="{middle:.1f}" y="{_HEIGHT - 10}" text-anchor="middle">{esc(_axis_label(plot.x))}</text>'
    turned = f'transform="translate(16 {(_TOP + bottom) / 2:.1f}) rotate(-90)"'
    yield f'<text {turned} text-anchor="middle">{esc(_axis_label(plot.y))}</text>'


def _moments(plot: Plot, canvas: _Canvas) -> Iterator[str]:
    """A line from top to bottom for each moment; what it is stands below the drawing, and where one points at it."""
    for moment in plot.moments:
        x, told = canvas.at(moment.x, 0)[0], esc(moment_text(moment, plot.x))
        tone = tone_class(moment.tone)
        yield f'<path class="moment {tone}" d="M{x:.1f} {_TOP}V{_HEIGHT - _BOTTOM}"><title>{told}</title></path>'


def _axis_label(axis: Axis) -> str:
    return axis_text(axis) + (", log scale" if axis.log else "")


def _tick(value: float, axis: Axis) -> str:
    return esc(tick_text(value, axis.type))


def _curves(plot: Plot, canvas: _Canvas) -> Iterator[str]:
    drawn = [(series, drawable(series)) for series in plot.series]
    ends = {series.name: canvas.at(points[-1].x, points[-1].y) for series, points in drawn if points}
    labels = spread_out({name: y for name, (_, y) in ends.items()}, low=_TOP + 6, high=_HEIGHT - _BOTTOM, apart=_LINE)
    for number, (series, points) in enumerate(drawn):
        if points:
            inside = [*_curve(number, points, canvas, plot), *_label(series, ends[series.name], labels, number, canvas)]
            yield f'<g class="{"strong" if series.emphasis else ""}">{"".join(inside)}</g>'


def _curve(number: int, points: list[Point], canvas: _Canvas, plot: Plot) -> Iterator[str]:
    color = f"var(--s{color_of(number)})"
    bounded = [point for point in points if point.low is not None and point.high is not None]
    if len(bounded) > 1:
        around = [canvas.at(p.x, p.high or 0) for p in bounded] + [canvas.at(p.x, p.low or 0) for p in bounded[::-1]]
        yield f'<path class="spread" style="fill:{color}" d="{_path(around)}z"/>'
    dash = " ".join(map(str, dash_of(number)))
    line = _path([canvas.at(point.x, point.y) for point in points])
    yield f'<path class="curve" style="stroke:{color}" stroke-dasharray="{dash}" d="{line}"/>'
    for point in points if len(points) <= _MOST_MARKERS else ():
        x, y = canvas.at(point.x, point.y)
        told = f"{value_text(point.x, plot.x.type)} {plot.x.unit}: {value_text(point.y, plot.y.type)} {plot.y.unit}"
        place = f'transform="translate({x:.1f} {y:.1f})"'
        marker = _MARKERS[number % len(_MARKERS)]
        yield f'<path class="marker" style="fill:{color}" {place} d="{marker}"><title>{esc(told)}</title></path>'


def _path(points: list[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _label(
    series: Series, end: tuple[float, float], labels: dict[str, float], number: int, canvas: _Canvas
) -> Iterator[str]:
    """The name at the end of its curve, in its colour, with a line to it."""
    color, y, x = f"var(--s{color_of(number)})", labels[series.name], canvas.right + _LABEL_GAP
    name = series_name(series)
    short = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
    yield f'<path class="leader" style="stroke:{color}" d="M{end[0] + 5:.1f} {end[1]:.1f}L{x - 3:.1f} {y:.1f}"/>'
    yield f'<text style="fill:{color}" x="{x:.1f}" y="{y + 4:.1f}">{esc(short)}<title>{esc(name)}</title></text>'
