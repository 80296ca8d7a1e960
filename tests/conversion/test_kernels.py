"""The fused casts: right by exact arithmetic for every pair of types, in every layout, on any number of threads."""

from __future__ import annotations

import math
import os
import struct
import subprocess
import sys
import threading
from itertools import product

import ml_dtypes
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorcopy.conversion import kernels
from tensorcopy.live import arrays
from tensorcopy.live.dtypes import numpy_dtype, torch_dtype
from tests.conversion.exact_arithmetic import FLOATS, INTEGERS, TYPES, cast, nearest, telling_values

NATIVE = kernels._native
pytestmark = pytest.mark.skipif(NATIVE is None, reason="the C extension is not built")

PAIRS = list(product(TYPES, TYPES))
CASTINGS = ("checked", "same_value")


def array_of(values: list[float], name: str) -> np.ndarray:
    """An array whose elements are *values* exactly."""
    if name == "bfloat16":
        return np.array(values, "float32").astype(ml_dtypes.bfloat16)
    return np.array(values, name)


def blank(count: int, name: str) -> np.ndarray:
    """An array full of a byte that no test expects, so that what is not written shows."""
    result = np.empty(count, numpy_dtype(name))
    result.view(np.uint8)[...] = 0xA5
    return result


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def run(source: np.ndarray, target: str, casting: str) -> tuple[int | None, np.ndarray]:
    result = blank(source.size, target)
    names = str(source.dtype), target
    return kernels.first_lost(address(source), address(result), source.size, names, casting), result


def spelled(values: list[float]) -> list[str]:
    """Values as text that tells -0.0 from 0.0 and takes NaN as equal to NaN."""
    return ["nan" if isinstance(v, float) and math.isnan(v) else repr(v) for v in values]


@pytest.mark.parametrize("casting", CASTINGS)
@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_what_survives_comes_out_as_arithmetic_says(source: str, target: str, casting: str) -> None:
    pairs = [(v, cast(v, source, target, casting)) for v in telling_values(source)]
    lost, result = run(array_of([v for v, wanted in pairs if wanted is not None], source), target, casting)
    expected = [bool(wanted) if target == "bool" else wanted for _, wanted in pairs if wanted is not None]
    assert lost is None
    assert spelled(result.tolist()) == spelled(expected)


@pytest.mark.parametrize("casting", CASTINGS)
@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_each_value_that_does_not_survive_is_found_wherever_it_lies(source: str, target: str, casting: str) -> None:
    values = telling_values(source)
    lost = [v for v in values if cast(v, source, target, casting) is None]
    filler = array_of([0] * 600, source)
    for i, value in enumerate(lost):
        place = (37 * i) % 600
        filler[place:] = array_of([value], source)[0]
        assert run(filler, target, casting)[0] == place, value
        filler[place:] = 0


@pytest.mark.parametrize("target", FLOATS)
@pytest.mark.parametrize("source", ["float16", "bfloat16"])
def test_every_sixteen_bit_float_becomes_what_torch_makes_of_it(source: str, target: str) -> None:
    values = torch.arange(1 << 16, dtype=torch.int32).to(torch.int16).view(torch_dtype(source))
    values = values[~(torch.isinf(values.to(torch_dtype(target))) & ~torch.isinf(values))]
    lost, result = run(arrays.array_over(values), target, "checked")
    assert lost is None
    expected = values.to(torch_dtype(target)).double()
    assert torch.equal(torch.nan_to_num(arrays.tensor_over(result).double(), 0.1), torch.nan_to_num(expected, 0.1))


@pytest.mark.parametrize("target", ["float16", "bfloat16"])
def test_floats_of_any_bits_are_rounded_to_sixteen_as_torch_rounds_them(target: str) -> None:
    bits = np.random.default_rng(0).integers(0, 1 << 32, 200_000, dtype=np.uint32)
    values = bits.view(np.float32)[~np.isnan(bits.view(np.float32))]
    expected = torch.from_numpy(values).to(torch_dtype(target))
    keep = (torch.isinf(expected) == torch.isinf(torch.from_numpy(values))).numpy()
    lost, result = run(values[keep], target, "checked")
    assert lost is None
    assert result.view(np.int16).tolist() == expected.view(torch.int16).numpy()[keep].tolist()


