"""Every value into every dtype by every route: the right value, or a refusal; never another number."""

from __future__ import annotations

from fractions import Fraction
from math import inf, isinf, isnan, nan
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest
import torch

import tensorcopy as tc


class Floating(NamedTuple):
    """A binary floating format: bits of precision, exponent of the smallest unit, largest value, has infinities."""

    precision: int
    unit: int
    largest: float
    infinite: bool = True


FLOATING = {
    "float8_e4m3fn": Floating(4, -9, 448.0, infinite=False),
    "float8_e5m2": Floating(3, -16, 57344.0),
    "float16": Floating(11, -24, 65504.0),
    "bfloat16": Floating(8, -133, float(torch.finfo(torch.bfloat16).max)),
    "float32": Floating(24, -149, float(torch.finfo(torch.float32).max)),
    "float64": Floating(53, -1074, float(torch.finfo(torch.float64).max)),
}
COMPLEX = {"complex64": "float32", "complex128": "float64"}
INTEGERS = {f"int{n}": (-(2 ** (n - 1)), 2 ** (n - 1) - 1) for n in (8, 16, 32, 64)}
INTEGERS |= {f"uint{n}": (0, 2**n - 1) for n in (8, 16, 32, 64)}
DTYPES = ("bool", *INTEGERS, *FLOATING, *COMPLEX)

VALUES: dict[str, Any] = {
    "nan": nan,
    "inf": inf,
    "-inf": -inf,
    "300.0": 300.0,
    "-1.0": -1.0,
    "2.5": 2.5,
    "-0.5": -0.5,
    "-0.0": -0.0,
    "1.0": 1.0,
    "1e20": 1e20,
    "1e300": 1e300,
    "0.1": 0.1,
    "448.0": 448.0,
    "65519.0": 65519.0,
    "65520.0": 65520.0,
    "subnormal": 1e-310,
    "float 2**53": 2.0**53,
    "float 2**63": 2.0**63,
    "float 2**64": 2.0**64,
    "True": True,
    "0": 0,
    "1": 1,
    "17": 17,
    "256": 256,
    "257": 257,
    "300": 300,
    "-1": -1,
    "-129": -129,
    "2049": 2049,
    "65536": 65536,
    "2**24+1": 2**24 + 1,
    "2**31": 2**31,
    "2**53+1": 2**53 + 1,
    "2**63-1": 2**63 - 1,
    "-2**63": -(2**63),
    "2**63": 2**63,
    "2**64-1": 2**64 - 1,
    "1+2j": 1 + 2j,
    "1+0j": 1 + 0j,
    "0.1+0j": 0.1 + 0j,
    "1e300j": 1e300j,
}

REFUSED = object()


def expected(value: Any, dtype: str) -> Any:
    """What *value* is as *dtype*, by exact arithmetic, or `REFUSED` where it would be another value."""
    if dtype in COMPLEX:
        real, imaginary = (expected(part, COMPLEX[dtype]) for part in parts_of(value))
        return REFUSED if REFUSED in (real, imaginary) else complex(real, imaginary)
    if isinstance(value, complex):
        return expected(value.real, dtype) if value.imag == 0 else REFUSED
    if dtype in FLOATING:
        return floating(value, FLOATING[dtype])
    if isinstance(value, float) and (isnan(value) or isinf(value) or value != int(value)):
        return REFUSED
    low, high = INTEGERS.get(dtype, (0, 1))
    as_dtype = bool if dtype == "bool" else int
    return as_dtype(value) if low <= value <= high else REFUSED


def parts_of(value: Any) -> tuple[Any, Any]:
    return (value.real, value.imag) if isinstance(value, complex) else (value, 0.0)


def floating(value: Any, kind: Floating) -> Any:
    """A float rounded to the nearest, ties to even, if that is in range; a whole number only if it stays what it is."""
    if isinstance(value, float) and (isnan(value) or isinf(value)):
        return value if isnan(value) or kind.infinite else REFUSED
    exact = Fraction(value)
    bits = abs(exact.numerator).bit_length() - exact.denominator.bit_length()
    unit = Fraction(2) ** max(bits - kind.precision, kind.unit)
    while abs(exact) / unit >= 2**kind.precision:
        unit *= 2
    rounded = round(exact / unit) * unit
    if abs(rounded) > kind.largest or (not isinstance(value, float) and rounded != exact):
        return REFUSED
    return -0.0 if value == 0 and str(value) == "-0.0" else float(rounded)


def as_array(value: Any) -> np.ndarray:
    return np.array([value])


def as_tensor(value: Any) -> torch.Tensor:
    kind = {bool: torch.bool, float: torch.float64, complex: torch.complex128}.get(type(value))
    return torch.tensor([value], dtype=kind or (torch.uint64 if value >= 2**63 else torch.int64))


ROUTES = {
    "number": lambda value: value,
    "list": lambda value: [value],
    "array": as_array,
    "reversed array": lambda value: as_array(value)[::-1],
    "big-endian array": lambda value: as_array(value).astype(as_array(value).dtype.newbyteorder(">")),
    "many in an array": lambda value: np.array([value] * 1000),
    "every second of an array": lambda value: np.array([value] * 1000)[::2],
    "array of objects": lambda value: np.array([value], object),
    "NumPy scalar": lambda value: as_array(value)[0],
    "tensor": as_tensor,
    "many in a tensor": lambda value: as_tensor(value).repeat(1000),
    "list of tensors": lambda value: [as_tensor(value)[0]],
    "list of arrays": lambda value: [as_array(value), as_array(value)],
    "list of NumPy scalars": lambda value: [as_array(value)[0]],
}


def outcome(convert: Any, source: Any, dtype: str) -> Any:
    """The only value in the result, or `REFUSED`."""
    try:
        result = convert(source, dtype=dtype)
    except tc.errors.LossyConversionError:
        return REFUSED
    if convert is tc.to_numpy:
        assert result.dtype == np.dtype(getattr(ml_dtypes, dtype, dtype))
        result = result.astype("float32") if hasattr(ml_dtypes, dtype) else result
    else:
        assert result.dtype == getattr(torch, dtype)
    found = {repr(number) for number in result.reshape(-1).tolist()}
    assert len(found) == 1
    return result.reshape(-1)[0].item()


@pytest.mark.parametrize("convert", [tc.to_torch, tc.to_numpy], ids=["torch", "numpy"])
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("name", VALUES)
def test_the_right_value_or_a_refusal(name, route, convert):
    value = VALUES[name]
    wrong = {
        dtype: (found, right)
        for dtype in DTYPES
        if repr(found := outcome(convert, ROUTES[route](value), dtype)) != repr(right := expected(value, dtype))
    }
    assert wrong == {}


@pytest.mark.parametrize("route", ROUTES)
def test_a_refusal_names_the_value_and_a_way_out(route):
    with pytest.raises(tc.errors.LossyConversionError, match=r"300(\.0)?.* cannot become uint8.*pass dtype="):
        tc.to_torch(ROUTES[route](300), dtype="uint8")


@pytest.mark.parametrize("dtype", [*FLOATING, *COMPLEX])
def test_the_strict_word_refuses_rounding_too(dtype):
    for route in ("number", "list", "array", "tensor"):
        right = expected(0.1, dtype)
        if right == 0.1:
            assert tc.to_torch(ROUTES[route](0.1), dtype=dtype, casting="same_value").reshape(-1)[0].item() == 0.1
        else:
            with pytest.raises(tc.errors.LossyConversionError, match="would round it"):
                tc.to_torch(ROUTES[route](0.1), dtype=dtype, casting="same_value")
