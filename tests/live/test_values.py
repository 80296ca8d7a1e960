"""How true a result is to its source."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tensorcopy.live import values
from tensorcopy.live.values import Difference, Fidelity, difference, twice

EXACT = Difference(fidelity=Fidelity.EXACT)
nan = float("nan")
SAME = [
    (torch.ones(2, 3), np.ones((2, 3))),
    (np.array([1, 2]), torch.tensor([1.0, 2.0])),
    (torch.tensor([1.5], dtype=torch.bfloat16), torch.tensor([1.5])),
    (torch.tensor([1 + 2j]).conj(), torch.tensor([1 - 2j])),
    (torch.tensor([nan, 1.0]), torch.tensor([nan, 1.0])),
    (np.arange(3.0).astype(">f8"), torch.arange(3.0)),
    (np.array([True, False]), torch.tensor([1, 0])),
    (np.array([1, 2], dtype=object), torch.tensor([1, 2])),
    (np.empty((0, 3)), torch.empty(0, 3)),
    ([[1, 2.5], [nan, 3]], torch.tensor([[1, 2.5], [nan, 3]])),
    ([np.arange(2.0), np.ones(2)], torch.tensor([[0.0, 1.0], [1.0, 1.0]])),
    ([], torch.empty(0)),
]


@pytest.mark.parametrize(("x", "y"), SAME)
def test_equal_values_are_exact_whatever_holds_them(x, y):
    assert difference(x, y) == EXACT


CHANGED = [
    (
        np.array([2**53 + 1]),
        torch.tensor([2.0**53], dtype=torch.float64),
        "9007199254740993 becomes 9007199254740992.0",
    ),
    (np.array([16777217]), torch.tensor([16777216.0]), "16777217 becomes 16777216.0"),
    (np.array([2**63], np.uint64), torch.tensor([-(2**63)]), "9223372036854775808 becomes -9223372036854775808"),
    (np.array([300]), torch.tensor([44], dtype=torch.uint8), "300 becomes 44"),
    (np.array([1e300]), torch.tensor([float("inf")]), "1e+300 becomes inf"),
    (np.array([nan]), torch.tensor([0.0]), "nan becomes 0.0"),
    (torch.tensor([-1 - 2j]).imag, torch.tensor([2.0]), "-2.0 becomes 2.0"),
    ([16777217, 0.5], torch.tensor([16777216.0, 0.5]), "16777217 becomes 16777216.0"),
]
ROUNDED = [(np.array([0.1]), torch.tensor([0.1])), ([0.1, 1], torch.tensor([0.1, 1.0]))]
OTHER = [
    *((x, y, Fidelity.OTHER_VALUES, f"{text} at [0]") for x, y, text in CHANGED),
    *((x, y, Fidelity.ROUNDED, "0.1 becomes 0.10000000149011612 at [0]") for x, y in ROUNDED),
    ([[0.5, 3]], torch.tensor([[0.5, 4.0]]), Fidelity.OTHER_VALUES, "3 becomes 4.0 at [0, 1]"),
    (np.array(3), torch.empty(3), Fidelity.OTHER_SHAPE, "the shape becomes (3,), not ()"),
    ([[]], torch.empty(0), Fidelity.OTHER_SHAPE, "the shape becomes (0,), not (1, 0)"),
    (torch.ones(2), torch.ones(2, device="meta"), Fidelity.UNKNOWN, "the result lies on meta and holds no values"),
    (
        np.ma.masked_array([1.0, 9.0], [0, 1]),
        torch.tensor([1.0, 9.0]),
        Fidelity.UNMASKED,
        "the mask is dropped, and hidden values become data",
    ),
]


@pytest.mark.parametrize(("x", "y", "fidelity", "text"), OTHER)
def test_the_first_element_that_differs_is_told(x, y, fidelity, text):
    assert difference(x, y) == Difference(fidelity=fidelity, text=text)


def test_of_many_elements_some_at_even_distances_are_compared(monkeypatch):
    monkeypatch.setattr(values, "_COMPARED", 100)
    x, y = torch.zeros(10, 1000), torch.zeros(10, 1000)
    y[:, -1] = 1.0
    assert difference(x, y).fidelity is Fidelity.EXACT
    y[:] = 1.0
    assert difference(x, y).text == "0.0 becomes 1.0 at [0, 0]"


def test_two_halves_are_found_whether_stacked_or_joined():
    x = torch.arange(6.0).reshape(2, 3)
    for y in (torch.stack((x, x)), torch.cat((x, x))):
        assert [half.tolist() for half in twice(y, x.shape)] == [x.tolist()] * 2
    assert twice(torch.hstack((x, x)), x.shape) is None
    assert [half.item() for half in twice(torch.ones(2), ())] == [1.0, 1.0]
