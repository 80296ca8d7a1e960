"""How numbers are written for people."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorcopy.reporting import Cell, Column, Field, ValueType
from tensorcopy.reporting.quantities import (
    bytes_text,
    cell_text,
    exact_bytes,
    field_text,
    heading,
    number_text,
    ratio_text,
    seconds_text,
    tick_text,
    value_text,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 B"),
        (1, "1 B"),
        (9_999, "9,999 B"),
        (10_000, "10.0 kB"),
        (999_499, "999 kB"),
        (999_500, "1.00 MB"),
        (123_456_789, "123 MB"),
        (4 * 10**9, "4.00 GB"),
        (1.5e18, "1,500 PB"),
        (-20_000, "-20.0 kB"),
        (math.inf, "∞ B"),
    ],
)
def test_bytes_are_exact_while_few_and_have_three_digits_then(value: float, text: str) -> None:
    assert bytes_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(1.666, "1.67 ×"), (42.84, "42.8 ×"), (999.6, "1,000 ×"), (25_765, "25,800 ×")]
)
def test_ratios_have_three_digits_and_never_an_exponent(value: float, text: str) -> None:
    assert ratio_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0 bytes"), (1, "1 byte"), (99_999, "99,999 bytes"), (400_000_001, "400 MB (400,000,001 bytes)")],
)
def test_fields_give_bytes_to_the_last(value: int, text: str) -> None:
    assert exact_bytes(value) == text
    assert field_text(Field(name="n", value=value, type=ValueType.BYTES)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 s"),
        (1.2e-12, "0.0012 ns"),
        (1.234e-9, "1.23 ns"),
        (9.996e-7, "1.00 µs"),
        (1e-6, "1.00 µs"),
        (9.994e-4, "999 µs"),
        (9.996e-4, "1.00 ms"),
        (0.0123, "12.3 ms"),
        (1, "1.00 s"),
        (1234.5, "1,234 s"),
        (math.nan, "nan s"),
    ],
)
def test_seconds_have_three_digits_and_the_fitting_unit(value: float, text: str) -> None:
    assert seconds_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1_234_567, "1,234,567"),
        (1.5, "1.5"),
        (0.123456, "0.1235"),
        (12345.678, "12,346"),
        (1e20, "1e+20"),
        (-math.inf, "−∞"),
        (True, "yes"),
        (False, "no"),
        (None, "–"),
        ("a\x1bb\nc", "a\\x1bb\nc"),
    ],
)
def test_values_are_written_by_what_they_are(value: float | str | None, text: str) -> None:
    assert value_text(value, ValueType.NUMBER) == text


@pytest.mark.parametrize(
    ("cell", "value_type", "text"),
    [
        (Cell(value=1.234e-6, low=9.99e-7, high=1.5e-3), ValueType.TIME, "1.23 µs (1.00–1,500)"),
        (Cell(value=20_000, low=9_000), ValueType.BYTES, "20.0 kB (9.00–20.0)"),
        (Cell(value=0.0, low=0.0, high=1.0), ValueType.TIME, "0 s (0–1.00)"),
        (Cell(value=7, high=8), ValueType.NUMBER, "7 (7–8)"),
        (Cell(value=None, low=1.0, high=2.0), ValueType.TIME, "–"),
    ],
)
def test_a_measured_value_and_its_bounds_have_one_unit(cell: Cell, value_type: ValueType, text: str) -> None:
    assert cell_text(Column(name="c", type=value_type), cell) == text


def test_the_unit_of_a_column_is_in_its_heading_and_that_of_a_field_behind_its_value() -> None:
    assert heading(Column(name="size", type=ValueType.NUMBER, unit="elements")) == "size (elements)"
    assert field_text(Field(name="size", value=7, type=ValueType.NUMBER, unit="elements")) == "7 elements"
    assert field_text(Field(name="size", value=None, type=ValueType.NUMBER, unit="elements")) == "–"


@pytest.mark.parametrize(
    ("value", "value_type", "text"),
    [
        (0, ValueType.TIME, "0"),
        (1e-6, ValueType.TIME, "1 µs"),
        (5e-4, ValueType.TIME, "500 µs"),
        (1000, ValueType.BYTES, "1 kB"),
        (2e9, ValueType.BYTES, "2 GB"),
        (100_000, ValueType.NUMBER, "100k"),
        (0.5, ValueType.NUMBER, "0.5"),
    ],
)
def test_ticks_are_short(value: float, value_type: ValueType, text: str) -> None:
    assert tick_text(value, value_type) == text


@given(st.floats(1e-9, 999))
def test_a_time_reads_back_to_three_digits(seconds: float) -> None:
    number, unit = seconds_text(seconds).split(" ")
    size = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}[unit]
    assert float(number.replace(",", "")) * size == pytest.approx(seconds, rel=5.1e-3)


@given(st.integers(0, 10**15))
def test_bytes_read_back_to_three_digits(size: int) -> None:
    number, unit = bytes_text(size).split(" ")
    factor = 1000 ** ("B", "kB", "MB", "GB", "TB", "PB").index(unit)
    assert float(number.replace(",", "")) * factor == pytest.approx(size, rel=5.1e-3)
    assert number_text(size).replace(",", "") == str(size)
