"""The quick ways for small arrays and short lists give what the careful ones give, or leave the source to them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorcopy as tc
from tensorcopy.conversion import carry_out, gathering, reading
from tensorcopy.errors import TensorcopyError
from tests.conversion.without_kernels import without_kernels

DTYPES = [
    "bool",
    "int8",
    "int16",
    "int64",
    "uint8",
    "uint16",
    "float16",
    "float32",
    "float64",
    "complex64",
    ">f4",
    ">i2",
]
VALUES = [0, 1, 2, 100, -1, 300, 2**24 + 1, 0.5, float("nan"), float("inf"), 1e300]


class Tagged(torch.Tensor):
    """A subclass without ways of its own."""


SHAPES = st.lists(st.integers(0, 4), max_size=3).map(tuple)


@st.composite
def arrays(draw, dtypes=tuple(DTYPES), shapes=SHAPES):
    """Arrays of any strides and permissions."""
    shape, dtype = draw(shapes), draw(st.sampled_from(dtypes))
    with np.errstate(all="ignore"):
        values = np.resize(np.array(draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=4))), shape)
        array = values.astype(dtype)
    how = draw(st.sampled_from(["plain", "reversed", "transposed", "gaps", "unaligned"]))
    if how == "reversed" and shape:
        array = array[tuple(slice(None, None, -1) for _ in shape)]
    elif how == "transposed":
        array = array.T
    elif how == "gaps" and shape:
        array = np.repeat(array, 2, axis=-1)[..., ::2]
    elif how == "unaligned":
        raw = np.zeros(array.nbytes + 1, "uint8")
        moved = raw[1:].view(array.dtype)[: array.size].reshape(shape)
        moved[...] = array
        array = moved
    array.flags.writeable = draw(st.booleans())
    return array


@st.composite
def tensors(draw, shape=(2,)):
    """Tensors that torch.stack may take together, and some that it may not."""
    kind = draw(
        st.sampled_from(["plain", "plain", "int", "grad", "conj", "neg", "strided", "subclass", "shape", "half"])
    )
    start = draw(st.sampled_from([0.0, 1.5, 2.0**24]))
    plain = torch.arange(2.0) + start
    made = {
        "plain": lambda: plain,
        "int": lambda: torch.tensor([2**24 + 1, 1]),
        "grad": lambda: plain.clone().requires_grad_() * 2,
        "conj": lambda: torch.complex(plain, plain).conj(),
        "neg": lambda: torch.complex(plain, plain).conj().imag,
        "strided": lambda: (torch.arange(4.0) + start)[::2],
        "subclass": lambda: plain.as_subclass(Tagged),
        "shape": lambda: torch.zeros(3),
        "half": lambda: plain.half(),
    }
    return made[kind]()


def _outcome(convert, source):
    """What comes out, as something that is equal only if all of it is."""
    try:
        result = convert(source)
    except TensorcopyError as error:
        return type(error), str(error)
    bits = result.detach().resolve_conj().resolve_neg().numpy().tobytes()
    steps = [step for size, step in zip(result.shape, result.stride(), strict=True) if size > 1 and result.numel()]
    return type(result), result.dtype, result.shape, steps, result.requires_grad, bits


def _same(one, other):
    return repr(one) == repr(other)


@settings(max_examples=300, deadline=None)
@given(
    array=arrays(),
    dtype=st.none() | st.sampled_from(["bool", "int8", "int64", "uint8", "float16", "float32", "float64", "complex64"]),
    casting=st.sampled_from(["checked", "same_value", "unsafe"]),
)
def test_a_small_array_is_copied_as_it_is_without_the_extension(array, dtype, casting):
    def convert(source):
        return tc.to_torch(source, copy=True, dtype=dtype, casting=casting)

    before = array.copy()
    quick = _outcome(convert, array)
    with without_kernels(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(carry_out, "_ONE_THREAD", 0)
        assert _same(quick, _outcome(convert, array))
    assert before.tobytes() == array.copy().tobytes()


def _carefully(source):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_native", None)
        patch.setattr(gathering, "gather_few", lambda members: None)
        return tc.to_torch(source)


@settings(max_examples=300, deadline=None)
@given(st.lists(arrays(shapes=st.sampled_from([(2,), (2,), (2,), (3,), (2, 1), (0,)])), min_size=1, max_size=4))
def test_a_few_arrays_are_gathered_as_many_are(members):
    assert _same(_outcome(tc.to_torch, members), _outcome(_carefully, members))


@settings(max_examples=300, deadline=None)
@given(st.lists(arrays(dtypes=("float32",), shapes=st.just((2, 2))), min_size=1, max_size=4))
def test_a_few_arrays_of_one_dtype_are_gathered_as_many_are(members):
    assert _same(_outcome(tc.to_torch, members), _outcome(_carefully, members))


@settings(max_examples=300, deadline=None)
@given(st.lists(tensors(), min_size=1, max_size=4))
def test_a_few_tensors_are_stacked_as_many_are(members):
    assert _same(_outcome(tc.to_torch, members), _outcome(_carefully, members))


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from([True, 0, 1, 2**24 + 1, 2**63, 0.5, 1e300, 1j, "a", None, np.float32(1), np.int8(3), [1]]))
)
def test_short_lists_are_read_as_long_ones_are(numbers):
    assert _same(_outcome(tc.to_torch, numbers), _outcome(_carefully, numbers))


@pytest.mark.parametrize(
    "members", [[np.ones(2)] * 3, [torch.ones(2)] * 3, [1.5, 2.5]], ids=["arrays", "tensors", "numbers"]
)
def test_a_short_list_gives_memory_of_its_own_that_can_grow(members):
    result = tc.to_torch(members)
    result.resize_(100)
    assert result.untyped_storage().nbytes() >= 100 * result.element_size()
    assert torch.equal(tc.to_torch(members), tc.to_torch(members))


def test_a_short_list_follows_the_default_dtype_and_leaves_the_default_device_alone():
    before = torch.get_default_dtype()
    try:
        for dtype in (torch.float64, torch.float16, torch.float32):
            torch.set_default_dtype(dtype)
            assert tc.to_torch([1.5]).dtype is dtype
    finally:
        torch.set_default_dtype(before)
    with torch.device("meta"):
        assert tc.to_torch([1.5, 2.5]).tolist() == [1.5, 2.5]
    with torch.inference_mode():
        inside = tc.to_torch([1.5])
    assert (inside.is_inference(), tc.to_torch([1.5]).is_inference()) == (True, False)
