"""Tensors and buffers that nobody expects: refused with reasons, or converted, and never the end of the process."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
import torch

import tensorcopy as tc
from tensorcopy.errors import (
    LossyConversionError,
    ProducerError,
    UnsupportedDtypeError,
    UnsupportedSourceError,
    UnusableBufferError,
)

pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{text}:UserWarning")
    for text in (".*nested tensors", "ComplexHalf support", "torch.quantize_per_tensor", "Sparse CSR")
]


def freed(count: int, first: int = 0) -> torch.Tensor:
    """A tensor as sharded training leaves it: a part of a block, with a shape, and without memory."""
    block = torch.ones(first + count)
    part = block[first:]
    block.untyped_storage().resize_(0)
    return part


@pytest.mark.parametrize("first", [0, 2, 100_000])
@pytest.mark.parametrize("count", [5, 3_000_000])
@pytest.mark.parametrize(
    "call",
    [
        tc.copy,
        lambda x: tc.copy({"a": x}),
        lambda x: tc.copy([x, torch.ones(2)[::2]]),
        lambda x: tc.copy({"a": x, "b": torch.ones(2)}, flat=True),
        lambda x: tc.copy(torch.nn.Parameter(x)),
        lambda x: tc.to_torch(x, copy=True),
        lambda x: tc.to_torch(x, dtype="int8"),
        lambda x: tc.to_torch([x, x]),
        lambda x: tc.to_torch([x] * 20, dtype="float64"),
        lambda x: tc.to_torch([torch.ones(x.shape), x]),
        lambda x: tc.to_numpy(x),
        lambda x: tc.share(x, to="numpy"),
        lambda x: tc.copy(x, out=torch.ones(x.shape)),
        lambda x: tc.copy(torch.ones(x.shape), out=x),
        lambda x: tc.collate([x, x]),
        lambda x: tc.collate([torch.ones(x.shape), x]),
    ],
)
def test_a_tensor_whose_memory_was_freed_is_refused(call, count: int, first: int) -> None:
    with pytest.raises(
        UnusableBufferError, match=r"its storage is empty · its memory was freed .* · gather its values"
    ):
        call(freed(count, first))


def cut_short(count: int, step: int = 1) -> torch.Tensor:
    """A view of a block whose storage ends before the last element of the view."""
    part = torch.ones(2 + count * step)[2::step]
    part.untyped_storage().resize_(4 * (2 + (count - 1) * step))
    return part


READERS = [
    tc.to_numpy,
    lambda x: tc.to_numpy(x, copy=True),
    lambda x: tc.share(x, to="numpy"),
    lambda x: tc.to_numpy([x, x]),
    lambda x: tc.convert(x, "list"),
    lambda x: tc.to_torch(x, copy=True, dtype="float64"),
    lambda x: tc.copy(x, dtype="int8"),
]
LARGE_READERS = [
    *READERS,
    tc.copy,
    lambda x: tc.copy({"a": x, "b": torch.ones(2)}),
    lambda x: tc.copy([torch.ones(2), torch.ones(3), x]),
    lambda x: tc.to_torch([x, x]),
    lambda x: tc.collate([x, x]),
]


@pytest.mark.parametrize(
    ("call", "count"), [*((call, 5) for call in READERS), *((call, 1_000_000) for call in LARGE_READERS)]
)
@pytest.mark.parametrize("step", [1, 2])
def test_a_tensor_whose_storage_was_cut_short_is_refused(call, count: int, step: int) -> None:
    with pytest.raises(
        UnusableBufferError,
        match=r"its storage ends after \d+ bytes, before its last element( at \[0\]| \(at .*\))? · ",
    ):
        call(cut_short(count, step))


@pytest.mark.parametrize(
    "whole",
    [
        torch.ones(1).expand(70_000),
        torch.ones(140_001)[1::2],
        torch.ones(300, 300)[:, :299].t(),
        torch.ones(70_000)[70_000:],
        torch.ones(()),
    ],
)
@pytest.mark.parametrize("call", LARGE_READERS)
def test_a_view_that_ends_where_its_storage_does_is_read(call, whole: torch.Tensor) -> None:
    call(whole)


def test_a_batch_of_tensors_without_memory_of_their_own_is_stacked() -> None:
    assert tc.collate([torch.ones(2, device="meta")] * 2).shape == (2, 2)
    assert tc.collate([torch.ones(0, 3)] * 2).shape == (2, 0, 3)
    stacked = torch.func.vmap(lambda x: tc.collate([x, x]))(torch.arange(3.0))
    assert stacked.tolist() == [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]


def test_tensors_without_elements_and_on_no_device_are_copied() -> None:
    assert tc.copy(torch.ones(0, 3)).shape == (0, 3)
    assert tc.copy(torch.ones(2, device="meta")).device.type == "meta"
    assert tc.copy(torch.eye(2).to_sparse()).to_dense().equal(torch.eye(2))


@pytest.mark.parametrize("kind", [ctypes.c_wchar, ctypes.c_longdouble, ctypes.c_void_p])
def test_a_ctypes_array_of_no_numbers_is_refused(kind: type) -> None:
    with pytest.raises(UnsupportedSourceError, match=r"cannot convert .* of format"):
        tc.to_torch((kind * 2)())


@pytest.mark.parametrize(
    "said", [{"shape": (2, 3), "strides": (2**60, 8)}, {"shape": (2,), "strides": (-(2**60),)}, {"shape": (2**57,)}]
)
def test_an_array_interface_that_reaches_beyond_all_memory_is_refused(said: dict[str, object]) -> None:
    class Liar:
        held = np.ones(6)
        __array_interface__ = {**held.__array_interface__, **said}

    with pytest.raises(ProducerError, match=r"gave address \d+ for elements from"):
        tc.to_torch(Liar())


def test_the_stored_values_of_sparse_tensors_are_checked_on_their_way_to_another_dtype() -> None:
    for sparse in (torch.eye(2).to_sparse(), torch.eye(2).to_sparse_csr()):
        assert tc.to_torch(sparse, dtype="int8").to_dense().tolist() == [[1, 0], [0, 1]]
        with pytest.raises(LossyConversionError, match=r"float32 value 1\.5 .* cannot become int8"):
            tc.to_torch(sparse * 1.5, dtype="int8")


def test_a_nested_tensor_is_taken_as_it_is_and_fits_no_batch() -> None:
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    assert tc.to_torch(nested) is nested
    assert tc.to_torch(nested, dtype="int8").dtype is torch.int8
    assert tc.plan(nested).shape is None
    with pytest.raises(UnsupportedSourceError, match="cannot collate the samples of tensors"):
        tc.collate([nested, nested])


def test_a_parameter_of_a_lazy_module_is_refused_until_the_module_has_run() -> None:
    lazy = torch.nn.UninitializedParameter()
    for call in (tc.to_torch, tc.to_numpy, lambda x: tc.collate([x, x])):
        with pytest.raises(UnsupportedSourceError, match=r"neither shape nor values · run the module once before"):
            call(lazy)
    assert isinstance(tc.copy({"a": lazy}, flat=True)["a"], torch.nn.UninitializedParameter)


@pytest.mark.parametrize("name", ["bits8", "int4", "complex32"])
def test_elements_that_numpy_does_not_know_are_refused(name: str) -> None:
    dtype = getattr(torch, name, None)
    if dtype is None:
        pytest.skip("this torch has no such type")
    with pytest.raises(UnsupportedDtypeError, match=f"cannot give a tensor of {name} to NumPy"):
        tc.to_numpy(torch.empty(2, dtype=dtype))


@pytest.mark.parametrize("name", ["bits8", "qint8"])
def test_elements_that_are_no_numbers_keep_their_type(name: str) -> None:
    x = (
        torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)
        if name == "qint8"
        else torch.empty(2, dtype=torch.bits8)
    )
    assert tc.to_torch(x, copy=True).dtype is x.dtype
    with pytest.raises(UnsupportedDtypeError, match=f"cannot convert a tensor of {name} to float32"):
        tc.to_torch(x, dtype="float32")
