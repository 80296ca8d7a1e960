from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tensorcopy.live.diophantine import solvable
from tensorcopy.live.memory import (
    Region,
    byte_runs,
    common_bytes,
    common_ranges,
    contiguous_strides,
    first_common,
    lattice,
    layout_of,
    measure,
    meeting_spans,
    overlaps,
    overlaps_itself,
    same_bytes,
    touched_elements,
)


def region_of(array: np.ndarray) -> Region:
    return Region(array.__array_interface__["data"][0], array.shape, array.strides, array.itemsize)


def elements(region: Region) -> list[tuple[tuple[int, ...], set[int]]]:
    """Every index of the region, in row-major order, with the bytes that it occupies."""
    return [
        (
            index,
            {
                region.address + sum(i * s for i, s in zip(index, region.strides, strict=True)) + k
                for k in range(region.itemsize)
            },
        )
        for index in product(*map(range, region.shape))
    ]


def bytes_of(region: Region) -> set[int]:
    return set().union(*(occupied for _, occupied in elements(region)))


@st.composite
def regions(draw: st.DrawFn) -> Region:
    dims = draw(st.lists(st.tuples(st.integers(0, 4), st.integers(-9, 9)), max_size=3))
    return Region(
        draw(st.integers(1000, 1030)), tuple(n for n, _ in dims), tuple(s for _, s in dims), draw(st.integers(1, 4))
    )


@settings(max_examples=400, deadline=None)
@given(regions(), regions())
def test_overlap_equals_brute_force_intersection_of_byte_sets(a: Region, b: Region) -> None:
    common = bytes_of(a) & bytes_of(b)
    assert overlaps(a, b) is bool(common)
    assert common_bytes(a, b) == len(common)


@settings(max_examples=400, deadline=None)
@given(regions(), regions())
@example(Region(1000, (3,), (4,), 4), Region(1000, (5,), (2,), 1))
def test_shared_elements_equal_brute_force(a: Region, b: Region) -> None:
    other = bytes_of(b)
    touched = [index for index, occupied in elements(a) if occupied & other]
    assert touched_elements(a, b) == len(touched)
    assert first_common(a, b) == (touched[0] if touched else None)
    if touched:
        assert common_ranges(a, b) == tuple((min(axis), max(axis) + 1) for axis in zip(*touched, strict=True))


@settings(max_examples=400, deadline=None)
@given(regions())
def test_overlap_inside_one_region_equals_brute_force(region: Region) -> None:
    occupied = [occupied for _, occupied in elements(region)]
    assert overlaps_itself(region) is (sum(map(len, occupied)) > len(bytes_of(region)))


@settings(max_examples=400, deadline=None)
@given(regions())
def test_lattice_and_runs_describe_exactly_the_bytes_of_the_region(region: Region) -> None:
    expected = bytes_of(region)
    runs = byte_runs(region)
    assert runs is not None
    assert {k for lo, hi in runs for k in range(lo, hi)} == expected
    if expected:
        lo = region.span[0]
        steps = lattice(region)
        assert {lo + sum(o) for o in product(*(range(0, s * n, s) for s, n in steps))} == expected
        assert (min(expected), max(expected) + 1) == region.span


@settings(max_examples=300, deadline=None)
@given(regions(), regions())
def test_same_bytes_is_never_claimed_of_different_sets(a: Region, b: Region) -> None:
    if same_bytes(a, b):
        assert bytes_of(a) == bytes_of(b)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 12), st.integers(0, 4)), max_size=4), st.integers(-3, 100))
def test_solvable_equals_trying_every_combination(terms: list[tuple[int, int]], target: int) -> None:
    sums = {
        sum(c * x for (c, _), x in zip(terms, xs, strict=True)) for xs in product(*(range(b + 1) for _, b in terms))
    }
    assert solvable(terms, target) is (target in sums)


@settings(max_examples=200, deadline=None)
@given(st.lists(regions(), max_size=8))
def test_the_sweep_finds_every_pair_of_meeting_spans(found: list[Region]) -> None:
    spans = [region.span for region in found]
    expected = {
        (i, j)
        for j in range(len(spans))
        for i in range(j)
        if max(spans[i][0], spans[j][0]) < min(spans[i][1], spans[j][1])
    }
    assert set(meeting_spans(found)) == expected


