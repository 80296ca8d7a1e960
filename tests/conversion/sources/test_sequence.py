from __future__ import annotations

from collections import UserList, deque, namedtuple
from collections.abc import Sequence

import numpy as np
import pytest
import torch

import tensorcopy as tc
from tests.conversion.sources.samples import Sample

Point = namedtuple("Point", "x y")


class Squares:
    """A data set as people write them: a length and an element for each index, and it never says stop."""

    def __len__(self):
        return 3

    def __getitem__(self, index):
        return index * index


class Registered(Sequence):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        if index > 1:
            raise IndexError
        return [index, 2.5]


def sample(name, build, expected, dtype="int64", **more):
    return Sample(name=name, build=build, expected=expected, dtype=dtype, **more)


SAMPLES = (
    sample("list", lambda: [1, 2, 3], [1, 2, 3]),
    sample("list of floats", lambda: [0.5, 2], [0.5, 2], "float32", numpy_dtype="float64"),
    sample("nested", lambda: [[1, 2], (3, 4)], [[1, 2], [3, 4]]),
    sample("tuple", lambda: (True, False), [True, False], "bool"),
    sample("named tuple", lambda: Point(1, 2), [1, 2]),
    sample("deque", lambda: deque([1, 2]), [1, 2]),
    sample("UserList", lambda: UserList([1, 2]), [1, 2]),
    sample("torch.Size", lambda: torch.Size([2, 3]), [2, 3]),
    sample("of arrays", lambda: [np.arange(2), np.arange(2)], [[0, 1], [0, 1]]),
    sample("of 0-d arrays", lambda: [np.array(1.5), np.array(2.5)], [1.5, 2.5], "float64"),
    sample("of tensors", lambda: [torch.arange(2), torch.arange(2)], [[0, 1], [0, 1]]),
    sample("of tensors of one element", lambda: [torch.ones(1), torch.ones(1)], [[1.0], [1.0]], "float32"),
    sample("of NumPy scalars", lambda: [np.float32(0.5), np.float32(2)], [0.5, 2], "float32"),
    sample("of a mixture", lambda: [np.arange(2), [2, 3], range(2)], [[0, 1], [2, 3], [0, 1]]),
    sample("data set", Squares, [0, 1, 4]),
    sample("registered sequence", Registered, [[0, 2.5], [1, 2.5]], "float32", numpy_dtype="float64"),
    sample("generator", lambda: (i for i in range(3)), [0, 1, 2], used_up=True),
    sample("map", lambda: map(float, range(2)), [0.0, 1.0], "float32", numpy_dtype="float64", used_up=True),
    sample("values of a dict", lambda: {"a": 1, "b": 2}.values(), [1, 2]),
    sample("keys of a dict", lambda: {1: "a", 2: "b"}.keys(), [1, 2]),
)


def test_a_list_of_tensors_keeps_the_graph():
    x = torch.tensor(2.0, requires_grad=True)
    result = tc.to_torch([x, 3 * x])
    assert torch.autograd.grad(result.sum(), x)[0].item() == 4.0


@pytest.mark.parametrize("make", [set, frozenset])
def test_a_set_is_refused_because_it_has_no_order(make):
    with pytest.raises(tc.errors.UnsupportedSourceError, match=r"a set has no order.*sorted"):
        tc.to_torch(make([1, 2]))


def test_an_error_of_the_data_set_itself_is_passed_on():
    class Broken(Squares):
        def __getitem__(self, index):
            raise KeyError(index)

    with pytest.raises(KeyError, match="0"):
        tc.to_torch(Broken())


def test_a_data_set_that_is_shorter_than_its_length_is_named():
    class Short(Squares):
        def __getitem__(self, index):
            return [0, 1][index]

    with pytest.raises(tc.errors.ProducerError, match=r"Short has no element at an index below its length.*__len__"):
        tc.to_torch(Short())


def test_an_object_that_calls_itself_a_list_and_is_none_is_refused():
    class Liar:
        @property
        def __class__(self):
            return list

    with pytest.raises(tc.errors.UnsupportedSourceError, match=r"cannot convert .*Liar"):
        tc.to_torch(Liar())
    with pytest.raises(tc.errors.UnsupportedSourceError, match=r"found Liar .* at \[0\]"):
        tc.to_torch([Liar()])


@pytest.mark.parametrize(
    ("leaf", "why"),
    [
        (np.datetime64("2020"), "a date or duration is a count of some unit"),
        (np.timedelta64(3, "s"), "a date or duration is a count of some unit"),
        (np.zeros(1, "i4, i4")[0], "a record holds several values"),
    ],
)
def test_the_advice_for_a_scalar_that_is_no_number_can_be_followed(leaf, why):
    with pytest.raises(tc.errors.UnsupportedSourceError, match=why) as caught:
        tc.to_torch([leaf])
    assert "float(value)" not in caught.value.fix
