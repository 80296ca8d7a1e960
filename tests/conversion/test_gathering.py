"""Lists of arrays and tensors become one block: quickly where all are alike, carefully where they are not."""

from __future__ import annotations

from collections import deque
from contextlib import nullcontext

import ml_dtypes
import numpy as np
import pytest
import torch

import tensorcopy as tc
from tensorcopy.conversion import allocation, converting, gathering, kernels, reading, stacking
from tensorcopy.errors import LossyConversionError, NestError, RaggedError, UnsupportedSourceError, WrongDeviceError
from tests.conversion.without_kernels import without_kernels


@pytest.fixture(params=[True, False], ids=["kernels", "no kernels"], autouse=True)
def native(request):
    """Every test here holds with the extension and without it."""
    if request.param and kernels._native is None:
        pytest.skip("the C extension is not built")
    with nullcontext() if request.param else without_kernels():
        yield


def arrays_of(count: int, *shape: int, dtype: object = "float32") -> list[np.ndarray]:
    return [(np.arange(np.prod(shape, dtype=int)).reshape(shape) % 90 + i).astype(dtype) for i in range(count)]


def tensors_of(count: int, *shape: int, dtype: torch.dtype = torch.float32) -> list[torch.Tensor]:
    return [(torch.arange(float(np.prod(shape, dtype=int))).reshape(shape) % 90 + i).to(dtype) for i in range(count)]


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.dtype is b.dtype and a.shape == b.shape and torch.equal(a, b)


