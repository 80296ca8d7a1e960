from __future__ import annotations

from collections import UserList, deque, namedtuple
from collections.abc import Sequence

import numpy as np
import pandas as pd
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


@pytest.mark.parametrize(
    ("source", "null", "expected"),
    [
        ([1.0, None], 0, torch.tensor([1.0, 0.0])),
        ([1, None], -1, torch.tensor([1, -1])),
        ([1, None], 0.5, torch.tensor([1.0, 0.5])),
        ([[1, None], (2, pd.NA)], 7, torch.tensor([[1, 7], [2, 7]])),
        (deque([None, 2]), 1, torch.tensor([1, 2])),
        ((x for x in [1, None]), 3, torch.tensor([1, 3])),
        ([iter([None, 1]), iter([2, 3])], 4, torch.tensor([[4, 1], [2, 3]])),
        ([torch.tensor(1.5), None], 0, torch.tensor([1.5, 0.0])),
        ([None, torch.tensor(1.5)], 0, torch.tensor([0.0, 1.5])),
        (np.array([[1, None]], dtype=object), 2, torch.tensor([[1, 2]])),
        ([1, 2], 0, torch.tensor([1, 2])),
        ([], 0, torch.tensor([])),
    ],
)
def test_null_stands_wherever_a_nest_has_no_value(source, null, expected):
    given = list(source) if isinstance(source, list) else None
    found = tc.to_torch(source, null=null)
    assert found.dtype is expected.dtype
    assert torch.equal(found, expected)
    assert given is None or all(a is b for a, b in zip(source, given, strict=True))


def test_a_null_that_the_dtype_cannot_hold_is_refused_with_its_place():
    with pytest.raises(tc.errors.LossyConversionError, match=r"float value 0.5 at \[1\] cannot become int64"):
        tc.to_torch([1, None], null=0.5, dtype="int64")


def test_null_must_be_a_number_and_a_nest_without_it_refuses_none():
    with pytest.raises(tc.errors.BadArgumentError, match="null='a' is no number"):
        tc.to_torch([1, None], null="a")
    with pytest.raises(
        tc.errors.LossyConversionError, match=r"found None at \[1\], not a number · .* · pass null= with a"
    ):
        tc.to_torch([1, None])
    with pytest.raises(
        tc.errors.LossyConversionError, match=r"found <NA> at \[1\], not a number · .* · pass null= with a"
    ):
        tc.to_torch([1, pd.NA])


def test_a_list_that_contains_itself_is_refused_with_null_too():
    nest = [1, None]
    nest.append(nest)
    with pytest.raises(tc.errors.RaggedError, match=r"found a list of length 3 at \[2\], not a number"):
        tc.to_torch(nest, null=0)
    nest[:] = [nest]
    with pytest.raises(tc.errors.NestError, match="contains itself"):
        tc.to_torch(nest, null=0)
