from __future__ import annotations

import copy as stdlib_copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.autograd import forward_ad

import tensorcopy as tc
from tensorcopy.errors import (
    BadArgumentError,
    GraphError,
    LossyConversionError,
    NestError,
    ReadOnlyMemoryError,
    UnsupportedDtypeError,
    UnsupportedSourceError,
    WrongDeviceError,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*nested tensors is in prototype stage"),
    pytest.mark.filterwarnings("ignore:.*Sparse CSR tensor support"),
    pytest.mark.filterwarnings("ignore:.*quantize_per_tensor"),
    pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental"),
    pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated"),
]


class Tagged(torch.Tensor):
    """A plain subclass."""


class TaggedParameter(torch.nn.Parameter):
    """A subclass of Parameter."""


class TaggedArray(np.ndarray):
    """A subclass of ndarray with an attribute."""

    def __array_finalize__(self, obj: Any) -> None:
        self.unit = getattr(obj, "unit", None)


def matrix() -> torch.Tensor:
    return torch.randn(4, 6)


STRIDED: dict[str, Callable[[], torch.Tensor]] = {
    "contiguous": matrix,
    "transposed": lambda: matrix().t(),
    "channels_last": lambda: torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last),
    "gapped": lambda: matrix()[:, ::2],
    "offset": lambda: matrix()[1:, 2:],
    "expanded": lambda: torch.randn(4, 1).expand(4, 6),
    "overlapping": lambda: torch.arange(6.0).as_strided((3, 2), (1, 2)),
    "scalar": lambda: torch.tensor(3.5),
    "empty": lambda: torch.empty(0, 3),
    "conj": lambda: torch.randn(3, dtype=torch.complex64).conj(),
    "neg": lambda: torch.randn(3, dtype=torch.complex64).conj().imag,
    "complex32": lambda: torch.randn(3, dtype=torch.complex64).to(torch.complex32),
    "bool": lambda: torch.tensor([True, False]),
    "large": lambda: torch.randn(1100, 1000),
    "large transposed": lambda: torch.randn(1100, 1000).t(),
    "large uint8": lambda: torch.arange(5_000_000).to(torch.uint8),
    "large conj": lambda: torch.randn(600_000, dtype=torch.complex64).conj(),
    **{
        name: lambda name=name: torch.ones(3).to(getattr(torch, name))
        for name in ("uint16", "uint32", "uint64", "float8_e4m3fn", "bfloat16", "int8", "int64", "float64")
    },
}
OTHER: dict[str, Callable[[], torch.Tensor]] = {
    "sparse_coo": lambda: torch.eye(3).to_sparse(),
    "uncoalesced": lambda: torch.sparse_coo_tensor([[0, 0]], [1.0, 2.0], (3,), check_invariants=False),
    "sparse_csr": lambda: torch.eye(3).to_sparse_csr(),
    "jagged": lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged),
    "nested": lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
    "quantized": lambda: torch.quantize_per_tensor(torch.ones(4), 0.1, 0, torch.qint8),
}


def bits(x: torch.Tensor) -> list[Any]:
    """The values in a form that can be compared for every dtype, NaN included."""
    x = x.detach().resolve_conj().resolve_neg()
    return x.contiguous().flatten().view(torch.uint8).tolist() if x.numel() else []


