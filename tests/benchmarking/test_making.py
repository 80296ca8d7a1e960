"""Sources made to order."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tensorcopy.benchmarking import making
from tensorcopy.benchmarking.making import LAYOUTS, Order, made, shape_of
from tensorcopy.errors import BadArgumentError, UnsupportedDtypeError, WrongDeviceError
from tensorcopy.live.describe import describe


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("1000x1000", (1000, 1000)),
        ("1e6", (1_000_000,)),
        ("(2, 3)", (2, 3)),
        ("7", (7,)),
        ("", ()),
        ("0x3", (0, 3)),
        ("2x", (2,)),
    ],
)
def test_a_shape_is_read(text, shape):
    assert shape_of(text) == shape


@pytest.mark.parametrize("text", ["-3", "2.5", "axb", "1e20", "1e9x1e9"])
def test_what_is_no_shape_is_refused(text):
    with pytest.raises(BadArgumentError, match="is no shape"):
        shape_of(text)


@pytest.mark.parametrize("layout", [name for name, layout in LAYOUTS.items() if not layout.only_arrays])
def test_a_tensor_has_the_shape_dtype_and_layout_that_were_ordered(layout):
    x = made(Order(shape=(2, 3, 4, 5), dtype="float64", layout=layout, requires_grad=True))
    name = {"transposed": "permuted", "strided": "gaps"}.get(layout, layout)
    assert (tuple(x.shape), x.dtype, x.requires_grad, x.is_leaf) == ((2, 3, 4, 5), torch.float64, True, True)
    assert describe(x).layout == name


@pytest.mark.parametrize(
    ("layout", "said", "writable"), [("negative", "negative strides", True), ("read-only", "contiguous", False)]
)
def test_an_array_has_the_layout_that_was_ordered(layout, said, writable):
    x = made(Order(kind="array", shape=(4, 3), layout=layout))
    found = describe(x)
    assert (type(x), x.shape, found.layout, found.writable) == (np.ndarray, (4, 3), said, writable)


def test_a_list_is_of_python_numbers():
    assert made(Order(kind="list", shape=(2, 2), dtype="int64")) == [[0, 1], [2, 3]]


@pytest.mark.parametrize("dtype", ["bool", "uint8", "bfloat16", "complex64", "float8_e4m3fn"])
def test_values_fit_every_dtype(dtype):
    assert str(made(Order(shape=(3,), dtype=dtype)).dtype) == f"torch.{dtype}"


def test_values_repeat_over_any_size():
    x = made(Order(shape=(2500,), dtype="int32"))
    assert x[:997].tolist() == x[997:1994].tolist() == [k % 100 for k in range(997)]


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (Order(layout="diagonal"), "there is no layout 'diagonal'"),
        (Order(shape=(3,), layout="transposed"), "it takes at least 2 dimensions"),
        (Order(layout="channels_last"), "it takes exactly 4 dimensions"),
        (Order(layout="negative"), "a tensor has no layout negative"),
        (Order(kind="list", layout="read-only"), "a list has no layout read-only"),
        (Order(dtype="int64", requires_grad=True), "a tensor of int64 cannot require grad"),
        (Order(kind="array", requires_grad=True), "an array of float32 cannot require grad"),
    ],
)
def test_an_order_that_makes_no_sense_is_refused(order, message):
    with pytest.raises(BadArgumentError, match=message):
        made(order)


def test_an_unknown_dtype_and_device_are_refused():
    with pytest.raises(UnsupportedDtypeError, match="unknown dtype 'float13'"):
        made(Order(dtype="float13"))
    with pytest.raises(WrongDeviceError, match="device 'nowhere' is not to be had"):
        made(Order(device="nowhere"))


def test_an_order_beyond_the_memory_is_refused_before_it_is_made(monkeypatch):
    monkeypatch.setattr(making, "available_bytes", lambda: 10_000_000)
    with pytest.raises(BadArgumentError, match=r"take 12\.0 GB, and 0\.0 GB are free"):
        made(Order(shape=(10**9,)))


@pytest.mark.parametrize(
    ("order", "elements", "shape"),
    [
        (Order(), 10_000, (100, 100)),
        (Order(), 1000, (31, 32)),
        (Order(shape=(5,)), 77, (77,)),
        (Order(shape=(8, 3, 2)), 60, (10, 3, 2)),
        (Order(shape=(8, 3, 2)), 1, (1, 3, 2)),
    ],
)
def test_an_order_grows_and_shrinks(order, elements, shape):
    assert order.of_size(elements).shape == shape
