"""A squeezed storage holds what its views use, and every view of it still shows the bytes that it showed."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tensorcopy.inspection.files import squeezing
from tensorcopy.inspection.files.squeezing import Squeezed, squeeze
from tensorcopy.live.memory import Region

SIZE = 240


def addresses(view: Region) -> list[int]:
    """The first byte of every element, in row-major order."""
    return [
        view.address + sum(k * step for k, step in zip(index, view.strides, strict=True))
        for index in product(*map(range, view.shape))
    ]


def used(views: list[Region]) -> set[int]:
    return {at + k for view in views for at in addresses(view) for k in range(view.itemsize)}


def copied(layout: Squeezed, old: bytes) -> bytes:
    new = bytearray(layout.nbytes)
    for piece in layout.pieces:
        count, width = piece.rows
        taken = bytes(
            old[piece.lo + row * width + offset + sum(at)]
            for row in range(count)
            for offset, pairs in piece.parts
            for at in product(*(range(0, step * n, step) for step, n in reversed(pairs)))
        )
        new[piece.target : piece.target + len(taken)] = taken
    return bytes(new)


@st.composite
def views(draw: st.DrawFn) -> Region:
    itemsize = draw(st.sampled_from([1, 2, 4]))
    shape = tuple(draw(st.lists(st.integers(0, 4), max_size=3)))
    strides = tuple(draw(st.integers(0, 20)) * itemsize for _ in shape)
    reach = sum(max(n - 1, 0) * step for n, step in zip(shape, strides, strict=True)) + itemsize
    address = draw(st.integers(0, max(0, (SIZE - reach) // itemsize))) * itemsize
    return Region(address, shape, strides, itemsize)


@given(st.lists(views().filter(lambda view: view.span[1] <= SIZE), max_size=5), st.sampled_from([1, 1 << 12]))
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_view_shows_the_bytes_that_it_showed_and_shares_what_it_shared(
    monkeypatch: pytest.MonkeyPatch, given: list[Region], most_runs: int
) -> None:
    """With one run at a time allowed, all that has gaps goes by rows, as huge tensors do."""
    monkeypatch.setattr(squeezing, "_MOST_RUNS", most_runs)
    old = bytes(range(SIZE))
    layout = squeeze(SIZE, given)
    new = copied(layout, old)
    moved: dict[int, int] = {}
    for before, after in zip(given, layout.views, strict=True):
        assert (before.shape, before.itemsize, after.address % after.itemsize) == (after.shape, after.itemsize, 0)
        for a, b in zip(addresses(before), addresses(after), strict=True):
            assert old[a : a + before.itemsize] == new[b : b + before.itemsize]
            moved.update((a + k, b + k) for k in range(before.itemsize) if moved.setdefault(a + k, b + k) == b + k)
            assert all(moved[a + k] == b + k for k in range(before.itemsize))
    assert len(set(moved.values())) == len(moved) == len(used(given))
    assert all(0 <= at < layout.nbytes for at in moved.values())
    assert layout.nbytes <= SIZE


def tensor(address: int, shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int = 4) -> Region:
    return Region(address, shape, strides, itemsize)


@pytest.mark.parametrize(
    ("views", "nbytes", "moved"),
    [
        ([tensor(40, (10,), (4,))], 40, [(0, (4,))]),
        ([tensor(0, (2, 3), (40, 4))], 24, [(0, (12, 4))]),
        ([tensor(8, (3, 2), (4, 40))], 24, [(0, (4, 12))]),
        ([tensor(0, (5,), (0,))], 4, [(0, (0,))]),
        ([tensor(0, (4,), (8,)), tensor(4, (4,), (8,))], 32, [(0, (8,)), (4, (8,))]),
        ([tensor(0, (9, 2), (16, 4)), tensor(4, (9, 2), (16, 4))], 108, [(0, (12, 4)), (4, (12, 4))]),
        ([tensor(80, (2,), (4,)), tensor(0, (2,), (4,))], 16, [(8, (4,)), (0, (4,))]),
        ([tensor(0, (3,), (40,)), tensor(0, (41,), (4,))], 164, [(0, (40,)), (0, (4,))]),
        ([tensor(0, (0, 7), (28, 4))], 0, [(0, (28, 4))]),
        ([], 0, []),
    ],
    ids=[
        "a slice", "rows cut short", "the same, transposed", "an expanded scalar", "views that interleave",
        "columns that overlap", "two apart, in the order given", "gaps that another view fills", "nothing",
        "no views",
    ],
)  # fmt: skip
def test_gaps_are_closed(views: list[Region], nbytes: int, moved: list[tuple[int, tuple[int, ...]]]) -> None:
    layout = squeeze(4000, views)
    assert layout.nbytes == nbytes
    assert [(view.address, view.strides) for view in layout.views] == moved


def test_columns_of_a_huge_matrix_close_the_gaps_between_them() -> None:
    rows = 1_000_000
    views = [tensor(0, (rows, 10), (400, 4)), tensor(20, (rows, 10), (400, 4)), tensor(200, (4, 5), (400, 8))]
    layout = squeeze(rows * 400, views)
    assert layout.nbytes == rows * (60 + 20)
    assert [(view.address, view.strides) for view in layout.views] == [(0, (80, 4)), (20, (80, 4)), (60, (80, 4))]


def test_columns_whose_last_row_is_cut_short_stay_as_they_are() -> None:
    views = [tensor(0, (10_000, 2), (400, 4)), tensor(40, (9_999, 2), (400, 4))]
    assert squeeze(9_999 * 400 + 8, views).views == tuple(views)


def test_gaps_stay_where_closing_them_would_break_regular_steps() -> None:
    every_third, every_fifth = tensor(0, (4,), (12,)), tensor(0, (3,), (20,))
    layout = squeeze(4000, [every_third, every_fifth])
    assert (layout.nbytes, layout.views) == (44, (every_third, every_fifth))


def test_views_of_two_element_sizes_stay_aligned() -> None:
    layout = squeeze(4000, [tensor(2, (1,), (2,), 2), tensor(80, (2,), (4,), 4)])
    assert [view.address % view.itemsize for view in layout.views] == [0, 0]
    assert layout.nbytes == 12


def test_a_storage_that_is_needed_as_a_whole_stays_as_it_is() -> None:
    view = tensor(40, (10,), (4,))
    assert squeeze(4000, [view], keep_all=True).views == (view,)
    assert squeeze(4000, [view], keep_all=True).nbytes == 4000


def test_a_storage_that_is_used_to_the_last_byte_stays_as_it_is() -> None:
    views = [tensor(2000, (500,), (4,)), tensor(0, (500,), (4,))]
    assert squeeze(4000, views).views == tuple(views)