def test_not_a_number_keeps_its_sign_and_stays_one() -> None:
    bits = np.array([0x7F800001, 0xFF800001, 0x7FC00000, 0xFFFFFFFF], np.uint32)
    for target in ("float16", "bfloat16", "float64"):
        lost, result = run(bits.view(np.float32), target, "same_value")
        assert lost is None
        assert np.isnan(result.astype("float64")).tolist() == [True] * 4
        assert np.signbit(result.astype("float64")).tolist() == [False, True, False, True]


@pytest.mark.parametrize("target", TYPES)
def test_a_bool_byte_that_is_neither_0_nor_1_counts_as_true(target: str) -> None:
    values = np.array([0, 1, 2, 128, 255], np.uint8).view(bool)
    lost, result = run(values, target, "checked")
    assert lost is None
    assert result.astype("float64").tolist() == [0, 1, 1, 1, 1]


def test_the_oracle_itself_rounds_as_the_machine_does() -> None:
    for value in telling_values("float64"):
        single = (
            struct.unpack("f", struct.pack("f", value))[0]
            if abs(value) < 2.0**128 - 2.0**103
            else nearest(value, "float32")
        )
        assert spelled([nearest(value, "float32")]) == spelled([single])


# ---- layouts


@st.composite
def layouts(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...], bool]:
    """Shape, steps of the source, order of its dimensions, order of the result's, and whether it is repeated."""
    ndim = draw(st.integers(0, 4))
    shape = tuple(draw(st.lists(st.sampled_from([0, 1, 2, 3, 5, 17, 300]), min_size=ndim, max_size=ndim)))
    if math.prod(shape) > 1000:
        shape = tuple(min(n, 5) for n in shape)
    steps = tuple(draw(st.lists(st.sampled_from([1, 1, 2, -1, -3]), min_size=ndim, max_size=ndim)))
    orders = [tuple(draw(st.permutations(range(ndim)))) for _ in range(2)]
    return shape, steps, orders[0], orders[1], draw(st.booleans())


def laid_out(
    shape: tuple[int, ...], steps: tuple[int, ...], order: tuple[int, ...], dtype: np.dtype, modulus: int = 101
) -> np.ndarray:
    """An array of *shape* with gaps, reversed dimensions and any order of strides, filled with small numbers."""
    whole = [max(n * abs(s), 1) for n, s in zip(shape, steps, strict=True)]
    base = (np.arange(math.prod(whole)) % modulus).astype(dtype)
    array = base.reshape([whole[i] for i in order]).transpose([order.index(i) for i in range(len(order))])
    array = array[(..., *(slice(None, None, step) for step in steps))]
    return array[(..., *(slice(0, n) for n in shape))]


@given(
    layout=layouts(),
    pair=st.sampled_from([p for p in PAIRS if p[0] != "bfloat16"]),
    swapped=st.booleans(),
    offset=st.booleans(),
)
@settings(max_examples=300, deadline=None)
def test_elements_in_any_layout_byte_order_and_alignment_arrive_where_they_belong(
    layout, pair, swapped, offset
) -> None:
    shape, steps, order, result_order, repeated = layout
    dtype = np.dtype(pair[0]).newbyteorder("S" if swapped else "=")
    source = laid_out(shape, steps, order, dtype, modulus=2 if "bool" in pair else 101)
    if offset:
        source = misaligned(source)
    if repeated and source.ndim and source.shape[0]:
        source = np.broadcast_to(source[:1], source.shape)
    result = blank(source.size * 2, pair[1])[::2]
    result = result.reshape([shape[i] for i in result_order]).transpose(
        [result_order.index(i) for i in range(len(shape))]
    )
    assert kernels.any_lost(memory(source), memory(result), "checked") is False
    assert result.astype("float64").tolist() == source.astype("float64").tolist()


