from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch

from tensorcopy.live import aliases
from tensorcopy.live.aliases import arrays_over, look_past, objects_over, storage_users, with_bases
from tensorcopy.live.memory import Region
from tensorcopy.live.regions import footprint


@pytest.fixture(autouse=True)
def few_objects() -> Iterator[None]:
    """Hide from searches what existed before the test: they take their time from the size of the program."""
    gc.freeze()
    yield
    gc.unfreeze()


class Holder:
    def __init__(self, value: Any) -> None:
        self.value = value


def regions(obj: Any) -> tuple[Region, ...]:
    return footprint(obj).regions


def lengths_over(whole: np.ndarray) -> set[int]:
    """Lengths of the arrays found: to ask for an array by name would put it among the variables."""
    return {len(found) for found in arrays_over(regions(whole))}


def test_arrays_are_found_in_containers_attributes_closures_and_variables() -> None:
    whole, variable = np.zeros(8), None

    def closure(part: np.ndarray) -> Any:
        return lambda: part

    kept = [[whole[1:]], Holder(whole[2:]), {"k": ((whole[3:],),)}, closure(whole[4:])]
    gc.collect()  # the collector now forgets the tuples, which hold nothing that it tracks
    assert lengths_over(whole) == {8, 7, 6, 5, 4}
    variable = whole[5:]
    assert lengths_over(whole) == {8, 7, 6, 5, 4, len(variable)}
    kept.clear()
    assert lengths_over(whole) == {8, len(variable)}


def test_an_array_in_a_suspended_generator_is_found() -> None:
    whole = np.zeros(8)

    def generate() -> Iterator[int]:
        part = whole[1:]
        yield 1
        yield len(part)

    running = generate()
    next(running)
    assert lengths_over(whole) == {8, 7}
    assert next(running) == 7


def test_an_array_that_only_interleaves_is_not_found() -> None:
    whole = np.zeros(8)
    odd = whole[1::2]
    assert lengths_over(whole[::2]) == {8, 4}
    assert not any(found is odd for found in arrays_over(regions(whole[::2])))


def test_the_base_that_only_a_view_holds_is_found() -> None:
    view = np.zeros(8)[2:]
    assert lengths_over(view) == {6, 8}


def test_objects_of_every_library_are_found_over_the_memory() -> None:
    block = bytearray(64)
    kinds = [np.frombuffer(block, np.uint8), torch.frombuffer(block, dtype=torch.uint8), memoryview(block)]
    kinds.append(pa.py_buffer(block))
    found = {type(obj).__name__ for obj in objects_over(regions(block))}
    assert found >= {type(obj).__name__ for obj in kinds} | {"bytearray"}


def test_a_base_that_nobody_but_the_view_holds_is_not_found() -> None:
    view = torch.arange(6.0).reshape(2, 3)
    assert [obj for obj in objects_over(regions(view)) if obj is not view] == []
    base = torch.arange(6.0)
    other = base.reshape(2, 3)
    assert [obj for obj in objects_over(regions(other)) if obj is not other] == [base] or any(
        obj is base for obj in objects_over(regions(other))
    )


def test_the_search_keeps_nothing_alive() -> None:
    array = np.zeros(3)
    alive = weakref.ref(array)
    arrays_over(regions(np.zeros(3)))
    del array
    assert alive() is None


def test_the_search_leaves_no_cycle_behind() -> None:
    wanted = regions(np.zeros(3))
    arrays_over(wanted)
    gc.collect()
    gc.disable()
    try:
        arrays_over(wanted)
        left = gc.collect()
    finally:
        gc.enable()
    assert left == 0


def test_the_search_leaves_a_callers_own_locals_alone() -> None:
    array = np.zeros(3)
    mine = locals()
    arrays_over(regions(array))
    assert mine["array"] is array


def test_views_come_after_what_they_are_views_of() -> None:
    whole = np.zeros(8)
    masked = np.ma.array(whole[2:], copy=False)
    order = with_bases([masked, whole[3:]])
    assert order[0] is whole
    assert {id(whole), id(masked)} <= {id(array) for array in order}


def test_what_only_an_onlooker_holds_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    class Onlooker:
        def __init__(self, held: Any) -> None:
            self.held = held

    x = torch.zeros(3)
    onlooker = Onlooker(x.numpy())
    assert [type(obj) for obj in objects_over(footprint(x).regions)].count(np.ndarray) == 1
    monkeypatch.setattr(aliases, "_ONLOOKERS", {look_past(Onlooker)})
    assert [type(obj) for obj in objects_over(footprint(x).regions)].count(np.ndarray) == 0
    del onlooker


def test_users_of_a_storage_are_counted() -> None:
    x = torch.zeros(3)
    alone = storage_users(x)
    shown = x.numpy()
    other = x.detach()
    assert alone == 1
    assert storage_users(x) == 3
    del shown, other
    assert storage_users(x) == 1