def test_interleaved_views_of_one_buffer_do_not_overlap() -> None:
    x = np.zeros(1_000_000)
    assert overlaps(region_of(x[::2]), region_of(x[1::2])) is False
    assert overlaps(region_of(x[::2]), region_of(x[2::2])) is True


def test_overlap_agrees_with_numpy_on_views_of_several_dimensions() -> None:
    x = np.zeros((7, 9, 11), np.int16)
    views = [x[1:, ::2, ::3], x[:, 1::2], x[::-1, ::-2, 2::4], x.T[3:5], x[..., 4], np.broadcast_to(x[0, 0], (3, 11))]
    for a, b in product(views, views):
        assert overlaps(region_of(a), region_of(b)) is np.shares_memory(a, b)


def test_strides_too_irregular_to_decide_give_may_overlap() -> None:
    a = Region(0, (40,) * 6, (10007 * 6, 10009 * 6, 10037 * 6, 10039 * 6, 10061 * 6, 10067 * 6), 1)
    b = Region(2_000_003, (40,) * 6, (10069 * 6, 10079 * 6, 10091 * 6, 10093 * 6, 10099 * 6, 10103 * 6), 4)
    assert overlaps(a, b, max_work=3) is None
    assert measure([a], [b], max_work=3).kind == "unknown"


def test_regions_in_different_address_spaces_never_overlap() -> None:
    a = Region(64, (4,), (1,), 1)
    b = Region(64, (4,), (1,), 1, space="mps:0")
    assert overlaps(a, b) is False
    assert (common_bytes(a, b), touched_elements(a, b), list(meeting_spans([a, b]))) == (0, 0, [])


def test_an_empty_region_overlaps_nothing_not_even_itself() -> None:
    empty = Region(64, (0, 3), (12, 4), 4)
    assert overlaps(empty, empty) is False
    assert empty.span == (64, 64)


@pytest.mark.parametrize(
    ("view", "layout"),
    [
        (np.zeros((2, 3)), "contiguous"),
        (np.zeros(()), "contiguous"),
        (np.zeros((0, 3)), "contiguous"),
        (np.zeros((3, 2)).T, "column-major"),
        (np.zeros((2, 3))[:, ::2], "gaps"),
        (np.zeros(4)[::-1], "negative strides"),
        (np.broadcast_to(np.zeros(3), (2, 3)), "expanded"),
        (np.lib.stride_tricks.sliding_window_view(np.zeros(5), 3), "overlapping"),
        (np.zeros((2, 4, 4, 3)).transpose(0, 3, 1, 2), "channels_last"),
        (np.zeros((2, 4, 4, 4, 3)).transpose(0, 4, 1, 2, 3), "channels_last_3d"),
        (np.zeros((2, 3, 4)).transpose(1, 0, 2), "permuted"),
    ],
)
def test_layout_has_a_word_for_every_arrangement(view: np.ndarray, layout: str) -> None:
    assert layout_of(region_of(view)) == layout


def test_measure_tells_which_elements_of_each_are_shared() -> None:
    x = np.zeros((4, 6), np.float32)
    found = measure([region_of(x)], [region_of(x[1:3, 2:5])])
    assert found.kind == "overlap"
    assert (found.bytes, found.elements) == (24, (6, 6))
    assert found.first == ((1, 2), (0, 0))
    assert found.ranges == (((1, 3), (2, 5)), ((0, 2), (0, 3)))


def test_views_that_walk_the_same_bytes_differently_are_the_same_memory() -> None:
    x = np.zeros((4, 6), np.float32)
    for view in (x.T, x[::-1], x.reshape(-1), x.view(np.int8)):
        assert measure([region_of(x)], [region_of(view)]).kind == "same memory"


def test_counting_gives_up_beyond_the_largest_number_of_runs() -> None:
    x = np.zeros((300, 300, 3), np.int8)[:, :, ::2]
    found = measure([region_of(x)], [region_of(x[5:])])
    assert (found.kind, found.bytes, found.elements) == ("overlap", None, (None, None))
    assert found.first == ((5, 0, 0), (0, 0, 0))


def test_contiguous_strides_are_those_that_numpy_makes() -> None:
    for shape in [(), (3,), (2, 3, 4), (2, 1, 5)]:
        assert contiguous_strides(shape, 8) == np.zeros(shape).strides
