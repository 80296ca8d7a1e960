"""Python numbers into the bytes of one dtype, checked: the pure Python half of reading a nest.

``struct`` does the work wherever it cannot change a value; every other number passes through `fitted`, which is the
definition of what each casting allows. Under ``"checked"`` a floating value may be rounded, also to zero, but never to
infinity. Under ``"unsafe"`` a fraction is cut, an integer wraps, NaN and infinity become the integer 0, an imaginary
part is dropped, and an integer becomes a floating value by way of float64.
"""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from itertools import chain
from operator import attrgetter
from typing import Any

from ..live.dtypes import DTYPES, Dtype
from .number_kinds import BOOL, COMPLEX, FLOAT, INT, KINDS, kind_of, mask_of

Leaves = Sequence[Any]

_CODES = {"bool": "?", "int8": "b", "int16": "h", "int32": "i", "int64": "q"}
_CODES |= {"uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q"}
_CODES |= {"float16": "e", "bfloat16": "H", "float32": "f", "float64": "d", "complex64": "f", "complex128": "d"}


def _kinds_within(dtype_kinds: str, *python: int) -> int:
    """Bit mask of the Python kinds and of the NumPy scalars whose dtype is one of *dtype_kinds*."""
    numpy = (
        kind
        for kind, name in enumerate(KINDS)
        if name.startswith("numpy.") and DTYPES[name.removeprefix("numpy.")].kind in dtype_kinds
    )
    return sum(1 << kind for kind in (*python, *numpy))


_OF_PYTHON = {bool, int, float}
_BOOLS = _kinds_within("b", BOOL)
_INTEGERS = _kinds_within("iu", BOOL, INT)
_FLOATS = _kinds_within("f", FLOAT)
_COMPLEXES = _kinds_within("fc", FLOAT, COMPLEX)


class DoesNotFit(Exception):
    """The number at *position* of the packed leaves would change."""

    def __init__(self, position: int, number: complex) -> None:
        super().__init__(position, number)
        self.position, self.number = position, number


def pack(leaves: Leaves, classes: set[type], dtype: str, casting: str) -> bytes:
    """The bytes of *leaves* (numbers, whose classes are *classes*) as *dtype*, in the machine's byte order.

    Raises `DoesNotFit` for the first number that *casting* does not let into *dtype*.
    """
    packed = _pack_at_once(leaves, classes, dtype, casting)
    return _pack_singly(leaves, dtype, casting) if packed is None else packed


def _pack_at_once(leaves: Leaves, classes: set[type], dtype: str, casting: str) -> bytes | None:
    """All leaves through one ``struct`` format, or None where that could change a value or refuses one."""
    route = _route(mask_of(classes), dtype, casting)
    if route is None or (route is _mixed and not classes <= _OF_PYTHON):
        return None
    try:
        packed = route(leaves, _CODES[dtype])
    except (struct.error, OverflowError):
        return None
    return packed if route is not _mixed or _integers_are_exact(leaves, packed, dtype) else None


@cache
def _route(kinds: int, dtype: str, casting: str) -> Callable[[Leaves, str], bytes] | None:
    target = DTYPES[dtype]
    if target.kind in "biu":
        return _reals if not kinds & ~(_BOOLS if target.kind == "b" else _INTEGERS) else None
    if dtype == "bfloat16" or (casting == "same_value" and target.exact < 2**53):
        return None
    if target.kind == "c":
        return _parts if not kinds & ~_COMPLEXES else None
    if not kinds & ~_FLOATS:
        return _reals
    return _mixed if not kinds & ~(1 << FLOAT | 1 << INT | 1 << BOOL) else None


def _reals(leaves: Leaves, code: str) -> bytes:
    return _format(len(leaves), code).pack(*leaves)


def _mixed(leaves: Leaves, code: str) -> bytes:
    """Python's own floats and integers, to be checked by `_integers_are_exact`."""
    return _reals(leaves, code)


def _parts(leaves: Leaves, code: str) -> bytes:
    return _format(2 * len(leaves), code).pack(*_both_parts(leaves))


@lru_cache(maxsize=64)
def _format(count: int, code: str) -> struct.Struct:
    return struct.Struct(f"={count}{code}")


def _integers_are_exact(leaves: Leaves, packed: bytes, dtype: str) -> bool:
    """Whether no integer among *leaves* is too large for *dtype* to hold every integer of its size."""
    size = DTYPES[dtype].bytes
    highest = packed[size - 1 :: size] if sys.byteorder == "little" else packed[::size]
    if not highest.translate(None, _small_bytes(dtype)):
        return True
    limit = DTYPES[dtype].exact
    return all(-limit <= leaf <= limit for leaf in leaves if type(leaf) is not float)