@pytest.mark.parametrize("kind", [list, tuple, deque])
@pytest.mark.parametrize("shape", [(), (3,), (0,), (2, 5), (4, 0, 2)])
@pytest.mark.parametrize(
    "dtype",
    ["bool", "int8", "uint16", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128", ">f4"],
)
def test_arrays_that_are_alike_are_stacked_with_their_dtype(kind, shape, dtype) -> None:
    members = arrays_of(3, *shape, dtype=dtype)
    expected = np.stack(members).astype(np.dtype(dtype).newbyteorder("="))
    assert same(tc.to_torch(kind(members)), torch.from_numpy(expected))
    result = tc.to_numpy(kind(members))
    assert result.dtype == expected.dtype
    assert np.array_equal(result, expected)


def test_bfloat16_arrays_are_stacked_as_what_they_are() -> None:
    members = arrays_of(4, 6, dtype=ml_dtypes.bfloat16)
    assert same(tc.to_torch(members), torch.stack([tc.to_torch(m) for m in members]))
    assert tc.to_numpy(members).dtype == ml_dtypes.bfloat16


@pytest.mark.parametrize("target", ["float32", "int16", "complex128", "bool"])
def test_arrays_are_converted_on_the_way(target: str) -> None:
    members = [m % 2 for m in arrays_of(5, 7, dtype="float64")]
    assert same(tc.to_torch(members, dtype=target), torch.from_numpy(np.stack(members).astype(target)))
    assert np.array_equal(tc.to_numpy(members, dtype=target), np.stack(members).astype(target))


@pytest.mark.parametrize("count", [2, 3, 5])
def test_large_arrays_are_stacked_without_a_second_copy(count: int) -> None:
    members = arrays_of(count, 1_000_003)
    result = tc.to_torch(members)
    assert same(result, torch.from_numpy(np.stack(members)))
    assert result.untyped_storage().nbytes() == result.nbytes
    assert not np.shares_memory(result.numpy(), members[0])


def test_members_that_only_look_alike_are_taken_one_by_one() -> None:
    plain = arrays_of(1, 2, 3)[0]
    readonly = plain.copy()
    readonly.flags.writeable = False
    members = [plain, plain.T.copy().T, np.repeat(plain, 2, axis=0)[::2], plain[::-1, ::-1], plain.view(np.recarray)]
    members += [readonly, plain.astype(">f4"), np.asfortranarray(plain), plain.tolist(), torch.from_numpy(plain)]
    assert same(tc.to_torch(members), torch.from_numpy(np.stack([np.asarray(m, "float32") for m in members])))
    assert tc.to_numpy(members).tolist() == [np.asarray(m).tolist() for m in members]


def test_nests_of_arrays_and_tensors_keep_the_shape_of_the_nest() -> None:
    grid = [arrays_of(3, 4), arrays_of(3, 4)]
    assert same(tc.to_torch(grid), torch.from_numpy(np.array(grid)))
    assert np.array_equal(tc.to_numpy(grid), np.array(grid))
    mixed = [[np.ones(2, "float32"), [1.0, 2.0]], [torch.zeros(2), np.arange(2, dtype="float32")]]
    assert tc.to_torch(mixed).tolist() == [[[1, 1], [1, 2]], [[0, 0], [0, 1]]]
    assert same(tc.to_torch([tensors_of(2, 3), tensors_of(2, 3)]), torch.stack([torch.stack(tensors_of(2, 3))] * 2))


def test_a_number_among_tensors_counts_only_by_its_kind() -> None:
    assert same(tc.to_torch([1, torch.tensor(2.0)]), torch.tensor([1.0, 2.0]))
    assert same(tc.to_torch([1.5, torch.tensor(2)]), torch.tensor([1.5, 2.0]))
    assert same(tc.to_torch([1, torch.tensor(2, dtype=torch.int8)]), torch.tensor([1, 2], dtype=torch.int8))


@pytest.mark.parametrize("to", [tc.to_torch, tc.to_numpy])
def test_a_ragged_list_names_the_member_that_differs(to) -> None:
    with pytest.raises(RaggedError, match=r"ragged at \[2\]: expected shape \(3,\), found shape \(4,\)"):
        to([*arrays_of(2, 3), np.ones(4, "float32")])
    with pytest.raises(RaggedError, match=r"ragged at \[1\]\[1\]: expected shape \(3,\), found shape \(2,\)"):
        to([arrays_of(2, 3), [np.ones(3, "float32"), np.ones(2, "float32")]])
    with pytest.raises(RaggedError, match=r"ragged at \[1\]: expected 2 elements, found 1"):
        to([arrays_of(2, 3), arrays_of(1, 3)])


def test_ragged_tensors_name_the_member_that_differs() -> None:
    with pytest.raises(RaggedError, match=r"ragged at \[1\]: expected shape \(2,\), found shape \(3,\)"):
        tc.to_torch([torch.zeros(2), torch.zeros(3)])
    with pytest.raises(RaggedError, match=r"ragged at \[1\]: expected shape \(2000000,\), found shape \(1,\)"):
        tc.to_torch([torch.zeros(2_000_000), torch.zeros(1)])


@pytest.mark.parametrize("to", [tc.to_torch, tc.to_numpy])
def test_a_value_that_would_change_names_its_member_and_its_place(to) -> None:
    members = arrays_of(3, 5, dtype="int64")
    members[1][4] = 300
    with pytest.raises(LossyConversionError, match=r"int64 value 300 at .*\[4\] cannot become int8 of member \[1\]"):
        to(members, dtype="int8")
    assert to(members, dtype="int8", casting="unsafe")[1][4] == 300 - 256


@pytest.mark.parametrize("size", [1, 300, 2_000_000])
@pytest.mark.parametrize(
    ("integer", "floating", "bad"),
    [
        (torch.int64, torch.float32, 2**24 + 1),
        (torch.int32, torch.float32, -(2**25) - 1),
        (torch.int64, torch.float64, 2**53 + 1),
        (torch.int16, torch.float16, 2049),
        (torch.int16, torch.bfloat16, 257),
    ],
)
def test_an_integer_among_floats_is_never_rounded_in_silence(size: int, integer, floating, bad: int) -> None:
    exact = [torch.ones(size, dtype=floating), torch.full((size,), 17, dtype=integer)]
    assert same(tc.to_torch(exact), torch.stack([exact[0], exact[1].to(floating)]))
    large = [torch.full((size,), 2.0**15, dtype=floating), torch.full((size,), 2**14, dtype=integer)]
    assert same(tc.to_torch(large), torch.stack([large[0], large[1].to(floating)]))
    with pytest.raises(LossyConversionError, match=rf"value {bad} at .* cannot become .* of member \[1\]"):
        tc.to_torch([torch.ones(size, dtype=floating), torch.full((size,), bad, dtype=integer)])


def test_arrays_of_several_dtypes_are_promoted_as_the_library_of_the_result_promotes() -> None:
    members = [np.ones(2, "int64"), np.ones(2, "float32")]
    assert tc.to_torch(members).dtype is torch.float32
    assert tc.to_numpy(members).dtype == np.float64


@pytest.mark.parametrize("size", [3, 2_000_000])
def test_the_graph_of_tensor_members_is_kept_unless_it_is_cut(size: int) -> None:
    leaf = torch.ones(size, requires_grad=True)
    result = tc.to_torch([leaf, torch.zeros(size)])
    assert torch.autograd.grad(result.sum(), leaf)[0].tolist() == [1.0] * size
    assert not tc.to_torch([leaf, torch.zeros(size)], detach=True).requires_grad
    parameters = [torch.nn.Parameter(torch.ones(size)) for _ in range(2)]
    assert tc.to_torch(parameters).requires_grad
    assert type(tc.to_torch(parameters)) is torch.Tensor
    assert tc.to_torch([[leaf, leaf]], dtype="float64").requires_grad


@pytest.mark.parametrize("size", [3, 2_000_000])
def test_tensors_of_any_strides_are_stacked_into_fresh_memory(size: int) -> None:
    members = [torch.arange(2.0 * size)[::2], torch.ones(1).expand(size), torch.ones(size)]
    result = tc.to_torch(members)
    assert same(result, torch.stack(members))
    assert result.is_contiguous()
    assert all(result.data_ptr() != m.data_ptr() for m in members)


@pytest.mark.parametrize("size", [2, 2_000_000])
def test_tensors_under_vmap_are_stacked_by_torch_alone(size: int) -> None:
    given = torch.zeros(2, size)
    stacked = torch.func.vmap(lambda x: gathering.gather([x, x + 1], (2,), stacking.Request()))(given)
    assert same(stacked, torch.stack([given, given + 1], dim=1))


def test_the_fields_of_arrays_are_read_only_where_they_were_found_to_be_as_expected(monkeypatch) -> None:
    monkeypatch.setattr(kernels, "_knows_arrays", lambda: False)
    monkeypatch.setattr(gathering.kernels, "gathered", None)
    assert same(tc.to_torch(arrays_of(2, 3)), torch.from_numpy(np.stack(arrays_of(2, 3))))


def test_what_has_no_numbers_or_contains_itself_is_refused_with_its_path() -> None:
    with pytest.raises(UnsupportedSourceError, match=r"at \[1\]"):
        tc.to_torch([np.ones(2), np.array(["a", "b"])])
    endless: list[object] = [np.ones(2)]
    endless[0] = endless
    with pytest.raises(NestError, match="contains itself"):
        tc.to_torch(endless)


def test_huge_pages_change_no_result() -> None:
    members = tensors_of(3, 1_000_000)
    before = allocation.use_huge_pages(False)
    try:
        plain = tc.to_torch(members)
    finally:
        allocation.use_huge_pages(before)
    assert same(tc.to_torch(members), plain)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("uint32", "int32"), "int64"),
        (("uint16", "uint64"), "uint64"),
        (("uint64", "int64"), "float64"),
        (("uint64", "bool"), "uint64"),
        (("uint16", "float16"), "float16"),
        (("uint16", "complex64"), "complex64"),
    ],
)
def test_types_that_torch_does_not_promote_are_promoted_as_numpy_does(names, expected):
    tensors = [tc.to_torch([1, 0], dtype=name) for name in names]
    for members in (tensors, [t.numpy() for t in tensors]):
        stacked = tc.to_torch(members)
        assert (str(stacked.dtype), stacked.tolist()) == (f"torch.{expected}", [[1, 0], [1, 0]])


