"""Sizes to sweep, and the curves that come of it."""

from __future__ import annotations

import pytest

import tensorcopy as tc
from tensorcopy.benchmarking import sweeping
from tensorcopy.benchmarking.making import Order, made
from tensorcopy.benchmarking.sweeping import telling, with_sweep
from tensorcopy.benchmarking.sweeps import sizes_of
from tensorcopy.errors import BadArgumentError


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("1e2:1e5", (100, 1000, 10_000, 100_000)),
        ("50:2000", (50, 100, 1000, 2000)),
        ("5", (5,)),
        ("1e3,10,1e3", (10, 1000)),
    ],
)
def test_sizes_are_a_range_of_powers_of_ten_or_a_list(text, sizes):
    assert sizes_of(text) == sizes


@pytest.mark.parametrize("text", ["", "a:b", "1e5:1e2", "-1:10", "0:10", "1e99:1e100", "1:", "1e2:1e5:3", "nan"])
def test_what_is_no_range_is_refused(text):
    with pytest.raises(BadArgumentError, match="cannot sweep the sizes"):
        sizes_of(text)


def small(want: str = ""):
    order = Order(shape=(10, 10), requires_grad=True)
    return order, tc.compare(made(order), want=want, time_budget=0.02)


def test_curves_start_with_the_recommended_way_and_show_ours_and_one_of_each_kind():
    _, found = small("own,keep-graph")
    shown = telling(found)
    assert shown[0] is found.chosen
    assert [m for m in shown if m.ours] != []
    assert {(m.result.memory, m.result.graph) for m in shown} == {
        (m.result.memory, m.result.graph) for m in found.measurements if m.timing
    }
    assert len(shown) <= 7


def test_each_curve_has_a_point_for_each_size_with_time_and_bytes():
    order, found = small()
    sweep = with_sweep(found, order, (100, 400), 1.0).sweep
    chosen = next(curve for curve in sweep.curves if curve.code == found.chosen.code)
    assert [(grown.elements, grown.bytes) for grown in chosen.points] == [(100, 400), (400, 1600)]
    assert sweep.curves[0] is chosen
    assert sweep.notes == ()


def test_a_sweep_ends_where_the_source_would_not_fit(monkeypatch):
    monkeypatch.setattr("tensorcopy.benchmarking.making.available_bytes", lambda: 3 * 4 * 100)
    order, found = small()
    sweep = with_sweep(found, order, (100, 1_000_000), 1.0).sweep
    assert {len(curve.points) for curve in sweep.curves} == {1}
    assert sweep.notes[0].startswith("The sweep ends before 1,000,000 elements: it and two results")


def test_a_sweep_ends_where_the_time_is_used_up(monkeypatch):
    order, found = small()
    monkeypatch.setattr(sweeping.time, "perf_counter", iter(range(0, 10**6, 1000)).__next__)
    sweep = with_sweep(found, order, (100, 400), 0.0).sweep
    assert (sweep.curves, sweep.notes) == ((), ("The sweep ends before 100 elements: the time budget is used up.",))
