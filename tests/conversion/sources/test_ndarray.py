from __future__ import annotations

from decimal import Decimal

import ml_dtypes
import numpy as np
import pytest

import tensorcopy as tc
from tests.conversion.sources.samples import Sample


class Tracked(np.ndarray):
    """A plain subclass."""


def read_only(array):
    array.flags.writeable = False
    return array


def unaligned():
    raw = np.zeros(25, "uint8")[1:]
    array = raw.view("float64")
    array[:] = [1, 2, 3]
    return array


def field_with_stride_12():
    records = np.zeros(3, [("a", "f8"), ("b", "i4")])
    records["a"] = [1, 2, 3]
    return records["a"]


def sample(name, build, expected, dtype, shares="yes", **more):
    return Sample(name=name, build=build, expected=expected, dtype=dtype, shares=shares, **more)


SAMPLES = (
    *(
        sample(name, lambda name=name: np.array([0, 1, 2], name), [0, 1, 2], name)
        for name in ("int8", "int16", "int32", "int64")
    ),
    *(
        sample(name, lambda name=name: np.array([0, 1, 2], name), [0, 1, 2], name)
        for name in ("uint8", "uint16", "uint32", "uint64")
    ),
    *(
        sample(name, lambda name=name: np.array([0, 0.5, 2], name), [0, 0.5, 2], name)
        for name in ("float16", "float32", "float64")
    ),
    *(sample(name, lambda name=name: np.array([1 + 2j], name), [1 + 2j], name) for name in ("complex64", "complex128")),
    sample("bool", lambda: np.array([True, False]), [True, False], "bool"),
    sample("ulonglong", lambda: np.array([1, 2], "Q"), [1, 2], "uint64"),
    sample("longlong", lambda: np.array([1, 2], "q"), [1, 2], "int64"),
    sample("bfloat16", lambda: np.array([0, 0.5, 2], ml_dtypes.bfloat16), [0, 0.5, 2], "bfloat16"),
    sample("float8", lambda: np.array([0, 0.5, 2], ml_dtypes.float8_e4m3fn), [0, 0.5, 2], "float8_e4m3fn"),
    sample("no dimensions", lambda: np.array(3, "int16"), 3, "int16"),
    sample("empty", lambda: np.empty((0, 3), "float32"), np.empty((0, 3)), "float32"),
    sample("columns first", lambda: np.array([[1, 2], [3, 4]], order="F"), [[1, 2], [3, 4]], "int64"),
    sample("every second", lambda: np.arange(6)[::2], [0, 2, 4], "int64"),
    sample("matrix", lambda: np.array([[1.0, 2.0]]).view(np.matrix), [[1.0, 2.0]], "float64"),
    sample("subclass", lambda: np.arange(3).view(Tracked), [0, 1, 2], "int64"),
    sample("one byte big-endian", lambda: np.array([1, 2], ">i1"), [1, 2], "int8"),
    sample("field of records", lambda: np.array([(1, 2.5)], [("a", "i4"), ("b", "f4")])["b"], [2.5], "float32"),
    sample("reversed", lambda: np.arange(3)[::-1], [2, 1, 0], "int64", "no"),
    sample("big-endian", lambda: np.array([1, 2], ">i8"), [1, 2], "int64", "no"),
    sample("unaligned", unaligned, [1, 2, 3], "float64", "no"),
    sample("stride of 12", field_with_stride_12, [1, 2, 3], "float64", "no"),
    sample("read-only", lambda: read_only(np.arange(3)), [0, 1, 2], "int64", "readonly"),
    sample("broadcast", lambda: np.broadcast_to(np.float32(2), (2, 2)), [[2, 2], [2, 2]], "float32", "readonly"),
    sample("of bytes", lambda: np.frombuffer(b"\x01\x02", "uint8"), [1, 2], "uint8", "readonly"),
    sample("objects", lambda: np.array([1, 0.5], object), [1, 0.5], "float32", "no", numpy_dtype="float64"),
    sample("whole objects", lambda: np.array([[1, 2], [3, 4]], object), [[1, 2], [3, 4]], "int64", "no"),
)


