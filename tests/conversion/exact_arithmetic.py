"""What casts between number types must give, worked out with Python's exact integers and fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import product

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
TYPES = ("bool", *INTEGERS, *FLOATS)

_BITS = {name: int(name.strip("uint")) for name in INTEGERS}
_PRECISION = {
    "float16": (11, -14, 15),
    "bfloat16": (8, -126, 127),
    "float32": (24, -126, 127),
    "float64": (53, -1022, 1023),
}


def limits(name: str) -> tuple[int, int]:
    """The smallest and the largest value of an integer type or bool."""
    if name == "bool":
        return 0, 1
    bits = _BITS[name]
    return (0, 2**bits - 1) if name.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def nearest(value: float, name: str) -> float:
    """*value* rounded to a floating type, ties to even, to infinity beyond its largest value."""
    if value == 0 or not math.isfinite(value):
        return value
    digits, least, most = _PRECISION[name]
    exact = Fraction(value)
    exponent = max(math.frexp(value)[1] - 1, least)
    step = Fraction(2) ** (exponent - digits + 1)
    rounded = round(exact / step) * step
    if abs(rounded) >= Fraction(2) ** (most + 1):
        return math.copysign(math.inf, value)
    return math.copysign(float(rounded), value)


def cast(value: float, source: str, target: str, casting: str, *, at_once: bool = False) -> float | None:
    """What *value*, of type *source*, becomes as *target*; None if *casting* refuses it.

    float64 is rounded to float32 on its way to a smaller type, as torch does it, unless *at_once*.
    """
    if target in FLOATS:
        return _to_float(value, source, target, casting, at_once)
    low, high = limits(target)
    if not math.isfinite(value) or value != int(value) or not low <= int(value) <= high:
        return None
    return int(value)


def _to_float(value: float, source: str, target: str, casting: str, at_once: bool) -> float | None:
    if source not in FLOATS:
        held = abs(value).bit_length() - _trailing_zeros(abs(value)) <= _PRECISION[target][0]
        return float(value) if held and abs(value) < 2 ** (_PRECISION[target][2] + 1) else None
    between = nearest(value, "float32") if source == "float64" != target and not at_once else value
    result = nearest(between, target)
    if math.isnan(value) or (result == value if casting == "same_value" else math.isinf(result) == math.isinf(value)):
        return result
    return None


def _trailing_zeros(value: int) -> int:
    return (value & -value).bit_length() - 1 if value else 0


@cache
def telling_values(name: str) -> list[float]:
    """Values of a type around all that matters to any other: its limits, its precision, what rounds to infinity."""
    if name in FLOATS:
        return _telling_floats(name)
    low, high = limits(name)
    powers = {sign * (2**k * odd + off) for sign, k, odd, off in product((1, -1), range(65), (1, 3), (-1, 0, 1))}
    exact = {
        sign * odd << shift for sign, odd, shift in product((1, -1), (255, 257, 2047, 2049, 2**24 - 1), range(0, 56, 5))
    }
    return sorted(v for v in powers | exact | {low, low + 1, high - 1, high} if low <= v <= high)


def _telling_floats(name: str) -> list[float]:
    digits = _PRECISION[name][0]
    found = {0.0, -0.0, math.inf, -math.inf}
    for other in FLOATS:
        precision, lowest, top = _PRECISION[other]
        for exponent in (lowest - precision, lowest - precision + 1, lowest - 1, lowest, 0, top, top + 1):
            found |= _around(exponent, precision, name)
    for exponent in (7, 8, 15, 16, 24, 31, 32, 51, 52, 53, 62, 63, 64):
        found |= _around(exponent, digits, name) | _around(exponent, 24, name)
    found |= {
        sign * v for sign, v in product((1, -1), (0.5, 1.5, 2.5, 127.5, 254.5, 255.5, 65519.0, 65519.99609375, 65520.0))
    }
    kept = {v: None for v in sorted(found) if nearest(v, name) == v}
    return [*kept, -0.0, math.nan]


def _around(exponent: int, precision: int, name: str) -> set[float]:
    """Powers of two, their neighbours in a type of that precision, and what lies half way between those."""
    ulp = Fraction(2) ** (exponent - precision)
    points = [Fraction(2) ** exponent + k * ulp / 2 for k in (-4, -3, -2, -1, 0, 1, 2, 3, 4)]
    points += [points[3] + Fraction(2) ** (exponent - 52), points[3] - Fraction(2) ** (exponent - 53)]
    largest = Fraction(2) ** 1024
    return {sign * _as_float(point) for sign, point in product((1, -1), points) if 0 <= point < largest}


def _as_float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
