"""Axes: where numbers lie, and which ones are written there."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorcopy.reporting.palette import DASHES, ON_DARK, ON_WHITE, color_of, dash_of
from tensorcopy.reporting.scales import Scale, scale_for, spread_out

POSITIVE = st.lists(st.floats(1e-12, 1e15), min_size=1, max_size=6)


@given(st.lists(st.floats(-1e9, 1e9), max_size=6))
def test_a_linear_scale_holds_its_values_in_order(values: list[float]) -> None:
    check(scale_for(values, log=False), values)


@given(POSITIVE, st.booleans())
def test_a_logarithmic_scale_holds_its_values_in_order_and_zero_below_them(values: list[float], zero: bool) -> None:
    values = [*values, 0.0] if zero else values
    scale = scale_for(values, log=True)
    check(scale, values)
    assert scale.zero is zero
    assert not zero or scale.place(0.0) == 0.0 < scale.place(min(v for v in values if v))


def check(scale: Scale, values: list[float]) -> None:
    places = [scale.place(value) for value in sorted(values)]
    assert places == sorted(places)
    assert all(-1e-9 <= place <= 1 + 1e-9 for place in places)
    assert 2 <= len(scale.ticks) <= 20
    assert list(scale.ticks) == sorted(scale.ticks)
    assert all(-1e-6 <= scale.place(tick) <= 1 + 1e-6 for tick in scale.ticks)


@pytest.mark.parametrize(
    ("values", "log", "ticks"),
    [
        ([100, 1e7], True, (100, 1e3, 1e4, 1e5, 1e6, 1e7)),
        ([0, 100, 1e6], True, (0, 100, 1e3, 1e4, 1e5, 1e6)),
        ([1, 100], True, (1, 2, 5, 10, 20, 50, 100)),
        ([0, 10], False, (0, 2, 4, 6, 8, 10)),
        ([], True, (0, 0.2, 0.4, 0.6, 0.8, 1)),
        ([math.inf, math.nan, 5], False, (3, 4, 5, 6, 7)),
    ],
)
def test_ticks_are_round_numbers(values: list[float], log: bool, ticks: tuple[float, ...]) -> None:
    assert scale_for(values, log=log).ticks == ticks


def test_labels_are_moved_apart_and_stay_inside() -> None:
    assert spread_out({"a": 50, "b": 51, "c": 300}, low=0, high=310, apart=17) == {"a": 50, "b": 67, "c": 300}
    assert spread_out({"a": 100, "b": 99}, low=0, high=100, apart=17) == {"b": 83, "a": 100}


def test_two_curves_of_one_colour_have_different_dashes() -> None:
    looks = [(color_of(number), dash_of(number)) for number in range(len(ON_WHITE) * len(DASHES))]
    assert len(set(looks)) == len(looks)


@pytest.mark.parametrize(("colors", "paper"), [(ON_WHITE, "#ffffff"), (ON_DARK, "#14181d")])
def test_every_curve_stands_out_from_the_paper_at_three_to_one(colors: tuple[str, ...], paper: str) -> None:
    assert [color for color in colors if contrast(color, paper) < 3] == []


def contrast(first: str, second: str) -> float:
    """The contrast ratio of WCAG 2."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def luminance(color: str) -> float:
    parts = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
