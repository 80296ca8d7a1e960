from __future__ import annotations

import math
import struct
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorcopy.conversion.number_packing import DoesNotFit, fitted, pack, rounded_to
from tensorcopy.live.dtypes import DTYPES

BITS = {"float16": (11, -14), "bfloat16": (8, -126), "float32": (24, -126)}
"""Digits of the significand, and the exponent of the smallest normal number."""


def _rounded(dtype: str, number: float) -> float:
    """By the definition: the nearest multiple of the last digit, ties to even."""
    digits, lowest = BITS[dtype]
    last = Fraction(2) ** (max(math.frexp(number)[1] - 1, lowest) - digits + 1)
    value = round(Fraction(number) / last) * last
    return math.copysign(float(value) if abs(value) <= Fraction(DTYPES[dtype].largest) else math.inf, number)


AWKWARD = [0.0, -0.0, 5e-324, 1e-45, 2.0**-133, 2.0**-134, 1.5 * 2.0**-134, 2.0**-25, 65504.0, 65519.99, 65520.0]
AWKWARD += [1 + 2.0**-8, 1 + 2.0**-8 + 2.0**-40, 1 + 3 * 2.0**-8, 3.3961775292304601e38, 3.4028235677973366e38, 1e300]


@pytest.mark.parametrize("dtype", BITS)
@pytest.mark.parametrize("number", [*AWKWARD, *(-number for number in AWKWARD)])
def test_an_awkward_number_is_rounded_once_to_nearest_even(dtype, number):
    assert struct.pack("d", rounded_to(dtype, number)) == struct.pack("d", _rounded(dtype, number))


@pytest.mark.parametrize("dtype", BITS)
@settings(deadline=None)
@given(number=st.floats(allow_nan=False, allow_infinity=False) | st.floats(-1e39, 1e39) | st.floats(-1e5, 1e5))
def test_a_number_is_rounded_once_to_nearest_even(dtype, number):
    assert struct.pack("d", rounded_to(dtype, number)) == struct.pack("d", _rounded(dtype, number))


def test_every_bfloat16_is_packed_as_ml_dtypes_stores_it():
    every = np.arange(2**16, dtype=np.uint16).view(ml_dtypes.bfloat16)
    every = every[~np.isnan(every.astype(np.float32))]
    numbers = every.astype(np.float64).tolist()
    assert pack(numbers, {float}, "bfloat16", "same_value") == every.tobytes()


@pytest.mark.parametrize(
    ("number", "dtype", "stored"),
    [
        *[(300, "uint8", 44), (-1, "uint16", 65535), (2**63, "int64", -(2**63)), (2**200 + 5, "int8", 5)],
        *[(-1.9, "int8", -1), (1e10, "int32", 1410065408), (math.nan, "int64", 0), (-math.inf, "uint8", 0)],
        *[(math.nan, "bool", True), (0j, "bool", False), (1e-300j, "bool", True), (7, "bool", True)],
        *[(1e300, "float32", math.inf), (-70000, "float16", -math.inf), (10**400, "float64", math.inf)],
        *[(2**24 + 1, "float32", 2.0**24), (3 + 4j, "int8", 3), (1e300 + 2j, "complex64", complex(math.inf, 2))],
    ],
)
def test_unsafe_stores_what_is_documented(number, dtype, stored):
    assert fitted(number, DTYPES[dtype], "unsafe") == stored


@pytest.mark.parametrize("casting", ["checked", "same_value"])
def test_the_first_number_that_does_not_fit_is_named_with_its_position(casting):
    with pytest.raises(DoesNotFit) as caught:
        pack([1, np.int64(300), 400], {int, np.int64}, "uint8", casting)
    assert (caught.value.position, caught.value.number) == (1, 300)


def test_an_integer_with_its_own_float_is_stored_as_the_integer_it_is():
    class Liar(int):
        def __float__(self) -> float:
            return 3.0

        def __index__(self) -> int:
            return 4

    assert pack([Liar(1), 0.5], {Liar, float}, "float32", "checked") == struct.pack("ff", 1, 0.5)
    assert pack([Liar(1)], {Liar}, "int64", "checked") == struct.pack("q", 1)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("factor", [0.25, 0.5, 1])
def test_integers_beside_floats_are_exact_or_refused_around_every_limit(dtype, factor):
    limit = int(DTYPES[dtype].exact * factor)
    for integer in (limit - 1, limit, limit + 1, -limit - 1):
        exact = abs(integer) <= DTYPES[dtype].exact
        try:
            packed = pack([0.5, integer], {float, int}, dtype, "checked")
        except DoesNotFit:
            packed = None
        assert packed == (np.array([0.5, integer], dtype).tobytes() if exact else None)