def misaligned(array: np.ndarray) -> np.ndarray:
    """The same elements one byte further on, in C order."""
    raw = np.zeros(array.nbytes + 1, np.uint8)[1:]
    moved = raw.view(array.dtype).reshape(array.shape)
    moved[...] = array
    return moved


def memory(array: np.ndarray) -> kernels.Memory:
    return kernels.Memory(
        dtype=array.dtype.newbyteorder("=").name,
        address=address(array),
        shape=array.shape,
        strides=array.strides,
        aligned=array.flags.aligned,
        native=array.dtype.isnative,
    )


@given(layout=layouts(), place=st.integers(0, 10**6))
@settings(max_examples=100, deadline=None)
def test_one_lost_element_is_noticed_in_any_layout(layout, place) -> None:
    shape, steps, order, _, _ = layout
    source = laid_out(shape, steps, order, np.dtype("int64"))
    result = np.empty(shape, "int8")
    if source.size:
        source[np.unravel_index(place % source.size, shape)] = 1000
    assert kernels.any_lost(memory(source), memory(result), "checked") is (source.size > 0)


@given(layout=layouts())
@settings(max_examples=200, deadline=None)
def test_arranging_dimensions_keeps_which_element_goes_where(layout) -> None:
    shape, steps, order, result_order, _ = layout
    source = laid_out(shape, steps, order, np.dtype("int16"))
    result = np.empty([shape[i] for i in result_order], "int32").transpose(
        [result_order.index(i) for i in range(len(shape))]
    )
    arranged = kernels.arrange(shape, source.strides, result.strides)
    assert len(arranged) >= 2
    assert places(arranged) == places(tuple(zip(shape, source.strides, result.strides, strict=True)))


def places(layout: tuple[tuple[int, int, int], ...]) -> set[tuple[int, int]]:
    """Where each element is read and written, as offsets from the first."""
    indexes = product(*(range(size) for size, _, _ in layout))
    return {
        tuple(sum(i * dim[side] for i, dim in zip(index, layout, strict=True)) for side in (1, 2)) for index in indexes
    }


def test_a_transposed_pair_becomes_one_run_of_elements() -> None:
    assert kernels.arrange((3, 4), (8, 24), (4, 12)) == ((1, 0, 0), (12, 8, 4))


# ---- threads


@pytest.fixture
def threads(request, monkeypatch):
    monkeypatch.setattr(kernels, "thread_count", lambda: request.param)


@pytest.fixture(params=["threads of torch", "a crew of its own"])
def workers(request):
    """Who does large work: the threads that torch has, where it has any, or those of the extension."""
    kernels._share_threads_of.cache_clear()
    NATIVE.share_threads(0)
    if request.param == "threads of torch":
        kernels._share_threads_of(torch.__file__)
    yield
    kernels._share_threads_of.cache_clear()
    NATIVE.share_threads(0)


@pytest.mark.parametrize("threads", [1, 2, 3, 7, 200], indirect=True)
@pytest.mark.parametrize("count", [4097, 100_000, 3_000_001])
def test_any_number_of_threads_converts_every_element_once(threads, workers, count: int) -> None:
    source = np.arange(count, dtype="int64")
    lost, result = run(source, "int32", "checked")
    assert lost is None
    assert np.array_equal(result, source)


@pytest.mark.parametrize("threads", [1, 2, 5], indirect=True)
def test_the_first_of_many_lost_elements_is_named_whichever_thread_meets_it(threads, workers) -> None:
    source = np.zeros(3_000_000, "float64")
    for places in ([2_999_999], [0, 5], [1_000_000, 2_000_000], range(700_001, 3_000_000, 1000)):
        source[list(places)] = math.nan
        assert run(source, "int32", "checked")[0] == places[0]
        source[:] = 0