def test_no_integer_is_rounded_where_signed_and_unsigned_meet():
    with pytest.raises(LossyConversionError, match=r"uint64 value 9223372036854775809 at \[0\] cannot become float64"):
        tc.to_torch([np.array([2**63 + 1], "uint64"), np.array([-1])])


def test_members_on_two_devices_are_refused_and_numbers_go_where_the_tensors_are():
    there = torch.ones(2, device="meta")
    for members in ([there, torch.ones(2)], [torch.ones(2), there], [there, np.ones(2)]):
        with pytest.raises(WrongDeviceError, match=r"member \[1\] lies on .*, member \[0\] on"):
            tc.to_torch(members)
    assert tc.to_torch([there.long(), there]).device.type == "meta"
    assert tc.to_torch([there[0], 1.0]).device.type == "meta"
    assert tc.to_torch([there, torch.ones(2)], device="meta").shape == (2, 2)


def test_numbers_stand_beside_a_tensor_inside_vmap():
    paired = torch.vmap(lambda x: tc.to_torch([x, 1.0]))(torch.tensor([2.0, 3.0]))
    assert paired.tolist() == [[2.0, 1.0], [3.0, 1.0]]


@pytest.mark.skipif(reading._native is None, reason="the C extension is not built")
@pytest.mark.parametrize("nest", [tensors_of(3, 2), arrays_of(3, 2), [tensors_of(3, 2)] * 2])
def test_a_list_that_the_reader_finds_to_hold_arrays_is_stacked_without_being_described_again(
    monkeypatch, nest
) -> None:
    expected = tc.to_torch(nest, copy=True)
    monkeypatch.setattr(converting, "expose", lambda *_: pytest.fail("described again"))
    monkeypatch.setattr(reading, "_read_in_python", lambda *_: pytest.fail("read again"))
    assert same(tc.to_torch(nest), expected)