@pytest.mark.parametrize(
    ("array", "why", "fix"),
    [
        (np.array(["a"]), "text has no numeric meaning", "astype('float64')"),
        (np.array([b"a"]), "text has no numeric meaning", "view('uint8')"),
        (np.array(["2020-01-01"], "M8[s]"), "a date is a count of some unit", "view('int64')"),
        (np.array(["NaT"], "M8[s]"), "NaT is none", "view('int64')"),
        (np.array([1], "m8[s]"), "a duration is a count of some unit", "numpy.timedelta64(1, 's')"),
        (np.array([1], np.longdouble), "extended precision exists in NumPy only", "astype('float64'"),
        (np.array([1], np.clongdouble), "extended precision exists in NumPy only", "'complex128'"),
        (np.zeros(2, "V4"), "raw bytes have no element type", "array.view(dtype)"),
        (np.zeros(2, [("a", "i4"), ("b", "f4")]), "this array holds records", "array['a'], or each of a, b"),
        (np.rec.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f4")]), "this array holds records", "array['a']"),
        (np.array([1, 2], ml_dtypes.int4), "neither torch nor ordinary NumPy has this type", "astype('int8')"),
        (
            np.array([1, 2], ml_dtypes.float8_e4m3),
            "neither torch nor ordinary NumPy has this type",
            "astype('float32')",
        ),
        (np.array(["a", None], object), "text has no numeric meaning", "parse it first"),
        (np.array([1, None], object), "a null has no value in a tensor", "float('nan')"),
        (np.array([Decimal("0.1")], object), "not a binary number", "float(value)"),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")) or None,
)
@pytest.mark.parametrize("convert", [tc.to_torch, tc.to_numpy], ids=["torch", "numpy"])
def test_elements_without_one_numeric_meaning_are_refused_with_the_way_out(array, why, fix, convert):
    with pytest.raises((tc.errors.UnsupportedSourceError, tc.errors.LossyConversionError)) as caught:
        convert(array)
    assert why in caught.value.why
    assert fix in caught.value.fix


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="a dtype of NumPy 2")
def test_an_array_of_variable_strings_is_refused():
    with pytest.raises(tc.errors.UnsupportedSourceError, match="text has no numeric meaning"):
        tc.to_torch(np.array(["a"], np.dtypes.StringDType()))


def test_ragged_objects_name_the_place():
    array = np.empty(2, object)
    array[:] = [[1, 2], [3]]
    with pytest.raises(tc.errors.RaggedError, match=r"\[1\]"):
        tc.to_torch(array)


def test_objects_that_are_arrays_become_one_tensor():
    array = np.empty(2, object)
    array[:] = [np.arange(2), np.arange(2)]
    assert tc.to_torch(array).tolist() == [[0, 1], [0, 1]]


def test_64_dimensions_are_kept():
    assert tc.to_torch(np.zeros((1,) * 64, "float32")).shape == (1,) * 64


def test_a_huge_broadcast_is_shared_without_being_filled():
    huge = np.broadcast_to(np.float32(1), (1 << 20, 1 << 20))
    result = tc.share(huge, readonly=True)
    assert result.shape == huge.shape
    assert result.untyped_storage().nbytes() <= 8


@pytest.mark.parametrize(("mode", "writable"), [("r", False), ("r+", True), ("c", True)])
def test_a_memory_map_is_written_only_where_it_may_be(tmp_path, mode, writable):
    np.arange(3.0).tofile(tmp_path / "data")
    mapped = np.memmap(tmp_path / "data", "float64", mode)
    assert tc.plan(mapped, to="torch").shares is writable
    assert tc.to_torch(mapped).tolist() == [0.0, 1.0, 2.0]
    if not writable:
        with pytest.raises(tc.errors.ReadOnlyMemoryError, match="the memory is read-only"):
            tc.share(mapped)


def test_values_are_compared_in_the_machines_order_of_bytes():
    with pytest.raises(tc.errors.LossyConversionError, match=r"int64 value 300 at \[1\] cannot become uint8"):
        tc.to_torch(np.array([1, 300], ">i8"), dtype="uint8")


@pytest.mark.parametrize("rows", [1, 2])
def test_what_broadcast_arrays_gives_counts_as_read_only_and_raises_no_warning(rows):
    shown, _ = np.broadcast_arrays(np.arange(3.0), np.zeros((rows, 1)))
    with pytest.raises(tc.errors.ReadOnlyMemoryError, match="NumPy warns of every write to what broadcast_arrays"):
        tc.share(shown)
    assert not tc.plan(shown, "torch").shares
    expected = [[0.0, 1.0, 2.0]] * rows
    assert tc.to_torch(shown).tolist() == tc.to_numpy(shown).tolist() == tc.copy(shown).tolist() == expected
    assert tc.to_torch([shown, shown]).tolist() == [expected, expected]
    assert not tc.share(shown, "numpy", readonly=True).flags.writeable


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e5m2", "float8_e4m3fn", "float32"])
def test_a_true_byte_other_than_one_is_one_in_every_type(dtype):
    truths = np.array([0, 1, 2, 255], "uint8").view(bool)
    masked = tc.copy(np.ma.array(truths, mask=[0, 0, 0, 1]), dtype=dtype)
    out = tc.copy(truths, out=tc.to_numpy([4, 4, 4, 4], dtype=dtype))
    assert tc.to_torch(truths, dtype=dtype).tolist() == [0.0, 1.0, 1.0, 1.0]
    assert tc.to_numpy(truths, dtype=dtype).tolist() == tc.copy(truths, dtype=dtype).tolist() == [0.0, 1.0, 1.0, 1.0]
    assert out.tolist() == [0.0, 1.0, 1.0, 1.0]
    assert masked.tolist() == [0.0, 1.0, 1.0, None]


def test_an_array_of_objects_that_contains_itself_is_refused():
    loop = np.empty(1, object)
    loop[0] = loop
    for convert in (tc.to_torch, tc.to_numpy):
        with pytest.raises(tc.errors.NestError, match="more than 64 levels deep"):
            convert(loop)


def test_readonly_marks_an_array_over_memory_that_must_not_be_written_and_no_copy():
    frozen = read_only(np.arange(3.0))
    assert not tc.to_numpy(frozen, readonly=True).flags.writeable
    assert tc.to_numpy(frozen, readonly=True, dtype="float32").flags.writeable
    assert tc.to_numpy(frozen, readonly=True, copy=True).flags.writeable
