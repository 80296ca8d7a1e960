from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import polars as pl
import pytest

import tensorcopy as tc
from tests.conversion.sources.samples import Sample


def sample(name, build, expected, dtype, shares="no", **more):
    return Sample(name=name, build=build, expected=expected, dtype=dtype, shares=shares, **more)


def in_chunks(*parts):
    return pl.concat([pl.Series("x", part) for part in parts], rechunk=False)


def pairs(*rows):
    return pl.Series(rows, dtype=pl.Array(pl.Int64, 2))


SAMPLES = (
    sample("float Series", lambda: pl.Series([0.5, 2]), [0.5, 2], "float64", "readonly"),
    sample("int8 Series", lambda: pl.Series([1, 2], dtype=pl.Int8), [1, 2], "int8", "readonly"),
    sample("uint64 Series", lambda: pl.Series([1, 2], dtype=pl.UInt64), [1, 2], "uint64", "readonly"),
    sample("slice", lambda: pl.Series([1, 2, 3])[1:], [2, 3], "int64", "readonly"),
    sample("reversed", lambda: pl.Series([1, 2, 3])[::-1], [3, 2, 1], "int64", "readonly"),
    sample("bool Series", lambda: pl.Series([True, False]), [True, False], "bool"),
    sample("empty", lambda: pl.Series([], dtype=pl.Int32), [], "int32", "yes"),
    sample("in chunks", lambda: in_chunks([1, 2], [3]), [1, 2, 3], "int64"),
    sample("bools in chunks", lambda: in_chunks([True], [False]), [True, False], "bool"),
    sample("with null", lambda: pl.Series([1, None]), [1, 7], "int64", options=(("null", 7),)),
    sample("bool with null", lambda: pl.Series([None, True]), [False, True], "bool", options=(("null", False),)),
    sample(
        "null in a later chunk", lambda: in_chunks([1, 2], [None, 4]), [1, 2, 7, 4], "int64", options=(("null", 7),)
    ),
    sample("nothing but nulls", lambda: pl.Series([None, None]), [7.0, 7.0], "float32", options=(("null", 7),)),
    sample("arrays", lambda: pairs([1, 2], [3, 4]), [[1, 2], [3, 4]], "int64", "readonly"),
    sample("slice of arrays", lambda: pairs([1, 2], [3, 4])[1:], [[3, 4]], "int64", "readonly"),
    sample("arrays with null", lambda: pairs([1, None], [3, 4]), [[1, 7], [3, 4]], "int64", options=(("null", 7),)),
    sample(
        "arrays of arrays",
        lambda: pl.Series([[[1, 2]], [[3, 4]]], dtype=pl.Array(pl.Int64, (1, 2))),
        [[[1, 2]], [[3, 4]]],
        "int64",
        "readonly",
    ),
    sample(
        "arrays of bool", lambda: pl.Series([[True], [False]], dtype=pl.Array(pl.Boolean, 1)), [[True], [False]], "bool"
    ),
    sample("lists of one length", lambda: pl.Series([[1, 2], [3, 4]]), [[1, 2], [3, 4]], "int64", "readonly"),
    sample(
        "lists of lists", lambda: pl.Series([[[1], [2]], [[3], [4]]]), [[[1], [2]], [[3], [4]]], "int64", "readonly"
    ),
    sample("empty lists", lambda: pl.Series([[], []], dtype=pl.List(pl.Int8)), np.empty((2, 0)), "int8", "yes"),
    sample("DataFrame", lambda: pl.DataFrame({"a": [1, 2], "b": [0.5, 4]}), [[1, 0.5], [2, 4]], "float64"),
    sample("frame of one column", lambda: pl.DataFrame({"a": [1, 2]}), [[1], [2]], "int64", "readonly"),
    sample("bool and int", lambda: pl.DataFrame({"a": [1], "b": [True]}), [[1, 1]], "int64"),
    sample(
        "frame with null",
        lambda: pl.DataFrame({"a": [1, 2], "b": [1, None]}),
        [[1, 1], [2, 7]],
        "int64",
        options=(("null", 7),),
    ),
    sample("empty frame", lambda: pl.DataFrame(), np.empty((0, 0)), "float32"),
)