@pytest.mark.parametrize("count", [3, 100])
def test_tensors_of_two_classes_or_dtypes_are_never_taken_for_alike(count: int) -> None:
    odd = torch.ones(2).as_subclass(type("Odd", (torch.Tensor,), {}))
    assert same(tc.to_torch([*tensors_of(count, 2), odd])[-1], torch.ones(2))
    mixed = [*tensors_of(count, 2), torch.tensor([2**24 + 1, 0])]
    with pytest.raises(
        LossyConversionError, match=rf"value 16777217 at \[0\] cannot become float32 of member \[{count}\]"
    ):
        tc.to_torch(mixed)


SPARSE = torch.eye(2).to_sparse()


@pytest.mark.parametrize("count", [2, 20])
def test_sparse_tensors_of_one_layout_are_stacked_as_torch_does_it(count: int) -> None:
    result = tc.to_torch([SPARSE] * count)
    assert result.layout is torch.sparse_coo
    assert same(result.to_dense(), torch.stack([torch.eye(2)] * count))


@pytest.mark.parametrize("dtype", [None, "float64"])
@pytest.mark.parametrize("members", [[SPARSE, torch.eye(2)], [torch.eye(2), SPARSE], [torch.eye(2)] * 20 + [SPARSE]])
def test_sparse_and_dense_tensors_are_not_mixed(members: list[torch.Tensor], dtype: str | None) -> None:
    with pytest.raises(UnsupportedSourceError, match=r"member \[\d+\] of layout sparse_coo beside .* to_dense\(\)"):
        tc.to_torch(members, dtype=dtype)


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")
def test_layouts_that_torch_does_not_stack_are_refused() -> None:
    rows = torch.eye(2).to_sparse_csr()
    with pytest.raises(UnsupportedSourceError, match=r"member \[0\] of layout sparse_csr beside the others"):
        tc.to_torch([rows, rows])
