from __future__ import annotations

from array import array
from collections import UserList, deque, namedtuple
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from itertools import product

import ml_dtypes
import numpy as np
import pytest
import torch

from tensorcopy.conversion.number_kinds import (
    FOREIGN,
    KINDS,
    READABLE,
    SEQUENCE,
    UNREADABLE,
    kind_of,
    names_of,
    promote,
    result_dtype,
)

NUMPY = tuple(name for name in READABLE if name != "bfloat16")
Colour = IntEnum("Colour", "RED")
Point = namedtuple("Point", "x y")


@pytest.mark.parametrize(
    ("leaf", "name"),
    [
        *[(True, "bool"), (1, "int"), (1.5, "float"), (1j, "complex"), (Colour.RED, "int")],
        *[(np.dtype(name).type(1), f"numpy.{name}") for name in NUMPY],
        *[(np.longlong(1), "numpy.int64"), (np.ulonglong(1), "numpy.uint64"), (np.intc(1), "numpy.int32")],
        (ml_dtypes.bfloat16(1), "numpy.bfloat16"),
        (type("Own", (np.float64,), {})(1.5), "numpy.float64"),
        (type("Own", (float,), {})(1.5), "float"),
    ],
)
def test_a_number_is_of_the_kind_that_its_class_says(leaf, name):
    assert KINDS[kind_of(type(leaf))] == name


@pytest.mark.parametrize(
    "leaf", [[], (), deque(), range(1), Point(1, 2), torch.Size([1]), UserList(), type("Own", (list,), {})()]
)
def test_a_sequence_is_a_level_of_the_nest(leaf):
    assert kind_of(type(leaf)) == SEQUENCE


@pytest.mark.parametrize(
    "leaf",
    [np.zeros(1), np.ma.masked, torch.zeros(()), bytearray(1), memoryview(b"1"), array("d"), ml_dtypes.float8_e5m2(1)],
)
def test_a_leaf_with_memory_of_its_own_is_foreign(leaf):
    assert kind_of(type(leaf)) == FOREIGN


@pytest.mark.parametrize(
    "leaf",
    [
        *[None, "1", b"1", {}, set(), Decimal(1), Fraction(1, 2), object(), int, iter([])],
        *[np.str_("1"), np.bytes_(b"1"), np.datetime64("2024-01-01"), np.timedelta64(1), np.longdouble(1)],
        np.void(b"1"),
    ],
)
def test_what_is_neither_is_unreadable(leaf):
    assert kind_of(type(leaf)) == UNREADABLE


@pytest.mark.parametrize(("one", "other"), [*product(NUMPY, NUMPY)])
def test_numpy_scalars_promote_as_numpy_promotes(one, other):
    assert promote(one, other) == np.promote_types(one, other).name


@pytest.mark.parametrize("other", NUMPY)
def test_bfloat16_promotes_to_what_holds_every_value_of_both(other):
    promoted = promote("bfloat16", other)
    assert promoted == promote(other, "bfloat16")
    assert promoted == ("float32" if other == "float16" else promote("float16", other)).replace("float16", "bfloat16")


def _mask(*names: str) -> int:
    return sum(1 << KINDS.index(name) for name in names)


@pytest.mark.parametrize("default", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("values", [[True], [1], [1.5], [True, 2], [True, 2.5], [1, 2.5], []])
def test_python_numbers_become_what_torch_makes_of_them(values, default):
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, default))
    try:
        expected = torch.tensor(values).dtype
    finally:
        torch.set_default_dtype(before)
    seen = _mask(*{KINDS[kind_of(type(value))] for value in values})
    assert getattr(torch, result_dtype(seen, default)) == expected


@pytest.mark.parametrize("default", ["float32", "float64"])
@pytest.mark.parametrize("python", [True, 1, 1.5, 1j], ids=repr)
@pytest.mark.parametrize("name", [name for name in NUMPY if name not in ("uint16", "uint32", "uint64")])
def test_one_kind_of_numpy_scalar_beside_python_numbers_becomes_what_torch_makes_of_them(name, python, default):
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, default))
    try:
        # torch reads np.bool_ beside nothing else; it counts as a bool.
        expected = torch.tensor([True if name == "bool" else np.dtype(name).type(1), python]).dtype
    finally:
        torch.set_default_dtype(before)
    seen = _mask(f"numpy.{name}", KINDS[kind_of(type(python))])
    assert getattr(torch, result_dtype(seen, default)) == expected


@pytest.mark.parametrize(
    ("names", "dtype"),
    [
        (("int", "numpy.uint64"), "uint64"),
        (("bool", "numpy.uint64"), "uint64"),
        (("int", "numpy.uint32"), "int64"),
        (("float", "numpy.uint64"), "float32"),
        (("int", "numpy.int8", "numpy.float16"), "float16"),
        (("numpy.int64", "numpy.float32"), "float64"),
        (("complex", "numpy.bfloat16"), "complex64"),
    ],
)
def test_the_other_mixtures_become_what_is_documented(names, dtype):
    assert result_dtype(_mask(*names), "float32") == dtype


def test_a_complex_number_beside_a_half_default_is_complex64():
    assert [result_dtype(_mask("complex"), name) for name in ("float16", "bfloat16")] == ["complex64", "complex64"]


def test_names_of_a_mask_come_in_the_order_of_the_kinds():
    assert names_of(_mask("numpy.bool", "float", "bool")) == ("bool", "float", "numpy.bool")