@pytest.mark.parametrize("threads", [2, 5], indirect=True)
@pytest.mark.parametrize("shape", [(2000, 1000), (1, 2_000_000), (2, 3, 400_000), (300_000, 7)])
def test_threads_share_out_memory_with_gaps(threads, workers, shape) -> None:
    source = (np.arange(math.prod(shape) * 2) % 250).astype("int32").reshape(*shape[:-1], -1)[..., ::2]
    result = blank(math.prod(shape), "uint8").reshape(shape)
    assert kernels.any_lost(memory(source), memory(result), "checked") is False
    assert np.array_equal(result, source)


@pytest.mark.parametrize("threads", [3], indirect=True)
def test_several_callers_at_once_get_their_own_results(threads, workers) -> None:
    failed = []

    def convert(seed: int) -> None:
        source = np.arange(seed, seed + 500_000)
        for _ in range(20):
            lost, result = run(source, "int32", "checked")
            if lost is not None or not np.array_equal(result, source):
                failed.append(seed)

    callers = [threading.Thread(target=convert, args=(i,)) for i in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert failed == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize("threads", [2], indirect=True)
def test_a_forked_child_converts_with_threads_of_its_own(threads, workers) -> None:
    source = np.arange(500_000)
    run(source, "int32", "checked")
    child = fork_quietly()
    if child == 0:
        lost, result = run(source, "int32", "checked")
        os._exit(0 if lost is None and np.array_equal(result, source) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert run(source, "int32", "checked")[0] is None


def fork_quietly() -> int:
    """``os.fork`` without its warning about the threads of this process, which are what the test is about."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def run_python(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment}, check=True
    )
    return done.stdout


def test_no_thread_starts_at_import_and_the_interpreter_ends_at_once_with_a_crew() -> None:
    code = """
import os, numpy as np
from tensorcopy.conversion import kernels
tasks = lambda: len(os.listdir("/proc/self/task")) if os.path.exists("/proc/self/task") else 0
before = tasks()
import tensorcopy.conversion.filling
assert tasks() == before
kernels.thread_count = lambda: 4
a, b = np.zeros(10**6), np.empty(10**6, "float32")
print(kernels.first_lost(a.ctypes.data, b.ctypes.data, a.size, ("float64", "float32"), "checked"), tasks() - before)
"""
    assert run_python(code).split() in (["None", "3"], ["None", "0"])


def test_the_number_of_threads_follows_torch() -> None:
    assert kernels.thread_count() == torch.get_num_threads()


# ---- members of a list


def numbers(count: int, shape: tuple[int, ...], dtype: str = "float64") -> list[np.ndarray]:
    whole = (np.arange(count * math.prod(shape)) % 100).astype(dtype)
    return [whole.reshape(count, *shape)[i, ...].copy() for i in range(count)]


@pytest.mark.parametrize("threads", [1, 3], indirect=True)
@pytest.mark.parametrize(
    ("count", "shape"),
    [(1, (3,)), (1000, (10,)), (3, (0,)), (2, ()), (500, (28, 28)), (100, (10_000,)), (3, (1_000_000,))],
)
def test_arrays_are_gathered_into_one_block(threads, count: int, shape: tuple[int, ...]) -> None:
    members = numbers(count, shape)
    result = blank(count * math.prod(shape), "float32").reshape(count, *shape)
    assert kernels.gathered(members[0], members, result.shape, address(result), "float32", "checked")
    assert np.array_equal(result, np.stack(members))


@pytest.mark.parametrize(
    "odd",
    [
        np.zeros(3, "float32"),
        np.zeros(4),
        np.zeros((3, 1)),
        np.zeros(6)[::2],
        np.zeros(3, ">f8"),
        np.zeros(3).tolist(),
        None,
        torch.zeros(3, dtype=torch.float64),
        np.ma.masked_array(np.zeros(3), mask=[0, 1, 0]),
        np.array([0.0, 1e300, 0.0]),
    ],
    ids=lambda odd: type(odd).__name__ + str(getattr(odd, "dtype", "")),
)
def test_gathering_stops_at_the_first_member_that_is_not_like_the_first(odd) -> None:
    result = blank(15, "float32").reshape(5, 3)
    members = [np.zeros(3), np.ones(3), odd, np.zeros(3), odd]
    before = result[3:].tobytes()
    assert not kernels.gathered(members[0], members, result.shape, address(result), "float32", "checked")
    assert result[3:].tobytes() == before


def test_a_large_member_that_is_not_like_the_first_is_found_before_anything_is_written() -> None:
    result = blank(3 * 10**6, "float32")
    members = [*numbers(2, (10**6,)), np.zeros(10**6, "float32")]
    before = result.tobytes()
    assert not kernels.gathered(members[0], members, (3, 10**6), address(result), "float32", "checked")
    assert result.tobytes() == before


@pytest.mark.parametrize("change", ["more", "fewer", "another first", "larger", "smaller"])
@pytest.mark.parametrize("as_they_are", [True, False])
def test_nothing_is_written_where_the_list_changed_after_room_was_made(change: str, as_they_are: bool) -> None:
    members = numbers(3, (4,))
    model, room = members[0], blank(100, "float64")
    before = room.tobytes()
    if change == "more":
        members.append(members[0])
    elif change == "fewer":
        members.pop()
    elif change == "another first":
        members[0] = model.copy()
    else:
        for member in members:
            member.resize(8 if change == "larger" else 2, refcheck=False)
    if as_they_are:
        assert not kernels.gathered_as_they_are(model, members, (3, 4), address(room))
    else:
        assert not kernels.gathered(model, members, (3, 4), address(room), "float64", "checked")
    assert room.tobytes() == before


def test_what_an_array_object_holds_is_compared_with_its_attributes() -> None:
    array = np.zeros((2, 3))
    facts = [address(array), (2, 3), (24, 8), array.dtype, True, True]
    assert NATIVE.is_known(array, *facts)
    for i, wrong in enumerate([address(array) + 8, (3, 2), (8, 24), np.dtype("float32"), False, False]):
        assert not NATIVE.is_known(array, *facts[:i], wrong, *facts[i + 1 :])


def test_tensors_agree_if_all_are_of_one_class_and_one_dtype() -> None:
    dtype = torch._C.TensorBase.dtype
    members = [torch.zeros(1), torch.ones(2), torch.zeros(())]
    assert NATIVE.agree(members, dtype, torch.float32) == 3
    assert NATIVE.agree([*members, torch.zeros(1, dtype=torch.int8), *members], dtype, torch.float32) == 3
    assert NATIVE.agree([*members, torch.nn.Parameter(torch.zeros(1))], dtype, torch.float32) == 3
    assert NATIVE.agree([*members, 1.0], dtype, torch.float32) == 3
    assert NATIVE.agree((), dtype, torch.float32) == 0


@pytest.mark.parametrize(
    ("name", "arguments", "error", "message"),
    [
        ("cast", (0, 0, 0), TypeError, "takes 7 arguments, not 3"),
        ("cast", (0, 0, 0, 13, 0, False, 1), ValueError, "no such dtype"),
        ("cast", (0, 0, 0, 0, -1, False, 1), ValueError, "no such dtype"),
        ("cast", ("a", 0, 0, 0, 0, False, 1), TypeError, "int"),
        ("cast_strided", (0, 0, (1,), (1,), (1,), 0, 0, False, 0, 1), ValueError, "2 to 64 dimensions"),
        ("cast_strided", (0, 0, (1, 1), (1,), (1, 1), 0, 0, False, 0, 1), ValueError, "of one length"),
        ("gather", (1, {}, 0, 0, 0, 1, 0, 0, False, 1), TypeError, "must be a list or tuple"),
        ("agree", ([1], 1, 1), TypeError, "a list or tuple and a descriptor"),
    ],
)
def test_the_extension_refuses_arguments_that_make_no_sense(name, arguments, error, message) -> None:
    with pytest.raises(error, match=message):
        getattr(NATIVE, name)(*arguments)


def test_the_types_of_the_extension_are_those_of_the_tests() -> None:
    assert NATIVE.dtypes == TYPES
    assert set(INTEGERS) | set(FLOATS) | {"bool"} == set(TYPES)
