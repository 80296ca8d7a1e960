"""Which values survive a change of type: decided from the types, found among the values, and told in the same words."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from contextlib import nullcontext
from itertools import product

import ml_dtypes
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorcopy.conversion import filling, kernels
from tensorcopy.conversion.casting import can_lose, find_loss, fitting_dtype, loss_error, require_casting
from tensorcopy.errors import BadArgumentError, LossyConversionError
from tensorcopy.live import arrays
from tensorcopy.live.dtypes import numpy_dtype, torch_dtype
from tests.conversion.exact_arithmetic import FLOATS, TYPES, cast, telling_values
from tests.conversion.without_kernels import without_kernels

PAIRS = [(a, b) for a, b in product(TYPES, TYPES) if a != b]
CASTINGS = ("checked", "same_value")


def array_of(values: list[float], name: str) -> np.ndarray:
    if name == "bfloat16":
        return np.array(values, "float32").astype(ml_dtypes.bfloat16)
    return np.array(values, name)


def tensor_of(values: list[float], name: str) -> torch.Tensor:
    return arrays.tensor_over(array_of(values, name))


def lost_values(source: str, target: str, casting: str) -> list[float]:
    return [v for v in telling_values(source) if cast(v, source, target, casting) is None]


@pytest.mark.parametrize("casting", CASTINGS)
@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_types_tell_whether_any_value_can_be_lost(source: str, target: str, casting: str) -> None:
    assert can_lose(source, target, casting) is bool(lost_values(source, target, casting))


@pytest.mark.parametrize("name", TYPES)
def test_the_same_type_and_the_unsafe_way_are_never_checked(name: str) -> None:
    assert not any(can_lose(name, other, "unsafe") for other in TYPES)
    assert not any(can_lose(name, name, casting) for casting in CASTINGS)


LOSSY = [pair for pair in PAIRS if can_lose(*pair, "same_value")]
LEFT_TO_NUMPY = {"uint16", "uint32", "uint64"}


@pytest.mark.parametrize("casting", CASTINGS)
@pytest.mark.parametrize(
    ("source", "target", "library"),
    [(*p, lib) for p, lib in product(LOSSY, ("torch", "numpy")) if lib == "numpy" or not LEFT_TO_NUMPY & {*p}],
)
def test_looking_afterwards_finds_what_arithmetic_says(source: str, target: str, casting: str, library: str) -> None:
    at_once = library == "numpy" and target == "float16"
    values = telling_values(source)
    lost = {v for v in values if cast(v, source, target, casting, at_once=at_once) is None}
    kept = [v for v in values if v not in lost] + [0]
    assert first_found(library, kept, source, target, casting) is None
    for value in lost:
        assert first_found(library, [0, *kept, value, *kept, value], source, target, casting) == len(kept) + 1, value


def first_found(library: str, values: list[float], source: str, target: str, casting: str) -> int | None:
    if library == "torch":
        before = tensor_of(values, source)
        index = find_loss(torch, before, before.to(torch_dtype(target)), (source, target), casting)
    else:
        before = array_of(values, source)
        with np.errstate(all="ignore"):
            after = before.astype(numpy_dtype(target))
            index = find_loss(np, before, after, (source, target), casting)
    return None if index is None else index[0]


@pytest.fixture(params=[True, False], ids=["kernels", "no kernels"])
def ways(request):
    """Both ways to fill memory: in one pass, and by torch or NumPy with a look afterwards."""
    if request.param and kernels._native is None:
        pytest.skip("the C extension is not built")
    with nullcontext() if request.param else without_kernels():
        yield


def outcome(fill, source, target: str, casting: str) -> object:
    """What filling gives: the values, or the words of the refusal."""
    tensor = isinstance(source, torch.Tensor)
    result = (
        torch.zeros(source.shape, dtype=torch_dtype(target)) if tensor else np.zeros(source.shape, numpy_dtype(target))
    )
    name = str(source.dtype).removeprefix("torch.") if tensor else source.dtype.newbyteorder("=").name
    try:
        fill(result, source, name, target, casting)
    except LossyConversionError as error:
        return str(error)
    wide = result.tolist() if tensor or result.dtype.name != "bfloat16" else result.astype("float64").tolist()
    return repr(wide)


@st.composite
def sources(draw: st.DrawFn) -> tuple[list[float], str, str, str, tuple[int, ...]]:
    source, target = draw(st.sampled_from([*LOSSY, *(p for p in PAIRS if p[0] == "bool")]))
    casting = draw(st.sampled_from(CASTINGS))
    safe = [v for v in telling_values(source) if cast(v, source, target, casting) is not None]
    shape = draw(st.sampled_from([(), (1,), (6,), (2, 3), (2, 2, 2), (0, 3), (40, 25)]))
    values = draw(st.lists(st.sampled_from(safe), min_size=6, max_size=6))
    values = [values[i % 6] for i in range(math.prod(shape))]
    spoiled = lost_values(source, target, casting)
    for _ in range(draw(st.integers(0, 2)) if spoiled and values else 0):
        values[draw(st.integers(0, len(values) - 1))] = draw(st.sampled_from(spoiled))
    return values, source, target, casting, shape


@pytest.mark.skipif(kernels._native is None, reason="the C extension is not built")
@given(case=sources(), layout=st.sampled_from(["dense", "transposed", "gaps", "reversed", "swapped", "misaligned"]))
@settings(max_examples=400, deadline=None)
def test_one_pass_and_a_look_afterwards_give_the_same_values_and_the_same_words(case, layout: str) -> None:
    values, source, target, casting, shape = case
    array = arranged(array_of(values, source).reshape(shape), layout)
    fills = [(filling.fill_array, array)]
    if layout in ("dense", "transposed", "gaps"):
        fills.append((filling.fill_tensor, arrays.tensor_over(array)))
    for fill, seen in fills:
        with without_kernels():
            expected = outcome(fill, seen, target, casting)
        assert outcome(fill, seen, target, casting) == expected


def arranged(array: np.ndarray, layout: str) -> np.ndarray:
    """The same elements in another layout."""
    if layout == "transposed":
        return np.ascontiguousarray(array.T).T
    if layout == "gaps":
        return np.repeat(array[..., None], 3, axis=-1)[..., 1]
    if layout == "reversed":
        return np.ascontiguousarray(np.flip(array))[(slice(None, None, -1),) * array.ndim]
    if layout == "swapped" and array.dtype.name != "bfloat16":
        return array.astype(array.dtype.newbyteorder())
    if layout == "misaligned":
        moved = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
        moved[...] = array
        return moved
    return array


def test_the_index_that_is_named_is_the_first_in_row_major_order_whatever_the_strides(ways) -> None:
    source = torch.zeros(4, 3, dtype=torch.int64).t()
    source[0, 3] = source[2, 0] = 300
    with pytest.raises(LossyConversionError, match=r"int64 value 300 at \[0\]\[3\] cannot become int8"):
        filling.fill_tensor(torch.empty(3, 4, dtype=torch.int8), source, "int64", "int8", "checked")


def test_where_a_part_lies_in_the_whole_is_what_the_message_names(ways) -> None:
    source, result = torch.tensor([1.0, math.nan]), torch.empty(2, dtype=torch.int64)
    with pytest.raises(LossyConversionError, match=r"float32 value nan at \[7\]\[1\] cannot become int64"):
        filling.fill_tensor(result, source, "float32", "int64", "checked", lambda index: (7, *index))


def test_a_complex_number_is_judged_by_both_its_parts(ways) -> None:
    fine = torch.tensor([1e30 + 2j, complex(math.inf, math.nan), 0.1 - 0.1j], dtype=torch.complex128)
    result = torch.empty(3, dtype=torch.complex64)
    filling.fill_tensor(result, fine, "complex128", "complex64", "checked")
    assert repr(result.tolist()) == repr(fine.to(torch.complex64).tolist())
    for bad in (1e300 + 0j, complex(1, -1e300)):
        spoiled = torch.stack([fine, torch.tensor([0, bad, bad], dtype=torch.complex128)])
        for source in (spoiled, spoiled.t()):
            target = torch.empty(source.shape, dtype=torch.complex64)
            with pytest.raises(
                LossyConversionError, match=r"complex128 value .* at \[1\]\[1\] cannot become complex64"
            ):
                filling.fill_tensor(target, source, "complex128", "complex64", "checked")


def test_conjugate_and_negative_bits_are_values_too(ways) -> None:
    source = torch.tensor([1 + 2j, 3 - 4j], dtype=torch.complex128)
    result = torch.empty(2, dtype=torch.complex64)
    filling.fill_tensor(result, source.conj(), "complex128", "complex64", "checked")
    assert result.tolist() == [1 - 2j, 3 + 4j]
    parts = torch.empty(2, dtype=torch.int8)
    filling.fill_tensor(parts, source.conj().imag, "float64", "int8", "checked")
    assert parts.tolist() == [-2, 4]


def test_float64_becomes_float16_as_the_library_of_the_result_does_it(ways) -> None:
    twice = 1 + 2.0**-11 + 2.0**-40
    once = np.empty(1, "float16")
    filling.fill_array(once, np.array([twice]), "float64", "float16", "checked")
    assert once.tolist() == np.array([twice]).astype("float16").tolist() == [1 + 2.0**-10]
    for source in (np.array([twice]), np.array([twice], ">f8")):
        result = torch.empty(1, dtype=torch.float16)
        filling.fill_tensor_from_array(result, source, "float64", "float16", "checked")
        assert result.tolist() == torch.tensor([twice], dtype=torch.float64).half().tolist()


def test_bool_bytes_that_are_neither_0_nor_1_are_true_in_every_type(ways) -> None:
    source = arrays.tensor_over(np.array([0, 1, 2, 255], np.uint8)).view(torch.bool)
    for target in TYPES[1:]:
        result = torch.empty(4, dtype=torch_dtype(target))
        filling.fill_tensor(result, source, "bool", target, "checked")
        assert result.double().tolist() == [0, 1, 1, 1]


def test_float8_and_complex_to_real_are_checked_as_well(ways) -> None:
    with pytest.raises(LossyConversionError, match="float8_e4m3fn ends at 448"):
        filling.fill_tensor(
            torch.empty(1, dtype=torch.float8_e4m3fn), torch.tensor([500.0]), "float32", "float8_e4m3fn", "checked"
        )
    with pytest.raises(LossyConversionError, match="float32 has no imaginary part"):
        filling.fill_tensor(torch.empty(1), torch.tensor([1j]), "complex64", "float32", "checked")


def test_a_large_block_is_refused_by_the_right_index(ways) -> None:
    source = torch.zeros(1000, 700, dtype=torch.float64)
    source[900, 123] = 1e39
    with pytest.raises(LossyConversionError, match=r"1e\+39 at \[900\]\[123\]"):
        filling.fill_tensor(torch.empty(1000, 700), source, "float64", "float32", "checked")


def test_unsafe_gives_what_torch_gives(ways) -> None:
    source = torch.tensor([2.0**40 + 1, 1e300, -1.5], dtype=torch.float64)
    result = torch.empty(3)
    filling.fill_tensor(result, source, "float64", "float32", "unsafe")
    assert result.tolist() == source.float().tolist()


@pytest.mark.parametrize(
    ("value", "source", "target", "text"),
    [
        (300, "int64", "int8", "int64 value 300 at [4] cannot become int8 · int8 holds -128 to 127, and the value would"
         " wrap around · pass dtype='int64', or casting='unsafe' to accept the change"),
        (math.nan, "float32", "int64", "float32 value nan at [4] cannot become int64 · an integer type has no NaN or"
         " infinity · pass dtype='float32', or casting='unsafe' to accept the change"),
        (0.5, "float32", "int64", "float32 value 0.5 at [4] cannot become int64 · the fraction would be cut off · pass"
         " dtype='float32', or casting='unsafe' to accept the change"),
        (2, "uint8", "bool", "uint8 value 2 at [4] cannot become bool · only 0 and 1 are truth values · pass"
         " dtype='uint8', or casting='unsafe' to accept the change"),
        (2**24 + 1, "int32", "float32", "int32 value 16777217 at [4] cannot become float32 · float32 holds every"
         " integer only up to 16777216, and the value would be rounded · pass dtype='int32', or casting='unsafe' to"
         " accept the change"),
        (70_000, "int32", "float16", "int32 value 70000 at [4] cannot become float16 · float16 ends at 65504 · pass"
         " dtype='int32', or casting='unsafe' to accept the change"),
        (1e300, "float64", "float32", "float64 value 1e+300 at [4] cannot become float32 · float32 ends at 3.40282e+38"
         " · pass dtype='float64', or casting='unsafe' to accept the change"),
        (0.1, "float64", "float32", "float64 value 0.1 at [4] cannot become float32 · float32 would round it · pass"
         " dtype='float64', or casting='unsafe' to accept the change"),
        (1j, "complex64", "float32", "complex64 value 1j at [4] cannot become float32 · float32 has no imaginary part ·"
         " pass dtype='complex64', or casting='unsafe' to accept the change"),
    ],
)  # fmt: skip
def test_a_refusal_says_what_why_and_what_to_do(value, source: str, target: str, text: str) -> None:
    assert str(loss_error(value, (4,), source, target)) == text


def test_a_refusal_of_a_single_number_names_no_index() -> None:
    assert "at the only element cannot" in str(loss_error(300, (), "int64", "int8"))


@pytest.mark.parametrize(
    ("value", "source", "name"),
    [(1, "int8", "int8"), (1j, "complex", "complex128"), (0.5, "float", "float64"), (5, "int", "int64"),
     (2**63, "int", "uint64"), (2**64, "int", "float64"), (-(2**63), "int", "int64"), (-(2**63) - 1, "int", "float64")],
)  # fmt: skip
def test_the_dtype_that_is_proposed_holds_the_value(value, source: str, name: str) -> None:
    assert fitting_dtype(value, source) == name


def test_an_unknown_casting_is_refused_with_the_three_that_exist() -> None:
    assert [require_casting(c) for c in ("checked", "same_value", "unsafe")] == ["checked", "same_value", "unsafe"]
    with pytest.raises(
        BadArgumentError, match=r"casting='safe' is not known .* pass 'checked', 'same_value' or 'unsafe'"
    ):
        require_casting("safe")


def test_without_the_extension_everything_gives_the_same() -> None:
    code = """
import numpy as np, tensorcopy as tc
from tensorcopy.conversion import kernels
def outcome(*a, **k):
    try: return tc.to_torch(*a, **k).tolist()
    except tc.TensorcopyError as error: return str(error)
cases = [np.arange(5.), np.array([1., np.nan]), np.array([[1, 300]]), np.arange(4)[::-1], np.array([1, 2], ">i4"),
         [np.arange(3.), np.ones(3)], [np.arange(3), np.array([1, 2, 300])], [np.ones(2), np.ones(3)], np.ones(2, bool)]
for case in cases:
    for dtype in ("int8", "float32", "float16"):
        print(outcome(case, dtype=dtype))
"""
    assert run_python(code, "1") == run_python(code, "0")


def run_python(code: str, pure: str) -> str:
    environment = {**os.environ, "TENSORCOPY_PURE_PYTHON": pure}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def test_the_floats_of_the_oracle_are_those_that_both_libraries_cast() -> None:
    assert all(hasattr(torch, name) for name in FLOATS)
