"""Plots as PNG and SVG files, drawn by matplotlib, which the extra ``plot`` brings."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..errors import BadArgumentError, MissingLibraryError
from .drawings import Axis, Plot, Series
from .escaping import visible
from .palette import ON_DARK, ON_WHITE, color_of, dash_of
from .quantities import tick_text
from .scales import Scale, drawable, scales_of, spread_out
from .tabulating import axis_text, series_name
from .writing import require_writable, write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SUFFIXES = (".png", ".svg")
_MARKERS = "os^Dv*P"
_PAPER = {"light": ("#ffffff", "#1b1f24", "#d0d7de", ON_WHITE), "dark": ("#14181d", "#e6e9ed", "#3a424c", ON_DARK)}
_SETTINGS: Any = {"svg.hashsalt": "tensorcopy", "svg.fonttype": "none", "font.size": 9}


def save(plot: Plot, path: str | Path, *, theme: Literal["light", "dark"] = "light") -> None:
    """Write *plot* as a picture, PNG or SVG by the suffix of *path*, on white or on dark paper. Loads matplotlib.

    The same plot gives the same bytes. The file is there whole or not at all.

    Raises:
        BadArgumentError: the suffix is another one, or the file cannot be written.
        MissingLibraryError: matplotlib is not installed.
    """
    require_drawable(path)
    write_atomically(path, _drawn(plot, Path(path).suffix.lower()[1:], theme))


def require_drawable(path: str | Path) -> None:
    """Say now, and not after long work, that `save` could not write *path*. Loads matplotlib, writes nothing there.

    Raises:
        BadArgumentError: its suffix is neither PNG nor SVG, or the file cannot be written.
        MissingLibraryError: matplotlib is not installed.
    """
    if Path(path).suffix.lower() not in _SUFFIXES:
        raise BadArgumentError(
            f"cannot draw a plot as {Path(path).name!r}",
            why=f"the suffix has to be one of {', '.join(_SUFFIXES)}",
            fix=f"write to {Path(path).with_suffix('.png').name!r}",
        )
    require_writable(path)
    try:
        import matplotlib.figure  # noqa: F401 - only whether it is there
    except ImportError as error:
        raise MissingLibraryError(
            "cannot draw the plot", why="matplotlib is not installed", fix="pip install 'tensorcopy[plot]'"
        ) from error


def _drawn(plot: Plot, file_type: str, theme: str) -> bytes:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    content = io.BytesIO()
    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=(8.6, 4.6), dpi=150)
        _draw(plot, figure, theme)
        metadata = {"Date": None} if file_type == "svg" else {"Software": None}
        figure.savefig(content, format=file_type, bbox_inches="tight", metadata=metadata)
    return content.getvalue()


def _draw(plot: Plot, figure: Figure, theme: str) -> None:
    paper, ink, line, colors = _PAPER[theme]
    figure.set_facecolor(paper)
    axes = figure.add_subplot(facecolor=paper)
    for number, series in enumerate(plot.series):
        _curve(axes, series, number, colors[color_of(number)])
    across, up = scales_of(plot)
    _axis(axes, "x", plot.x, across, ink)
    _axis(axes, "y", plot.y, up, ink)
    axes.set_title(visible(plot.title), loc="left", color=ink, fontweight="bold", parse_math=False)
    axes.grid(color=line, linewidth=0.6)
    axes.set_axisbelow(True)
    for name, spine in axes.spines.items():
        spine.set_visible(name in ("left", "bottom"))
        spine.set_color(ink)
    _names(axes, plot, colors)


def _curve(axes: Axes, series: Series, number: int, color: str) -> None:
    points = drawable(series)
    bounded = [point for point in points if point.low is not None and point.high is not None]
    style: Any = (0, dash_of(number)) if dash_of(number) else "-"
    axes.fill_between(
        [p.x for p in bounded],
        [p.low or 0 for p in bounded],
        [p.high or 0 for p in bounded],
        color=color,
        alpha=0.16,
        lw=0,
    )
    axes.plot(
        [p.x for p in points],
        [p.y for p in points],
        color=color,
        linestyle=style,
        linewidth=2.6 if series.emphasis else 1.5,
        marker=_MARKERS[number % len(_MARKERS)],
        markersize=5,
        clip_on=False,
    )


def _axis(axes: Axes, side: Literal["x", "y"], meaning: Axis, scale: Scale, ink: str) -> None:
    """Scale, ticks and label of one side. Zero, which a logarithm cannot place, gets a short stretch of its own."""
    log: tuple[str, dict[str, Any]] = (
        ("symlog", {"linthresh": scale.low, "linscale": 0.3}) if scale.zero else ("log", {})
    )
    name, options = log if scale.log else ("linear", {})
    (axes.set_xscale if side == "x" else axes.set_yscale)(name, **options)
    (axes.set_xlim if side == "x" else axes.set_ylim)(0 if scale.zero else scale.low, scale.high)
    axis = axes.xaxis if side == "x" else axes.yaxis
    axis.set_ticks(scale.ticks, [tick_text(tick, meaning.type) for tick in scale.ticks])
    axis.set_ticks([], minor=True)
    axis.set_tick_params(color=ink, labelcolor=ink, length=0)
    text = axis_text(meaning) + (", log scale" if meaning.log else "")
    axis.set_label_text(visible(text), color=ink, parse_math=False)


def _names(axes: Axes, plot: Plot, colors: tuple[str, ...]) -> None:
    """Each curve's name beside its end, in its colour, as far apart as lines of text."""
    ends = {series.name: drawable(series)[-1] for series in plot.series if drawable(series)}
    within = axes.transData + axes.transAxes.inverted()
    heights = {name: float(within.transform((point.x, point.y))[1]) for name, point in ends.items()}
    places = spread_out(heights, low=0.0, high=1.0, apart=0.05)
    for number, series in enumerate(plot.series):
        if series.name in ends:
            end, color = ends[series.name], colors[color_of(number)]
            axes.annotate(
                visible(series_name(series)),
                xy=(end.x, end.y),
                xytext=(1.03, places[series.name]),
                textcoords="axes fraction",
                va="center",
                color=color,
                fontweight="bold" if series.emphasis else "normal",
                arrowprops={
                    "arrowstyle": "-",
                    "color": color,
                    "linewidth": 0.7,
                    "shrinkA": 1,
                    "shrinkB": 4,
                    "relpos": (0, 0.5),
                },
                annotation_clip=False,
                parse_math=False,
            )
