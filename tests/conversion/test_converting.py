"""to_torch, to_numpy, convert and share keep the promises of their signatures."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

import tensorcopy as tc
from tensorcopy.errors import (
    BadArgumentError,
    CannotShareError,
    GraphError,
    ReadOnlyMemoryError,
    UnsupportedDtypeError,
    UnsupportedSourceError,
    WrongDeviceError,
)


def shares(a: object, b: object) -> bool:
    return bool(np.shares_memory(as_bytes(a), as_bytes(b)))


def as_bytes(x: object) -> np.ndarray:
    return x.detach().numpy() if isinstance(x, torch.Tensor) else np.asarray(x)


def test_a_plain_array_is_shared_and_a_write_shows_on_both_sides():
    a = np.zeros(3, "float32")
    t = tc.to_torch(a)
    t[1] = 5
    assert a.tolist() == [0.0, 5.0, 0.0]


@pytest.mark.parametrize(
    "array",
    [
        pytest.param(np.arange(6.0)[::-1], id="reversed"),
        pytest.param(np.arange(6.0).reshape(2, 3)[:, ::-1], id="reversed columns"),
        pytest.param(np.arange(6, dtype=">i4"), id="big-endian"),
        pytest.param(np.broadcast_to(np.float32(3), (2, 2)), id="broadcast"),
        pytest.param(np.frombuffer(b"\x01\x02", "u1"), id="over bytes"),
        pytest.param(np.zeros(3, "u1,f8")["f1"], id="packed field"),
    ],
)
def test_memory_that_no_tensor_may_lie_on_is_copied_when_allowed_and_refused_otherwise(array):
    before = array.copy()
    copied = tc.to_torch(array)
    assert copied.numpy().tolist() == before.tolist()
    assert not np.shares_memory(copied.numpy(), array)
    assert not tc.plan(array, to="torch").shares
    with pytest.raises(CannotShareError, match=r"cannot share .* as torch tensor · .* · pass copy=None"):
        tc.to_torch(array, copy=False)


def test_read_only_memory_is_shared_only_on_a_promise_not_to_write():
    array = np.arange(3.0)
    array.flags.writeable = False
    with pytest.raises(ReadOnlyMemoryError, match="torch would write it all the same"):
        tc.share(array)
    assert shares(tc.share(array, readonly=True), array)
    assert not shares(tc.to_torch(array), array)


def test_a_shared_read_only_source_comes_out_of_to_numpy_marked_read_only():
    array = tc.share(b"\x01\x02", to="numpy", readonly=True)
    assert array.tolist() == [1, 2]
    assert not array.flags.writeable


def test_a_tensor_comes_back_as_itself_when_nothing_has_to_change():
    x = torch.ones(3, requires_grad=True) * 2
    assert tc.to_torch(x) is x


@pytest.mark.parametrize("make", [lambda x: x, lambda x: [x, x], lambda x: [[x], [x]]], ids=["tensor", "list", "nest"])
def test_to_torch_keeps_the_graph_also_of_tensors_inside_lists(make):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    tc.to_torch(make(x), dtype="float64").sum().backward()
    assert x.grad is not None


def test_detach_cuts_the_graph_on_purpose():
    x = torch.ones(2, requires_grad=True)
    for given in (x, [x, x]):
        assert not tc.to_torch(given, detach=True).requires_grad


def test_to_numpy_of_a_tensor_on_the_graph_raises_unless_told_to_cut():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(GraphError, match=r"requires grad \(leaf\) to NumPy · .* · pass detach=True"):
        tc.to_numpy(x)
    with pytest.raises(GraphError, match="MulBackward0"):
        tc.share(x * 2, to="numpy")
    assert shares(tc.to_numpy(x, detach=True), x)


def test_conj_and_neg_bits_become_values_and_are_never_dropped():
    x = torch.tensor([1 + 2j, 3 - 4j]).conj()
    assert tc.to_numpy(x).tolist() == [1 - 2j, 3 + 4j]
    assert tc.to_numpy(x.imag).tolist() == [-2.0, 4.0]
    with pytest.raises(CannotShareError, match="negative bit"):
        tc.share(x.imag)


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_small_floats_cross_to_numpy_and_back_without_a_copy(name):
    x = torch.tensor([1.0, -2.0]).to(getattr(torch, name))
    there = tc.to_numpy(x)
    back = tc.to_torch(there)
    assert (there.dtype.name, back.dtype, back.data_ptr()) == (name, x.dtype, x.data_ptr())


def test_requires_grad_makes_a_leaf_and_leaves_the_source_alone():
    x = torch.ones(2)
    y = tc.to_torch(x, requires_grad=True)
    assert (y.requires_grad, y.is_leaf, x.requires_grad) == (True, True, False)


def test_requires_grad_on_integers_is_refused_with_a_reason():
    with pytest.raises(BadArgumentError, match=r"int64 .* · only floating and complex"):
        tc.to_torch([1, 2], requires_grad=True)


def test_a_meta_tensor_has_no_data_to_give():
    with pytest.raises(WrongDeviceError, match="device meta"):
        tc.to_numpy(torch.ones(2, device="meta"))


def test_another_device_is_never_reached_by_sharing():
    with pytest.raises(WrongDeviceError, match="must move"):
        tc.to_torch(np.ones(2), device="meta", copy=False)
    assert tc.to_torch(np.ones(2), device="meta").device.type == "meta"


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta")
@pytest.mark.parametrize("layout", ["to_sparse", "to_sparse_csr"])
def test_sparse_tensors_are_refused_by_numpy_with_what_to_do(layout):
    with pytest.raises(UnsupportedSourceError, match=r"layout sparse.* · .* · make it dense first"):
        tc.to_numpy(getattr(torch.eye(2), layout)())


def test_memory_format_lays_the_elements_out_anew():
    x = torch.arange(24.0).reshape(1, 2, 3, 4)
    y = tc.to_torch(x, memory_format=torch.channels_last)
    assert y.is_contiguous(memory_format=torch.channels_last)
    assert torch.equal(x, y)
    assert tc.to_torch(x.t() if x.dim() == 2 else x, memory_format=torch.contiguous_format) is x


def test_copy_true_owns_its_memory_whatever_the_source():
    for source in (np.ones(3), torch.ones(3), bytearray(b"abc"), [1.0], memoryview(b"abc"), np.float32(2)):
        result = tc.to_torch(source, copy=True)
        assert result.untyped_storage().resizable()
        assert isinstance(source, (list, np.generic)) or not np.shares_memory(result.numpy(), np.asarray(source))


def test_a_bytearray_cannot_grow_while_a_tensor_looks_at_it():
    source = bytearray(4)
    seen = tc.share(source)
    with pytest.raises(BufferError):
        source.extend(b"more")
    seen[0] = 9
    assert source[0] == 9
    del seen
    source.extend(b"more")


def test_unsigned_arrays_of_both_c_types_are_taken():
    for code in "LQ":
        array = np.array([2**63], dtype=code)
        assert tc.to_torch(array, copy=False).dtype == torch.uint64


def test_python_floats_follow_the_default_dtype_of_each_library():
    assert tc.to_torch([0.5]).dtype == torch.get_default_dtype()
    assert tc.to_numpy([0.5]).dtype == np.float64


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"dtype": "float31"}, UnsupportedDtypeError, "unknown dtype 'float31'"),
        ({"dtype": ">f4"}, BadArgumentError, "foreign byte order"),
        ({"casting": "loose"}, BadArgumentError, "casting='loose' is not known"),
        ({"device": "cuda:99"}, WrongDeviceError, "cuda:99"),
    ],
)
def test_arguments_that_make_no_sense_are_refused_in_three_parts(arguments, error, text):
    with pytest.raises(error, match=text) as caught:
        tc.to_torch([1.0], **arguments)
    assert all((caught.value.what, caught.value.why, caught.value.fix))


def test_convert_and_share_name_the_targets_that_there_are():
    with pytest.raises(BadArgumentError, match=r"cannot convert to 'tensorflow' · .* · pass one of .*numpy.*torch"):
        tc.convert([1], to="tensorflow")


def test_importing_the_package_loads_no_array_library():
    code = "import sys, tensorcopy; tensorcopy.copy({'a': 1}); sys.exit(bool({'torch', 'numpy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def _through_numpy(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(tc.to_numpy(x)) + 1


@pytest.mark.filterwarnings("ignore:`torch.jit")
@pytest.mark.parametrize(
    "capture",
    [
        pytest.param(lambda f, x: torch.jit.trace(f, x), id="jit.trace"),
        pytest.param(lambda f, x: make_fx(f)(x), id="make_fx"),
        pytest.param(lambda f, x: torch.func.functionalize(f)(x), id="functionalize"),
        pytest.param(lambda f, x: torch.func.vmap(f)(x), id="vmap"),
        pytest.param(lambda f, x: torch.func.jvp(f, (x,), (x,)), id="jvp"),
        pytest.param(lambda f, x: torch.func.grad(lambda y: f(y).sum())(x), id="grad"),
    ],
)
def test_values_are_never_baked_into_a_captured_or_transformed_function(capture):
    with pytest.raises((UnsupportedSourceError, GraphError), match=r"graph capture runs|requires grad"):
        capture(_through_numpy, torch.ones(2, 3))


@pytest.mark.parametrize("dtype", [None, "float32", "uint16", "bfloat16"])
@pytest.mark.parametrize(
    "source",
    [
        np.ones(3),
        np.ones(3)[::-1],
        np.ones(3, ">f8"),
        np.ma.array([1, 2], mask=[0, 1]),
        np.array([True, False]),
        [np.ones(3, "int32"), np.ones(3)],
        np.zeros((3, 0))[::-1],
    ],
    ids=["plain", "reversed", "big-endian", "masked", "bool", "list of arrays", "empty"],
)
def test_a_copy_can_be_resized_and_moved_to_shared_memory(source, dtype):
    result = tc.to_torch(source, copy=True, dtype=dtype, null=1)
    assert result.untyped_storage().resizable()
    assert result.share_memory_().is_shared()


def test_reading_a_tensor_leaves_no_mark_on_its_storage():
    source = torch.ones(3, dtype=torch.int64)
    tc.to_numpy(source, copy=True)
    tc.to_numpy(source, dtype="float32")
    tc.to_torch(source, dtype="uint16")
    tc.copy(source, dtype="uint32")
    assert source.untyped_storage().resizable()


@pytest.mark.filterwarnings("ignore:Dynamo")
@pytest.mark.parametrize(
    "function",
    [
        pytest.param(lambda x: tc.to_torch(x) * 2, id="shares"),
        pytest.param(lambda x: tc.to_torch(x, dtype="float64"), id="another dtype"),
        pytest.param(lambda x: tc.to_torch([x, x]), id="list of tensors"),
        pytest.param(lambda x: tc.to_torch(x.long(), dtype="float32"), id="checked"),
    ],
)
def test_a_compiled_function_converts_between_its_graphs(function):
    x = torch.ones(2, requires_grad=True)
    torch._dynamo.reset()
    compiled, expected = torch.compile(function, backend="eager")(x), function(x)
    assert torch.equal(compiled, expected)
    assert compiled.requires_grad == expected.requires_grad


@pytest.mark.parametrize("source", [[1.0], np.ones(2), 1.0, torch.ones(2)], ids=["list", "array", "number", "tensor"])
def test_an_unknown_casting_is_refused_whatever_the_source(source):
    with pytest.raises(BadArgumentError, match="casting='loose' is not known"):
        tc.to_torch(source, casting="loose")
