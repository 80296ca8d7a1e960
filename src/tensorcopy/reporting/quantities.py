"""How values are written for people: bytes in decimal units, seconds in the fitting one, four digits where measured."""

from __future__ import annotations

import math

from .escaping import visible, visible_lines
from .model import Cell, Field
from .values import Column, Tone, Value, ValueType

NOTHING = "–"
SIGNS = {Tone.GOOD: "✓", Tone.WARN: "!", Tone.BAD: "✗", Tone.NEUTRAL: ""}
"""What stands before a value that is good or bad for the reader, so that no tone is shown by colour alone."""
_BYTE_UNITS = ("B", "kB", "MB", "GB", "TB", "PB")
_TIME_UNITS = ((1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1.0, "s"))
_SI = ("", "k", "M", "G", "T", "P")
_EXACT = 10_000


def cell_text(column: Column, cell: Cell) -> str:
    """The cell as text, without its tone and note. Bytes are rounded to three digits where there are many."""
    if cell.value is None or isinstance(cell.value, str | bool) or (cell.low is None and cell.high is None):
        return value_text(cell.value, column.type)
    low, high = (cell.value if bound is None else bound for bound in (cell.low, cell.high))
    return range_text(cell.value, low, high, column.type)


def range_text(value: float, low: float, high: float, value_type: ValueType) -> str:
    """``1.23 µs (1.20–1.31)``: a measured value and its bounds, all in the unit of the value."""
    size, unit = _unit(value, value_type)
    middle, start, end = (_three_digits(v / size) if unit else number_text(v) for v in (value, low, high))
    return f"{middle} {unit}".rstrip() + f" ({start}–{end})"


def field_text(field: Field) -> str:
    """The value of a field with its unit; bytes are given to the last one."""
    if field.type is ValueType.BYTES and isinstance(field.value, int | float):
        return exact_bytes(field.value)
    text = value_text(field.value, field.type)
    return f"{text} {visible(field.unit)}" if field.unit and field.value is not None else text


def heading(column: Column) -> str:
    """The heading of a column, with the unit that its cells leave out."""
    return visible(f"{column.name} ({column.unit})" if column.unit else column.name)


def signed(text: str, tone: Tone) -> str:
    """*text* with the sign of *tone* before it."""
    return f"{SIGNS[tone]} {text}" if SIGNS[tone] else text


def value_text(value: Value, value_type: ValueType) -> str:
    """*value* as text of its type; text of several lines keeps them."""
    match value:
        case None:
            return NOTHING
        case bool():
            return "yes" if value else "no"
        case str():
            return visible_lines(value)
    if value_type is ValueType.BYTES:
        return bytes_text(value)
    return seconds_text(value) if value_type is ValueType.TIME else number_text(value)


def number_text(value: float) -> str:
    """Whole numbers in full with commas; others to four digits."""
    if isinstance(value, int):
        return f"{value:,}"
    if not math.isfinite(value):
        return _unusual(value)
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}"


def bytes_text(value: float) -> str:
    """``9,999 B``, and ``10.0 kB`` from there on. Decimal: 1 kB is 1000 bytes."""
    size, unit = _unit(value, ValueType.BYTES)
    return f"{number_text(value) if size == 1 else _three_digits(value / size)} {unit}"


def exact_bytes(value: float) -> str:
    """``16,000 bytes``, and from 100,000 on ``400 MB (400,000,000 bytes)``."""
    exact = "1 byte" if value == 1 else f"{number_text(value)} bytes"
    return f"{bytes_text(value)} ({exact})" if _EXACT * 10 <= abs(value) < math.inf else exact


def seconds_text(value: float) -> str:
    """Three digits and the unit that leaves one to three before the point: ``1.23 µs``, ``45.6 ms``."""
    size, unit = _unit(value, ValueType.TIME)
    return f"{_three_digits(value / size)} {unit}"


def ratio_text(value: float) -> str:
    """How many times as much something is, to three digits: ``1.67 ×``, ``25,800 ×``."""
    return f"{_three_digits(_rounded(value))} ×"


def tick_text(value: float, value_type: ValueType) -> str:
    """The shortest text for a round value on an axis: ``1 ms``, ``10 MB``, ``100k``."""
    if value == 0:
        return "0"
    if value_type is ValueType.TIME:
        size, unit = _unit(value, value_type)
        return f"{value / size:,.4g} {unit}"
    power = _power_of_1000(value, len(_SI))
    number = f"{value / 1000**power:,.4g}"
    return f"{number} {_BYTE_UNITS[power]}" if value_type is ValueType.BYTES else f"{number}{_SI[power]}"


def _unit(value: float, value_type: ValueType) -> tuple[float, str]:
    """The size and the name of the unit to write *value* in; 1 and no name for plain numbers."""
    if value_type is ValueType.TIME:
        return _time_unit(value) if value and math.isfinite(value) else (1.0, "s")
    if value_type is ValueType.BYTES:
        power = 0 if abs(value) < _EXACT or not math.isfinite(value) else _power_of_1000(value, len(_BYTE_UNITS))
        return float(1000**power), _BYTE_UNITS[power]
    return 1.0, ""


def _time_unit(value: float) -> tuple[float, str]:
    rounded = _rounded(value) * (1 + 1e-12)
    return next((unit for unit in reversed(_TIME_UNITS) if rounded >= unit[0]), _TIME_UNITS[0])


def _power_of_1000(value: float, powers: int) -> int:
    return min(max(int(math.log10(_rounded(value) * (1 + 1e-12)) // 3), 0), powers - 1)


def _rounded(value: float) -> float:
    """The size of *value* to three digits, so that 999.9 is told in the unit of 1000."""
    return abs(float(f"{value:.2e}"))


def _three_digits(value: float) -> str:
    """``1.23``, ``12.3``, ``123``, ``1,234``."""
    if not math.isfinite(value):
        return _unusual(value)
    rounded = _rounded(value)
    decimals = 2 if rounded < 10 else 1 if rounded < 100 else 0
    return f"{value:,.{decimals}f}" if rounded >= 0.1 else f"{value:.3g}"


def _unusual(value: float) -> str:
    return "nan" if math.isnan(value) else "∞" if value > 0 else "−∞"