@cache
def _small_bytes(dtype: str) -> bytes:
    """What the highest byte, of sign and exponent, of a number below half of the exact integers can be."""
    limit: int = struct.pack(f">{_CODES[dtype]}", DTYPES[dtype].exact / 2)[0]
    return bytes(byte for byte in range(256) if byte & 0x7F < limit)


def _pack_singly(leaves: Leaves, dtype: str, casting: str) -> bytes:
    target = DTYPES[dtype]
    numbers: list[Any] = []
    for position, leaf in enumerate(leaves):
        number = plain(leaf)
        try:
            numbers.append(fitted(number, target, casting))
        except ValueError:
            raise DoesNotFit(position, number) from None
    if target.kind == "c":
        numbers = list(_both_parts(numbers))
    elif dtype == "bfloat16":
        numbers = [_high_half(number) for number in numbers]
    return struct.pack(f"={len(numbers)}{_CODES[dtype]}", *numbers)


def _both_parts(numbers: Iterable[complex]) -> Iterable[float]:
    return chain.from_iterable(map(_parts_of, numbers))


_parts_of: Callable[[complex], tuple[float, float]] = attrgetter("real", "imag")


def _high_half(number: float) -> int:
    """The bits of a bfloat16 *number*, which are the high half of the float32 that equals it."""
    return int.from_bytes(struct.pack(">f", number)[:2], "big")


def plain(leaf: Any) -> Any:
    """The exact Python bool, int, float or complex that *leaf* stores, whatever methods its class overrides."""
    kind = kind_of(type(leaf))
    if kind == INT:
        return int.__pos__(leaf)
    if kind == FLOAT:
        return float.__pos__(leaf)
    if kind == COMPLEX:
        return complex.__pos__(leaf)
    if kind == BOOL:
        return leaf
    return {"b": bool, "f": float, "c": complex}.get(DTYPES[KINDS[kind].removeprefix("numpy.")].kind, int)(leaf)


def fitted(number: Any, target: Dtype, casting: str) -> Any:
    """*number* (an exact Python number) as *target* would store it; ValueError where *casting* refuses the change."""
    if target.kind == "c":
        part = DTYPES["float64" if target.bytes == 16 else "float32"]
        return complex(_fitted_real(number.real, part, casting), _fitted_real(number.imag, part, casting))
    if isinstance(number, complex):
        if casting == "unsafe" and target.kind == "b":
            return bool(number)
        if casting != "unsafe" and number.imag != 0:
            raise ValueError("imaginary part")
        number = number.real
    return _fitted_real(number, target, casting)


def _fitted_real(number: float, target: Dtype, casting: str) -> float:
    if target.kind == "b":
        if casting != "unsafe" and number not in (0, 1):
            raise ValueError("not a truth value")
        return bool(number)
    if target.kind in "iu":
        return _wrapped(number, target) if casting == "unsafe" else _fitted_integer(number, target)
    return (
        _fitted_integer_as_float(number, target, casting)
        if isinstance(number, int)
        else _fitted_float(number, target, casting)
    )


def _wrapped(number: float, target: Dtype) -> int:
    cut = int(number) if isinstance(number, int) or math.isfinite(number) else 0
    return (cut - target.low) % (target.high - target.low + 1) + target.low


def _fitted_integer(number: Any, target: Dtype) -> int:
    if isinstance(number, float) and not number.is_integer():
        raise ValueError("fraction, NaN or infinity")
    if not target.low <= number <= target.high:
        raise ValueError("out of range")
    return int(number)


def _fitted_integer_as_float(number: int, target: Dtype, casting: str) -> float:
    try:
        rounded = rounded_to(target.name, float(number))
    except OverflowError:
        rounded = math.inf if number > 0 else -math.inf
    if casting != "unsafe" and rounded != number:
        raise ValueError("not exact")
    return rounded


def _fitted_float(number: float, target: Dtype, casting: str) -> float:
    rounded = rounded_to(target.name, number)
    if casting != "unsafe" and math.isinf(rounded) and not math.isinf(number):
        raise ValueError("overflow")
    if casting == "same_value" and rounded != number and number == number:
        raise ValueError("rounding")
    return rounded


def rounded_to(dtype: str, number: float) -> float:
    """*number* rounded once, to nearest even, to the floating *dtype*; infinity where it overflows."""
    if dtype == "float64":
        return number
    if dtype == "bfloat16":
        return _rounded_to_bfloat16(number)
    code = _CODES[dtype]
    try:
        return float(struct.unpack(code, struct.pack(code, number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def _rounded_to_bfloat16(number: float) -> float:
    """By exact scaling, because going through float32 would round twice."""
    if not math.isfinite(number) or number == 0:
        return number
    last_bit = max(math.frexp(number)[1] - 8, -133)
    rounded = math.ldexp(round(math.ldexp(number, -last_bit)), last_bit) if last_bit < 200 else math.inf
    return math.copysign(rounded if abs(rounded) <= DTYPES["bfloat16"].largest else math.inf, number)
