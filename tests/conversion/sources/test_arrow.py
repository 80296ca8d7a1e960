from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import tensorcopy as tc
from tests.conversion.sources.samples import Sample

PAIRS = pa.list_(pa.int64(), 2)
NULL_7 = (("null", 7),)


def sample(name, build, expected, dtype, shares="no", **more):
    return Sample(name=name, build=build, expected=expected, dtype=dtype, shares=shares, **more)


SAMPLES = (
    *(
        sample(str(kind), lambda kind=kind: pa.array([1, 2], kind), [1, 2], str(kind), "readonly")
        for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())
    ),
    sample("halffloat", lambda: pa.array([0.5, 2], pa.float16()), [0.5, 2], "float16", "readonly"),
    sample("float", lambda: pa.array([0.5, 2], pa.float32()), [0.5, 2], "float32", "readonly"),
    sample("double", lambda: pa.array([0.5, 2]), [0.5, 2], "float64", "readonly"),
    sample("slice", lambda: pa.array([1, 2, 3])[1:], [2, 3], "int64", "readonly"),
    sample("empty", lambda: pa.array([], pa.int8()), [], "int8", "yes"),
    sample("bool", lambda: pa.array([True, False]), [True, False], "bool"),
    sample("slice of bools", lambda: pa.array([True] * 9 + [False, True])[3:], [True] * 6 + [False, True], "bool"),
    sample("with null", lambda: pa.array([1, None, 3]), [1, 7, 3], "int64", options=NULL_7),
    sample("slice with null", lambda: pa.array([None, 1, None, 3])[1:], [1, 7, 3], "int64", options=NULL_7),
    sample(
        "bool with null", lambda: pa.array([None, True, None])[1:], [True, False], "bool", options=(("null", False),)
    ),
    sample("nothing but nulls", lambda: pa.array([None, None]), [7.0, 7.0], "float32", options=NULL_7),
    sample("one chunk", lambda: pa.chunked_array([[1, 2]]), [1, 2], "int64", "readonly"),
    sample("two chunks", lambda: pa.chunked_array([[1, 2], [3]]), [1, 2, 3], "int64"),
    sample("no chunks", lambda: pa.chunked_array([], pa.int8()), [], "int8", "yes"),
    sample("bools in chunks", lambda: pa.chunked_array([[True], [False]]), [True, False], "bool"),
    sample("null in a later chunk", lambda: pa.chunked_array([[1], [None]]), [1, 7], "int64", options=NULL_7),
    sample("pairs", lambda: pa.array([[1, 2], [3, 4]], PAIRS), [[1, 2], [3, 4]], "int64", "readonly"),
    sample(
        "slice of pairs", lambda: pa.array([[1, 2], [3, 4], [5, 6]], PAIRS)[1:], [[3, 4], [5, 6]], "int64", "readonly"
    ),
    sample("pairs with nulls", lambda: pa.array([[1, None], None], PAIRS), [[1, 7], [7, 7]], "int64", options=NULL_7),
    sample(
        "slice of pairs with nulls",
        lambda: pa.array([[9, 9], None, [3, None]], PAIRS)[1:],
        [[7, 7], [3, 7]],
        "int64",
        options=NULL_7,
    ),
    sample(
        "pairs of pairs",
        lambda: pa.array([[[1, 2], [3, 4]]], pa.list_(PAIRS, 2)),
        [[[1, 2], [3, 4]]],
        "int64",
        "readonly",
    ),
    sample("lists", lambda: pa.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]], "int64", "readonly"),
    sample("slice of lists", lambda: pa.array([[9], [1, 2], [3, 4]])[1:], [[1, 2], [3, 4]], "int64", "readonly"),
    sample("large lists", lambda: pa.array([[1, 2]], pa.large_list(pa.int8())), [[1, 2]], "int8", "readonly"),
    sample("lists in chunks", lambda: pa.chunked_array([[[1, 2]], [[3, 4]]]), [[1, 2], [3, 4]], "int64"),
    sample("shaped", lambda: shaped()[1:], [[[6, 7, 8], [9, 10, 11]]], "int64", "readonly"),
    sample(
        "shaped in another order",
        lambda: shaped((0, 2, 1)),
        np.arange(12).reshape(2, 2, 3).transpose(0, 2, 1),
        "int64",
        "readonly",
    ),
    sample("scalar", lambda: pa.scalar(3, pa.int8()), 3, "int8"),
    sample("null scalar", lambda: pa.scalar(None, pa.int8()), 7, "int8", options=NULL_7),
    sample("tensor", lambda: pa.Tensor.from_numpy(np.array([[1, 2], [3, 4]])), [[1, 2], [3, 4]], "int64", "yes"),
    sample("buffer", lambda: pa.py_buffer(b"\x01\x02"), [1, 2], "uint8", "readonly"),
    sample("writable buffer", lambda: pa.py_buffer(bytearray([1, 2])), [1, 2], "uint8", "yes"),
    sample("empty buffer", lambda: pa.py_buffer(b""), [], "uint8", "yes"),
    sample("table", lambda: pa.table({"a": [1, 2], "b": [0.5, 4]}), [[1, 0.5], [2, 4]], "float64"),
    sample("table of one column", lambda: pa.table({"a": [1, 2]}), [[1], [2]], "int64", "readonly"),
    sample(
        "table with null", lambda: pa.table({"a": [1, 2], "b": [1, None]}), [[1, 1], [2, 7]], "int64", options=NULL_7
    ),
    sample("table of bools and ints", lambda: pa.table({"a": [True, False], "b": [1, 2]}), [[1, 1], [0, 2]], "int64"),
    sample("record batch", lambda: pa.RecordBatch.from_pydict({"a": [1], "b": [2]}), [[1, 2]], "int64"),
    sample("empty table", lambda: pa.table({}), np.empty((0, 0)), "float32"),
)


