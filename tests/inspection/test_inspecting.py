from __future__ import annotations

import mmap

import numpy as np
import pytest
import torch

from tensorcopy.errors import UnusableBufferError
from tensorcopy.inspection import inspect
from tests.live.sources import SOURCES, Source

TWINS = {name: source for name, source in SOURCES.items() if source.twin is not None}


def test_each_of_the_others_is_compared_in_its_place() -> None:
    x = torch.zeros(4, 6)
    found = inspect(x[1:3], x, torch.zeros(3), x[0], 5)
    assert [overlap.kind for overlap in found.overlaps] == ["overlap", "disjoint", "disjoint", "disjoint"]
    assert found.overlaps[0].ranges == (((0, 2), (0, 6)), ((1, 3), (0, 6)))


@pytest.mark.parametrize("source", TWINS.values(), ids=TWINS)
def test_overlap_is_told_across_libraries(source: Source) -> None:
    assert inspect(source.obj, source.twin).overlaps[0].kind in ("overlap", "same memory")


def test_the_others_appear_in_the_account_in_words() -> None:
    x = torch.zeros(4)
    last = str(inspect(x, x[1:], torch.zeros(1))).partition("\n\n")[0].splitlines()[-2:]
    assert last == [
        "  other 1      overlap: 12 bytes, 3 elements within [1:4] of the first, 3 elements within [0:3] of the second",
        "  other 2      disjoint",
    ]


def test_a_state_dict_is_one_object_of_several_parts() -> None:
    state = torch.nn.Linear(2, 3).state_dict()
    found = inspect(state, state["bias"])
    assert (found.nbytes, found.layout, [region.label for region in found.regions]) == (
        36,
        "several parts",
        ["['weight']", "['bias']"],
    )
    assert found.overlaps[0].parts == ("['bias']", "")


def test_inspecting_changes_nothing() -> None:
    x = torch.ones(3, requires_grad=True)
    array = np.zeros(3)
    before = (x._version, x.requires_grad, array.flags.num, x.untyped_storage().resizable())
    inspect(x, array)
    inspect(array, x)
    assert (x._version, x.requires_grad, array.flags.num, x.untyped_storage().resizable()) == before


def test_a_closed_buffer_is_an_error_also_among_the_others() -> None:
    pages = mmap.mmap(-1, 16)
    pages.close()
    with pytest.raises(UnusableBufferError, match="cannot look into the mmap"):
        inspect(pages)
    with pytest.raises(UnusableBufferError, match="cannot look into the mmap"):
        inspect(torch.zeros(3), pages)
