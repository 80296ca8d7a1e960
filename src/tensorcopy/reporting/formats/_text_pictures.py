"""Memory and curves drawn with characters."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

from ..drawings import MemoryPicture, Plot, Series, Storage
from ..medium import Medium
from ..quantities import exact_bytes, ratio_text, signed, value_text
from ..tabulating import (
    byte_range,
    cells_of,
    moment_text,
    part_text,
    series_name,
    span_text,
    table_of,
    turned_table_of,
)
from ..values import Tone, ValueType
from ._text_lines import GAP, STYLES, side_by_side, styled
from ._text_tables import is_grid, table_lines
from ._text_words import say

_DENSE, _GAPPY, _SHARED, _OUTSIDE = "█", "▒", "▓", "·"
_SMALLEST_BAR, _WIDEST_BAR = 20, 72
_KEY = f"{_DENSE} without gaps  {_GAPPY} with gaps  {_SHARED} shared by several"

_Bar = tuple[str, str, str, int, int, str]
"""Label, remark, character, first and last byte, style."""


def memory_lines(picture: MemoryPicture, medium: Medium) -> Iterator[Text]:
    """Each storage with a bar for each span and for each shared part."""
    for number, storage in enumerate(picture.storages):
        if number:
            yield Text("")
        yield from _storage_lines(storage, medium)
    if any(storage.spans for storage in picture.storages):
        yield from styled(say(_KEY, medium), medium.width, "dim")


def _storage_lines(storage: Storage, medium: Medium) -> Iterator[Text]:
    yield from styled(say(f"{storage.name} · {exact_bytes(storage.bytes)}", medium), medium.width, "bold")
    if storage.note:
        yield from styled(say(storage.note, medium), medium.width)
    yield from _bars(list(_spans(storage, medium)), storage.bytes, medium)
    if storage.uncovered and storage.spans:
        yield from styled(say(f"outside of all spans: {exact_bytes(storage.uncovered)}", medium), medium.width, "dim")


def _spans(storage: Storage, medium: Medium) -> Iterator[_Bar]:
    for span in storage.spans:
        label, remark = say(signed(span.label, span.tone), medium), say(span_text(span), medium)
        yield label, remark, _GAPPY if span.gaps else _DENSE, span.lo, span.hi, STYLES[span.tone] or "cyan"
    for part in storage.shared_parts:
        remark = say(f"{byte_range(part.lo, part.hi)} {part_text(part)}", medium)
        yield "shared", remark, _SHARED, part.lo, part.hi, STYLES[Tone.WARN]


def _bars(bars: list[_Bar], size: int, medium: Medium) -> Iterator[Text]:
    """Name, bar and remark side by side where there is room for that; otherwise the bar below the words."""
    labels = min(max((cell_len(bar[0]) for bar in bars), default=0), medium.width // 4)
    remarks = min(max((cell_len(bar[1]) for bar in bars), default=0), medium.width * 2 // 5)
    room = min(medium.width - labels - remarks - 2 * GAP, _WIDEST_BAR)
    for label, remark, char, lo, hi, style in bars:
        if room >= _SMALLEST_BAR:
            drawn = _drawn(lo, hi, size, char, style, room, medium)
            cells = [styled(label, labels), [drawn], styled(remark, remarks)]
            yield from side_by_side(cells, (labels, room, remarks))
        else:
            yield from styled(f"{label}  {remark}", medium.width)
            yield Text(" " * GAP) + _drawn(lo, hi, size, char, style, medium.width - GAP, medium)


def _drawn(lo: int, hi: int, size: int, char: str, style: str, width: int, medium: Medium) -> Text:
    """A storage of *size* bytes as *width* characters, those that touch ``[lo, hi)`` filled: one at the least."""
    first, last = cells_of(lo, hi, size, width)
    outside = say(_OUTSIDE, medium)
    return Text.assemble(
        (outside * first, "dim"), (say(char, medium) * (last - first), style), (outside * (width - last), "dim")
    )


def plot_lines(plot: Plot, medium: Medium) -> Iterator[Text]:
    """The points as a table, and the curves compared where all of them end."""
    data = table_of(plot)
    turned = turned_table_of(plot)
    if not is_grid(data, medium) and is_grid(turned, medium):
        data = turned
    yield from styled(say(data.title, medium), medium.width, "dim")
    yield from table_lines(data, medium)
    for moment in plot.moments:
        yield from styled(say(moment_text(moment, plot.x), medium), medium.width, STYLES[moment.tone])
    yield from _comparison(plot, medium)


def _comparison(plot: Plot, medium: Medium) -> Iterator[Text]:
    """A bar a curve, for the largest value on the first axis; nothing where fewer than two curves reach it."""
    last = max((point.x for series in plot.series for point in series.points), default=0.0)
    ends = [(series, point.y) for series in plot.series for point in series.points if point.x == last]
    finite = [(series, y) for series, y in ends if math.isfinite(y) and y >= 0]
    if len(finite) < 2:
        return
    yield Text("")
    at = f"{value_text(last, plot.x.type)} {plot.x.unit}".rstrip()
    yield from styled(say(f"{plot.y.name} at {plot.x.name} {at}", medium), medium.width, "bold")
    yield from _value_bars(finite, plot.y.type, medium)


def _value_bars(values: list[tuple[Series, float]], value_type: ValueType, medium: Medium) -> Iterator[Text]:
    largest = max(value for _, value in values) or 1.0
    names = [say(series_name(series), medium) for series, _ in values]
    label = max(map(cell_len, names))
    label = label if label <= medium.width // 2 else 0
    numbers = [say(_with_ratio(value, values, value_type), medium) for _, value in values]
    room = min(medium.width - label - max(map(cell_len, numbers)) - GAP - 1, _WIDEST_BAR)
    for name, number, (series, value) in zip(names, numbers, values, strict=True):
        bar = say(_DENSE, medium) * max(bool(value), round(value / largest * room))
        drawn = Text().append(bar, STYLES[Tone.GOOD] if series.emphasis else "cyan").append(" " * bool(bar) + number)
        if label:
            yield from side_by_side([styled(name, label), [drawn]], (label, medium.width - label - GAP))
        else:
            yield from styled(name, medium.width)
            yield Text(" " * GAP) + drawn


def _with_ratio(value: float, values: list[tuple[Series, float]], value_type: ValueType) -> str:
    """The value, and how many times the least of them it is."""
    least = min(other for _, other in values)
    return value_text(value, value_type) + (f", {ratio_text(value / least)}" if value > least > 0 else "")