def shaped(order=(0, 1, 2)):
    return pa.FixedShapeTensorArray.from_numpy_ndarray(np.arange(12).reshape(2, 2, 3).transpose(order))


def test_a_null_names_its_row_and_in_a_table_its_column():
    with pytest.raises(
        tc.errors.LossyConversionError, match=r"Arrow ChunkedArray has 1 null among 3 elements.*row \[2\]"
    ):
        tc.to_torch(pa.chunked_array([[1, 2], [None]]))
    with pytest.raises(tc.errors.LossyConversionError, match=r"column 'b' of Arrow Table has 1 null.*row \[1\]"):
        tc.to_torch(pa.table({"a": [1, 2], "b": [1, None]}))
    with pytest.raises(tc.errors.LossyConversionError, match=r"2 nulls among 4 elements, the first at row \[1\]\[0\]"):
        tc.to_torch(pa.array([[1, 2], None], PAIRS))


def test_lists_have_to_be_of_one_length():
    with pytest.raises(tc.errors.RaggedError, match=r"row \[1\] holds 1 elements, the first row 2"):
        tc.to_torch(pa.array([[1, 2], [3]]))
    with pytest.raises(tc.errors.RaggedError, match="lists of 1 after lists of 2"):
        tc.to_torch(pa.chunked_array([[[1, 2]], [[3]]]))


def test_a_missing_list_has_no_length():
    with pytest.raises(tc.errors.LossyConversionError, match=r"1 null among 2 lists, the first at row \[1\]"):
        tc.to_torch(pa.array([[1, 2], None]), null=0)


def test_a_lost_value_names_its_row_in_the_whole_and_its_column():
    with pytest.raises(tc.errors.LossyConversionError, match=r"300 at \[2\] cannot become uint8"):
        tc.to_torch(pa.chunked_array([[1, 2], [300]]), dtype="uint8")
    with pytest.raises(tc.errors.LossyConversionError, match=r"300 at \[1\]\[1\] cannot become uint8, in column 'b'"):
        tc.to_torch(pa.table({"a": [1, 2], "b": [1, 300]}), dtype="uint8")


@pytest.mark.parametrize(
    ("array", "why", "fix"),
    [
        (pa.array(["a"]), "text has no numeric meaning", "cast('int64')"),
        (pa.array(["a"], pa.large_string()), "text has no numeric meaning", "cast('int64')"),
        (pa.array(["a"]).dictionary_encode(), "only keys of a dictionary", ".indices"),
        (pa.array([b"a"]), "bytes of any length are no numbers", "decode"),
        (pa.array([1], pa.timestamp("s")), "a count of some unit", "cast('int64')"),
        (pa.array([1], pa.date32()), "a count of some unit", "cast('int32')"),
        (pa.array([1], pa.date64()), "a count of some unit", "cast('int64')"),
        (pa.array([1], pa.time32("s")), "a count of some unit", "cast('int32')"),
        (pa.array([1], pa.duration("s")), "a count of some unit", "cast('int64')"),
        (pa.array([Decimal("1.5")]), "no binary floating type holds a decimal", "cast('float64')"),
        (pa.array([{"a": 1}]), "this holds records", "field('name')"),
        (pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())), "a mapping has no numeric meaning", ".items"),
        (pa.array([["a"]]), "text has no numeric meaning", "cast('int64')"),
    ],
    ids=lambda value: str(getattr(value, "type", "")) or None,
)
def test_columns_without_numbers_are_refused_by_name_with_the_way_out(array, why, fix):
    for source, name in (
        (array, f"Arrow {type(array).__name__}"),
        (pa.table({"y": array}), "column 'y' of Arrow Table"),
    ):
        with pytest.raises(tc.errors.UnsupportedSourceError, match=name) as caught:
            tc.to_torch(source)
        assert why in caught.value.why
        assert fix in caught.value.fix


def test_the_ways_out_lead_out():
    assert tc.to_torch(pa.array(["a", "b", "a"]).dictionary_encode().indices).tolist() == [0, 1, 0]
    assert tc.to_torch(pa.array([1, 2], pa.timestamp("s")).cast("int64")).tolist() == [1, 2]
    assert tc.to_torch(pa.array([1, 2], pa.date32()).cast("int32")).tolist() == [1, 2]


def test_an_unknown_extension_type_points_at_its_storage():
    array = pa.array([b"0123456789abcdef"], pa.uuid()) if hasattr(pa, "uuid") else pytest.skip("no such type")
    with pytest.raises(
        tc.errors.UnsupportedSourceError, match=r"convert its storage, which is fixed_size_binary\[16\]"
    ):
        tc.to_torch(array)


@pytest.mark.skipif(not hasattr(pa, "bool8"), reason="a type of later PyArrow")
def test_any_byte_but_zero_is_true():
    array = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([0, 1, 2], pa.int8()))
    assert tc.to_torch(array).tolist() == [False, True, True]