def test_nan_is_a_value_and_not_a_null():
    assert tc.to_torch(pl.Series([1.0, float("nan")])).isnan().tolist() == [False, True]


def test_a_null_names_its_row():
    with pytest.raises(
        tc.errors.LossyConversionError, match=r"Polars Series has 1 null among 4 elements, the first at row \[2\]"
    ):
        tc.to_torch(in_chunks([1, 2], [None, 4]))


def test_a_null_in_a_frame_names_its_row_and_column():
    with pytest.raises(tc.errors.LossyConversionError, match=r"column 'b' of Polars DataFrame has 1 null.*row \[1\]"):
        tc.to_torch(pl.DataFrame({"a": [1, 2], "b": [1, None]}))


def test_a_missing_list_names_its_row_and_cannot_be_filled():
    for source in (pairs([1, 2], None), pl.Series([[1], None])):
        with pytest.raises(tc.errors.LossyConversionError, match=r"1 null among 2 lists, the first at row \[1\]"):
            tc.to_torch(source, null=0)


def test_lists_of_several_lengths_name_the_first_odd_row():
    with pytest.raises(tc.errors.RaggedError, match=r"row \[1\] holds 1 elements, the first row 2"):
        tc.to_torch(pl.Series([[1, 2], [3]]))


def test_a_lost_value_in_a_frame_names_its_column():
    with pytest.raises(tc.errors.LossyConversionError, match=r"300 at \[1\]\[1\] cannot become int8, in column 'b'"):
        tc.to_torch(pl.DataFrame({"a": [1, 2], "b": [1, 300]}), dtype="int8")


def test_a_lost_value_in_a_later_chunk_names_its_row_in_the_whole():
    with pytest.raises(tc.errors.LossyConversionError, match=r"300 at \[2\] cannot become int8"):
        tc.to_torch(in_chunks([1, 2], [300]), dtype="int8")


@pytest.mark.parametrize(
    ("series", "why", "fix"),
    [
        (pl.Series(["a"]), "text has no numeric meaning", "cast(polars.Float64)"),
        (pl.Series([b"a"]), "bytes of any length are no numbers", "decode"),
        (pl.Series(["a"], dtype=pl.Categorical), "only keys of its categories", "to_physical()"),
        (pl.Series(["a"], dtype=pl.Enum(["a"])), "only keys of its categories", "to_physical()"),
        (pl.Series([datetime.date(2020, 1, 1)]), "a count of some unit", "to_physical()"),
        (pl.Series([datetime.datetime(2020, 1, 1)]), "a count of some unit", "to_physical()"),
        (pl.Series([datetime.timedelta(1)]), "a count of some unit", "to_physical()"),
        (pl.Series([datetime.time(1)]), "a count of some unit", "to_physical()"),
        (pl.Series([Decimal("1.5")]), "no binary floating type holds a decimal", "cast(polars.Float64)"),
        (pl.Series([1], dtype=pl.Int128), "no integers of 128 bits", "cast(polars.Int64)"),
        (pl.Series([{"a": 1}]), "this holds records", "struct.unnest()"),
        (pl.Series([object()], dtype=pl.Object), "its elements are Python objects", "to_list()"),
        (pl.Series([["a"]]), "text has no numeric meaning", "cast(polars.Float64)"),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")) or None,
)
def test_columns_without_numbers_are_refused_by_name_with_the_way_out(series, why, fix):
    for source, name in ((series, "Polars Series"), (pl.DataFrame({"y": series}), "column 'y' of Polars DataFrame")):
        with pytest.raises(tc.errors.UnsupportedSourceError, match=name) as caught:
            tc.to_torch(source)
        assert why in caught.value.why
        assert fix in caught.value.fix


def test_a_lazy_frame_is_refused_because_it_has_not_run():
    with pytest.raises(tc.errors.UnsupportedSourceError, match=r"a query that has not run.*collect"):
        tc.to_torch(pl.LazyFrame({"a": [1]}))


def test_a_column_of_lists_has_no_place_in_a_table():
    with pytest.raises(
        tc.errors.UnsupportedSourceError, match=r"column 'b' holds lists of 1 numbers.*convert column 'b' alone"
    ):
        tc.to_torch(pl.DataFrame({"a": [1, 2], "b": [[1], [2]]}))