def overlaps(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr() != 0


@pytest.mark.parametrize("name", STRIDED)
def test_a_copy_of_a_strided_tensor_has_its_values_dtype_shape_and_dense_strides_and_shares_nothing(name: str) -> None:
    x = STRIDED[name]()
    before = x.clone()
    y = tc.copy(x)
    assert (type(y), y.dtype, y.shape, y.stride()) == (torch.Tensor, x.dtype, x.shape, before.stride())
    assert bits(y) == bits(before)
    assert not overlaps(x, y)
    assert y.untyped_storage().nbytes() == y.nbytes
    assert not y.is_conj()
    assert not y.is_neg()
    y.zero_()
    assert bits(x) == bits(before)


@pytest.mark.parametrize("name", OTHER)
def test_a_copy_of_another_layout_keeps_class_layout_and_values(name: str) -> None:
    x = OTHER[name]()
    y = tc.copy(x)
    assert (type(y), y.layout, y.dtype) == (type(x), x.layout, x.dtype)
    assert str(y) == str(x)
    assert y is not x


def test_a_copy_of_an_mkldnn_tensor_is_one() -> None:
    x = torch.ones(4).to_mkldnn()
    y = tc.copy(x)
    assert y.layout is x.layout
    assert torch.equal(y.to_dense(), torch.ones(4))


def test_a_sparse_copy_owns_its_values_and_indices() -> None:
    x = torch.eye(3).to_sparse()
    y = tc.copy(x)
    y.values().zero_()
    y.indices().zero_()
    assert torch.equal(x.to_dense(), torch.eye(3))


def test_a_meta_tensor_copies_to_a_meta_tensor() -> None:
    y = tc.copy(torch.ones(3, device="meta"))
    assert (y.device.type, tuple(y.shape)) == ("meta", (3,))
    assert tc.copy(torch.ones(3, device="meta"), dtype=torch.float16).dtype is torch.float16


def test_a_meta_tensor_cannot_be_copied_to_a_real_device() -> None:
    with pytest.raises(WrongDeviceError, match="cannot copy a tensor on device meta to cpu"):
        tc.copy(torch.ones(3, device="meta"), device="cpu")


def test_a_copy_can_go_to_another_device() -> None:
    y = tc.copy(torch.ones(3, requires_grad=True), device="meta")
    assert (y.device.type, y.requires_grad) == ("meta", False)
    assert tc.copy(torch.ones(3, dtype=torch.float64), device="meta", dtype=torch.float32).dtype is torch.float32


def test_a_device_that_is_where_the_tensor_lies_already_still_means_a_copy() -> None:
    x = torch.ones(3)
    for device in ("cpu", "cpu:0", torch.device("cpu", 0)):
        assert not overlaps(tc.copy(x, device=device), x)
        assert not overlaps(tc.copy([x, x[:2]], device=device)[1], x)


def test_a_device_that_is_not_to_be_had_is_refused() -> None:
    with pytest.raises(WrongDeviceError, match="device 'nonsense' is not to be had"):
        tc.copy(torch.ones(3), device="nonsense")


def test_a_fake_tensor_copies_to_a_fake_tensor() -> None:
    from torch._subclasses import FakeTensorMode

    fake = FakeTensorMode().from_tensor(torch.ones(2, 3))
    y = tc.copy(fake)
    assert type(y) is type(fake)
    assert y is not fake
    assert tc.copy({"x": fake, "y": fake}, dtype=torch.float16)["x"].dtype is torch.float16


def test_a_wrapper_subclass_copies_through_its_own_dispatch() -> None:
    from torch.testing._internal.two_tensor import TwoTensor

    x = TwoTensor(torch.ones(3), torch.zeros(3))
    y = tc.copy(x)
    assert type(y) is TwoTensor
    assert not overlaps(y.a, x.a)
    assert torch.equal(y.b, torch.zeros(3))


def test_an_inference_tensor_copies_to_a_normal_tensor_outside_inference_mode() -> None:
    with torch.inference_mode():
        x, large = torch.ones(3), torch.ones(2_000_000)
        assert tc.copy(x).is_inference()
        assert tc.copy(large).is_inference()
    assert not tc.copy(x).is_inference()
    assert not tc.copy(large).is_inference()
    assert not tc.copy([large, large[:3]])[1].is_inference()


def test_the_copy_of_a_shared_tensor_lies_in_private_memory() -> None:
    x = torch.ones(3).share_memory_()
    assert not tc.copy(x).is_shared()
    assert not tc.copy([x, x[:2]])[1].is_shared()


@pytest.mark.parametrize("size", [3, 2_000_000])
def test_copy_cuts_the_graph_by_default_and_keeps_it_on_request(size: int) -> None:
    leaf = torch.ones(size, requires_grad=True)
    inner = leaf * 2
    for x in (leaf, inner):
        cut, kept = tc.copy(x), tc.copy(x, detach=False)
        assert (cut.requires_grad, cut.grad_fn) == (False, None)
        assert not overlaps(kept, x)
        (gradient,) = torch.autograd.grad(kept.sum(), x)
        assert torch.equal(gradient, torch.ones(size))


def test_a_dtype_change_on_the_graph_leads_back_to_the_source() -> None:
    x = torch.ones(3, requires_grad=True)
    y = tc.copy(x, detach=False, dtype=torch.float64)
    (gradient,) = torch.autograd.grad(y.sum(), x)
    assert (y.dtype, gradient.dtype) == (torch.float64, torch.float32)


def test_requires_grad_makes_a_new_leaf() -> None:
    x = torch.ones(3, requires_grad=True) * 2
    y = tc.copy(x, requires_grad=True)
    assert (y.is_leaf, y.requires_grad) == (True, True)
    with pytest.raises(BadArgumentError, match="a int64 tensor cannot require grad"):
        tc.copy(torch.ones(3, dtype=torch.int64), requires_grad=True)
    with pytest.raises(BadArgumentError, match="detach=False contradicts requires_grad=False"):
        tc.copy(x, detach=False, requires_grad=False)


def test_gradients_and_hooks_stay_behind() -> None:
    x = torch.ones(3, requires_grad=True)
    x.register_hook(lambda gradient: gradient * 2)
    x.sum().backward()
    y = tc.copy(x, requires_grad=True)
    assert y.grad is None
    assert not y._backward_hooks


@pytest.mark.parametrize("wants", [True, False])
def test_a_parameter_stays_a_parameter_with_its_requires_grad_and_attributes(wants: bool) -> None:
    x = torch.nn.Parameter(torch.ones(3), requires_grad=wants)
    x.group = ["decay"]
    x.mask = torch.ones(3)
    y = tc.copy(x)
    assert (type(y), y.requires_grad, y.group, y.is_leaf) == (torch.nn.Parameter, wants, ["decay"], True)
    assert not overlaps(y, x)
    assert not overlaps(y.mask, x.mask)
    assert y.group is not x.group
    assert type(tc.copy(x, detach=False)) is torch.Tensor
    assert tc.copy(x, requires_grad=not wants).requires_grad is not wants


def test_a_parameter_subclass_keeps_its_class_and_a_lazy_parameter_stays_lazy() -> None:
    x = TaggedParameter(torch.ones(3))
    assert type(x) is TaggedParameter
    assert type(tc.copy(x)) is TaggedParameter
    lazy = torch.nn.UninitializedParameter()
    assert type(tc.copy(lazy)) is torch.nn.UninitializedParameter


@pytest.mark.parametrize("size", [3, 2_000_000])
def test_a_subclass_keeps_its_class_and_copies_its_attributes(size: int) -> None:
    x = torch.ones(size).as_subclass(Tagged)
    x.unit, x.scale, x.owner = "m", torch.ones(1), (owner := object())
    y = tc.copy(x)
    assert (type(y), y.unit, y.owner) == (Tagged, "m", owner)
    assert not overlaps(y.scale, x.scale)
    assert torch.equal(torch.Tensor(y), torch.ones(size))
    kept = tc.copy(x.clone().requires_grad_(), detach=False)
    assert (type(kept), kept.requires_grad) == (Tagged, True)


def test_a_subclass_that_overrides_every_call_is_copied_without_asking_it() -> None:
    class Stubborn(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            raise AssertionError("asked")

    x = torch.ones(3).as_subclass(Stubborn)
    y = tc.copy(x)
    assert type(y) is Stubborn
    with torch._C.DisableTorchFunctionSubclass():
        assert y.tolist() == [1, 1, 1]


def test_memory_format_gives_the_layout_asked_for() -> None:
    x = torch.randn(2, 3, 4, 5)
    y = tc.copy(x, memory_format=torch.channels_last)
    assert y.is_contiguous(memory_format=torch.channels_last)
    assert torch.equal(x, y)
    large = torch.randn(600, 2000).t()
    assert tc.copy(large, memory_format=torch.contiguous_format).is_contiguous()
    assert tc.copy(large, memory_format=torch.contiguous_format, dtype=torch.float64).is_contiguous()
    assert tc.copy(large, memory_format=torch.preserve_format).stride() == large.stride()


def test_a_lossy_dtype_is_refused_with_value_and_index() -> None:
    x = torch.tensor([1.0, 2.5])
    with pytest.raises(LossyConversionError, match=r"float32 value 2.5 at \[1\] cannot become int64"):
        tc.copy(x, dtype=torch.int64)
    assert tc.copy(x, dtype=torch.int64, casting="unsafe").tolist() == [1, 2]
    with pytest.raises(LossyConversionError, match=r"0\.1"):
        tc.copy(torch.tensor([0.1], dtype=torch.float64), dtype="float32", casting="same_value")


def test_a_lossy_dtype_is_refused_in_sparse_values_too() -> None:
    x = torch.tensor([0.0, 1e300], dtype=torch.float64).to_sparse()
    with pytest.raises(LossyConversionError, match="cannot become float32"):
        tc.copy(x, dtype=torch.float32)
    assert tc.copy(torch.eye(2).to_sparse(), dtype=torch.float64).dtype is torch.float64


def test_a_quantized_tensor_has_no_other_dtype() -> None:
    with pytest.raises(UnsupportedDtypeError, match="cannot convert a tensor of qint8 to float32"):
        tc.copy(OTHER["quantized"](), dtype=torch.float32)


def test_forward_mode_tangents_are_dropped_unless_the_graph_is_kept() -> None:
    with forward_ad.dual_level():
        x = forward_ad.make_dual(torch.ones(3), torch.full((3,), 2.0))
        large = forward_ad.make_dual(torch.ones(2_000_000), torch.ones(2_000_000))
        for dual in (x, large):
            assert forward_ad.unpack_dual(tc.copy(dual)).tangent is None
            assert forward_ad.unpack_dual(tc.copy([dual, x])[0]).tangent is None
            assert forward_ad.unpack_dual(tc.copy(dual, detach=False)).tangent is not None
            assert forward_ad.unpack_dual(tc.copy([dual, x], detach=False)[0]).tangent is not None


@pytest.mark.parametrize("nest", [False, True])
def test_inside_grad_vmap_and_jvp_copy_cuts_or_keeps_the_graph(nest: bool) -> None:
    def copied(x: torch.Tensor, detach: bool) -> torch.Tensor:
        return tc.copy({"x": x, "y": [x]}, detach=detach)["y"][0] if nest else tc.copy(x, detach=detach)

    x = torch.arange(3.0)
    one, zero = torch.ones(3), torch.zeros(3)
    for detach, expected in ((True, zero), (False, one)):
        assert torch.equal(torch.func.grad(lambda x, d=detach: copied(x, d).sum())(x), expected)
        assert torch.equal(
            torch.func.grad(lambda x, d=detach: torch.vmap(lambda y: copied(y, d))(x).sum())(x), expected
        )
        assert torch.equal(torch.func.jvp(lambda x, d=detach: copied(x, d), (x,), (one,))[1], expected)
        assert torch.equal(torch.vmap(lambda y, d=detach: copied(y, d))(x), x)
    assert torch.equal(torch.func.functionalize(lambda x: copied(x, True))(x), x)


def test_a_copy_is_made_in_the_dtype_of_the_source_under_autocast() -> None:
    with torch.autocast("cpu", torch.bfloat16):
        assert tc.copy(torch.ones(3)).dtype is torch.float32


def test_copy_keeps_the_device_of_the_source_inside_a_device_context() -> None:
    with torch.device("meta"):
        assert tc.copy(torch.ones(3, device="cpu")).device.type == "cpu"
        assert tc.copy(torch.ones(2_000_000, device="cpu")).device.type == "cpu"
        x = torch.ones(8, device="cpu")
        assert [y.device.type for y in tc.copy([x, x[2:5]])] == ["cpu", "cpu"]


def test_a_compiled_function_copies_without_a_graph_break() -> None:
    def double(x: torch.Tensor) -> torch.Tensor:
        return tc.copy(x * 1) * 2 + tc.copy(x, dtype=torch.float64, detach=False)

    compiled = torch.compile(double, backend="eager", fullgraph=True)
    assert torch.equal(compiled(torch.ones(3)), torch.full((3,), 3.0, dtype=torch.float64))
    big = torch.ones(300_000)
    assert torch.equal(compiled(big), double(big))


def test_a_compiled_function_copies_nests_between_its_graphs() -> None:
    def pair(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = x * 2
        copied = tc.copy({"a": y, "b": [y.view(-1)]})
        return copied["a"], copied["b"][0]

    a, b = torch.compile(pair, backend="eager")(torch.ones(3))
    a[0] = 9
    assert b.tolist() == [9, 2, 2]


def grid() -> np.ndarray:
    return np.arange(24.0).reshape(4, 6)


def read_only_array() -> np.ndarray:
    x = np.zeros(3)
    x.flags.writeable = False
    return x


ARRAYS: dict[str, Callable[[], np.ndarray]] = {
    "contiguous": grid,
    "fortran": lambda: np.asfortranarray(grid()),
    "reversed": lambda: grid()[::-1, ::-2],
    "broadcast": lambda: np.broadcast_to(grid()[0], (4, 6)),
    "scalar": lambda: np.array(3.5),
    "empty": lambda: np.empty((0, 3)),
    "read-only": read_only_array,
    "big-endian": lambda: grid().astype(">f4"),
    "structured": lambda: np.zeros(3, [("a", "i4"), ("b", ">f8")]),
    "text": lambda: np.array(["a", "bcd"]),
    "dates": lambda: np.array(["2020-01-01", "NaT"], "M8[D]"),
    "longdouble": lambda: np.ones(3, np.longdouble),
    "bool": lambda: np.array([True, False]),
    "unaligned": lambda: np.frombuffer(bytearray(17), "f8", offset=1),
    "large": lambda: np.arange(2_000_000.0),
    "large fortran": lambda: np.arange(2_000_000.0).reshape(1000, 2000).T,
    "ulonglong": lambda: np.array([2**63], np.ulonglong),
    "strings": lambda: np.array(["a", "b" * 40], np.dtypes.StringDType()),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_a_copy_of_an_array_has_its_values_dtype_and_order_owns_its_memory_and_may_be_written(name: str) -> None:
    x = ARRAYS[name]()
    expected = x.copy(order="K")
    y = tc.copy(x)
    assert (type(y), y.dtype, y.dtype.byteorder, y.shape) == (np.ndarray, x.dtype, x.dtype.byteorder, x.shape)
    assert y.strides == expected.strides
    np.testing.assert_array_equal(y, expected)
    assert not np.shares_memory(x, y)
    assert y.flags.writeable
    y[...] = y.dtype.type() if y.dtype.kind != "V" else 0
    np.testing.assert_array_equal(x, expected)


def test_a_memory_map_is_copied_into_an_array_in_memory(tmp_path: Any) -> None:
    x = np.memmap(tmp_path / "x", "f4", "w+", shape=(3,))
    y = tc.copy(x)
    assert (type(y), y.tolist()) == (np.ndarray, [0, 0, 0])
    assert type(tc.copy([x, x[1:]])[1]) is np.ndarray


def test_a_masked_array_keeps_its_mask_its_fill_value_and_the_values_under_it() -> None:
    x = np.ma.array([1.0, 2.0, 999.0], mask=[0, 0, 1], fill_value=-7)
    y = tc.copy(x)
    assert (y.mask.tolist(), y.data.tolist(), y.fill_value) == ([False, False, True], [1, 2, 999], -7)
    y[0] = np.ma.masked
    assert x.mask.tolist() == [False, False, True]
    half = tc.copy(np.ma.array([1.0, 1e300], mask=[0, 1], fill_value=-7), dtype="float32")
    assert (half.dtype, half.mask.tolist(), half.fill_value) == (np.float32, [False, True], -7)
    with pytest.raises(LossyConversionError, match=r"1e\+300 at \[1\]"):
        tc.copy(np.ma.array([1.0, 1e300], mask=[1, 0]), dtype="float32")


def test_array_subclasses_keep_class_and_attributes() -> None:
    tagged = np.arange(3.0).view(TaggedArray)
    tagged.unit = ["m"]
    y = tc.copy(tagged)
    assert (type(y), y.unit) == (TaggedArray, ["m"])
    assert y.unit is not tagged.unit
    record = np.rec.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")])
    assert type(tc.copy(record)) is np.recarray
    assert tc.copy(record).b.tolist() == [2.0]
    assert type(tc.copy(np.ones((1, 2)).view(np.matrix))) is np.matrix
    assert type(tc.copy(tagged, dtype="float32")) is TaggedArray


def test_an_array_of_objects_is_copied_deeply_and_keeps_its_shape() -> None:
    x = np.empty((2, 2), object)
    x[0, 0], x[0, 1], x[1, 0] = [1], torch.ones(2), x
    y = tc.copy(x)
    assert y.shape == (2, 2)
    assert (y[0, 0], y[1, 1]) == ([1], None)
    assert y[0, 0] is not x[0, 0]
    assert not overlaps(y[0, 1], x[0, 1])
    assert y[1, 0] is y


def test_objects_in_subclasses_and_records_are_copied_too() -> None:
    for x in (np.array([[1], [2, 3]], object).view(TaggedArray), np.array([([1],)], [("a", object)])):
        y = tc.copy(x)
        y[0][0].append(9) if x.dtype.names else y[0].append(9)
        assert "9" not in str(x)


def test_arrays_convert_in_the_copy() -> None:
    x = np.arange(3, dtype=">i4")
    y = tc.copy(x, dtype=np.float32)
    assert (y.dtype, y.tolist()) == (np.float32, [0, 1, 2])
    with pytest.raises(LossyConversionError, match=r"float64 value 0.5 at \[0\] cannot become int8"):
        tc.copy(np.array([0.5]), dtype="int8")
    with pytest.raises(UnsupportedDtypeError, match="cannot convert an array of <U1 to float32"):
        tc.copy(np.array(["a"]), dtype="float32")


@pytest.mark.parametrize(
    "option", [{"device": "meta"}, {"memory_format": torch.channels_last}, {"requires_grad": True}], ids=str
)
def test_what_only_tensors_have_cannot_be_asked_of_an_array(option: dict[str, Any]) -> None:
    with pytest.raises(BadArgumentError, match=f"{next(iter(option))}= was passed with a NumPy array"):
        tc.copy(np.ones(3), **option)


def test_unknown_casting_and_dtype_are_refused() -> None:
    with pytest.raises(BadArgumentError, match="casting='fast' is not known"):
        tc.copy(torch.ones(3), casting="fast")
    with pytest.raises(UnsupportedDtypeError, match="float99"):
        tc.copy(torch.ones(3), dtype="float99")


def test_immutable_values_are_given_back_as_they_are() -> None:
    for value in (5, 2.5, "text", b"raw", None, True, torch.float32, torch.Size([2]), np.float32(1), range(3)):
        assert tc.copy(value) is value


def test_a_module_and_an_optimizer_are_refused_with_what_to_do_instead() -> None:
    model = torch.nn.Linear(2, 2)
    with pytest.raises(UnsupportedSourceError, match=r"Linear .* copy.deepcopy\(model\), or copy\(model.state_dict"):
        tc.copy(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with pytest.raises(UnsupportedSourceError, match=r"SGD .* copy\(optimizer.state_dict\(\)\)"):
        tc.copy({"optimizer": optimizer})
    with pytest.raises(UnsupportedSourceError, match="cannot copy generator · reading an iterator uses it up"):
        tc.copy(x for x in ())
    with pytest.raises(UnsupportedSourceError, match="cannot copy object · it is no tensor, array, container"):
        tc.copy(object())


def test_out_is_written_and_returned() -> None:
    x = torch.arange(3.0)
    out = torch.zeros(3, dtype=torch.float64)
    assert tc.copy(x, out=out) is out
    assert out.tolist() == [0, 1, 2]
    array = np.zeros((2, 3), order="F")
    assert tc.copy(np.arange(6).reshape(2, 3), out=array) is array
    assert array.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_out_that_requires_grad_gets_the_values_and_stays_a_leaf() -> None:
    out = torch.nn.Parameter(torch.zeros(3))
    tc.copy(torch.ones(3), out=out)
    assert (out.tolist(), out.is_leaf, out._version) == ([1, 1, 1], True, 1)
    source = torch.ones(3, requires_grad=True)
    with pytest.raises(GraphError, match="out is a leaf that requires grad"):
        tc.copy(source, out=out, detach=False)
    fresh = torch.zeros(3)
    tc.copy(source, out=fresh, detach=False)
    assert torch.equal(torch.autograd.grad(fresh.sum(), source)[0], torch.ones(3))


def inference_tensor() -> torch.Tensor:
    with torch.inference_mode():
        return torch.zeros(3)


@pytest.mark.parametrize(
    ("x", "out", "options", "error", "message"),
    [
        (torch.ones(3), torch.zeros(1), {}, BadArgumentError, r"out has shape \(1,\), the source \(3,\)"),
        (torch.ones(3), np.zeros(3), {}, NestError, "cannot copy Tensor into ndarray at out"),
        (torch.ones(3), [torch.zeros(3)], {}, NestError, "cannot copy Tensor into list at out"),
        (5, 6, {}, NestError, "cannot replace int at the top of out"),
        (torch.ones(3), torch.zeros(3), {"dtype": "int8"}, BadArgumentError, "out is float32, and dtype=int8"),
        (torch.ones(3), torch.zeros(3), {"device": "cpu"}, BadArgumentError, "device= was passed together with out="),
        (torch.ones(3), torch.zeros(1).expand(3), {}, BadArgumentError, "several of its elements lie on the same"),
        (torch.ones(3, device="meta"), torch.zeros(3), {}, WrongDeviceError, "tensor on device meta into out"),
        (torch.ones(3), inference_tensor(), {}, ReadOnlyMemoryError, "out was made in inference mode"),
        (torch.eye(3), torch.eye(3).to_sparse(), {}, BadArgumentError, "out is torch.sparse_coo, the source torch.str"),
        (np.ones(3), read_only_array(), {}, ReadOnlyMemoryError, "out is a read-only array"),
        (np.array([0.5]), np.zeros(1, "i4"), {}, LossyConversionError, r"float64 value 0.5 at \[0\]"),
        (np.array(["a"]), np.zeros(1), {}, BadArgumentError, "out is float64, the source str32"),
    ],
)
def test_an_unfit_out_is_refused(x: Any, out: Any, options: dict[str, Any], error: Any, message: str) -> None:
    before = stdlib_copy.deepcopy(out)
    with pytest.raises(error, match=message):
        tc.copy(x, out=out, **options)
    assert str(out) == str(before)


def test_out_must_not_overlap_the_source_unless_it_is_the_source() -> None:
    x = torch.arange(6.0)
    with pytest.raises(BadArgumentError, match="it shares memory with the source that is to be copied into it"):
        tc.copy(x[:4], out=x[2:])
    assert tc.copy(x, out=x) is x
    a = np.arange(6.0)
    with pytest.raises(BadArgumentError, match="it shares memory with the source"):
        tc.copy(a[::-1], out=a)


def test_the_plan_of_a_leaf_says_what_copy_will_do() -> None:
    plan = tc.plan(torch.ones(2, 3, requires_grad=True), dtype=torch.float64)
    assert (plan.source, plan.target, plan.route, plan.shares) == ("tensor", "tensor", "copy", False)
    assert (plan.graph, plan.dtype, plan.shape, plan.bytes_moved) == ("cuts", "float64", (2, 3), 48)
    assert tc.plan(torch.ones(2, requires_grad=True), detach=False).graph == "keeps"
    assert "copies, no graph" in str(tc.plan(np.ones(3)))
    assert tc.plan(torch.eye(3).to_sparse()).bytes_moved is None


def test_the_plan_of_a_nest_counts_blocks_and_members() -> None:
    x = torch.ones(100)
    plan = tc.plan({"a": x, "tied": x.detach(), "part": np.ones(3), "steps": [1]})
    assert (plan.source, plan.route, plan.bytes_moved, plan.dtype) == ("dict", "nest", 424, None)
    assert [step.action for step in plan.steps] == [
        "copy each of 1 tensors and arrays into memory of its own",
        "copy once what is one view",
        "make 2 containers anew",
    ]
    block = tc.plan([x, x[:10]], dtype=torch.float16)
    assert block.steps[0].action == "copy one block, and lay the members over it"
    assert tc.plan([bytearray(3)]).bytes_moved is None


def test_the_plan_with_out_refuses_what_copy_refuses_and_writes_nothing() -> None:
    out = [torch.zeros(3)]
    plan = tc.plan([torch.ones(3)], out=out)
    assert (plan.route, plan.bytes_moved, out[0].tolist()) == ("write", 12, [0, 0, 0])
    with pytest.raises(BadArgumentError, match=r"out at \[0\] has shape"):
        tc.plan([torch.ones(4)], out=out)
    with pytest.raises(UnsupportedSourceError, match=r"object at \[0\]"):
        tc.plan([object()])
