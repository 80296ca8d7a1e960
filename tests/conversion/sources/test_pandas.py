from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch

import tensorcopy as tc
from tests.conversion.sources.samples import Sample

COPY_ON_WRITE = int(pd.__version__.partition(".")[0]) >= 3
PLAIN = "readonly" if COPY_ON_WRITE else "yes"


def sample(name, build, expected, dtype, shares="no", **more):
    return Sample(name=name, build=build, expected=expected, dtype=dtype, shares=shares, **more)


def two_blocks_of_one_type():
    frame = pd.DataFrame({"a": [1.0, 2.0]})
    frame["b"] = [3.0, 4.0]
    return frame


def shuffled_blocks():
    return pd.DataFrame({"a": [1.0], "b": [1], "c": [2.0], "d": [3.0]})[["d", "b", "a", "c"]]


SAMPLES = (
    sample("float Series", lambda: pd.Series([0.5, 2]), [0.5, 2], "float64", PLAIN),
    sample("int Series", lambda: pd.Series([1, 2]), [1, 2], "int64", PLAIN),
    sample("bool Series", lambda: pd.Series([True, False]), [True, False], "bool", PLAIN),
    sample("float32 Series", lambda: pd.Series([0.5], dtype="float32"), [0.5], "float32", PLAIN),
    sample("complex Series", lambda: pd.Series([1 + 2j]), [1 + 2j], "complex128", PLAIN),
    sample("Series with labels 1 to 3", lambda: pd.Series([1, 2, 3], [1, 2, 3]), [1, 2, 3], "int64", PLAIN),
    sample("Series with its labels reversed", lambda: pd.Series([1, 2, 3], [2, 1, 0]), [1, 2, 3], "int64", PLAIN),
    sample("Series with text labels", lambda: pd.Series([1, 2], ["x", "y"]), [1, 2], "int64", PLAIN),
    sample("filtered Series", lambda: (s := pd.Series([1, 2, 3, 4]))[s > 2], [3, 4], "int64", PLAIN),
    sample("reversed Series", lambda: pd.Series([1, 2])[::-1], [2, 1], "int64"),
    sample("empty Series", lambda: pd.Series([], dtype="int64"), [], "int64", "yes"),
    sample("nullable Int64", lambda: pd.Series([1, 2], dtype="Int64"), [1, 2], "int64", "readonly"),
    sample("nullable boolean", lambda: pd.Series([True, False], dtype="boolean"), [True, False], "bool", "readonly"),
    sample("Int64 with NA", lambda: pd.Series([1, None], dtype="Int64"), [1, 7], "int64", options=(("null", 7),)),
    sample(
        "Float64 with NA", lambda: pd.Series([0.5, None], dtype="Float64"), [0.5, 7], "float64", options=(("null", 7),)
    ),
    sample(
        "boolean with NA",
        lambda: pd.Series([None, True], dtype="boolean"),
        [False, True],
        "bool",
        options=(("null", False),),
    ),
    sample("Arrow int64", lambda: pd.Series([1, 2], dtype="int64[pyarrow]"), [1, 2], "int64", "readonly"),
    sample("Arrow bool", lambda: pd.Series([True, False], dtype="bool[pyarrow]"), [True, False], "bool"),
    sample(
        "Arrow double with null",
        lambda: pd.Series([0.5, None], dtype="double[pyarrow]"),
        [0.5, 7],
        "float64",
        options=(("null", 7),),
    ),
    sample("Sparse", lambda: pd.Series(pd.arrays.SparseArray([0, 0, 1.5], fill_value=0.0)), [0, 0, 1.5], "float64"),
    sample(
        "Sparse without gaps", lambda: pd.Series(pd.arrays.SparseArray([0, 0, 1.5])), [0, 0, 1.5], "float64", "readonly"
    ),
    sample("objects", lambda: pd.Series([1, 0.5], dtype=object), [1, 0.5], "float32", numpy_dtype="float64"),
    sample("objects with None", lambda: pd.Series([1, None], dtype=object), [1, 2], "int64", options=(("null", 2),)),
    sample("arrays in a Series", lambda: pd.Series([np.arange(2), np.arange(2)]), [[0, 1], [0, 1]], "int64"),
    sample("Index", lambda: pd.Index([1, 2]), [1, 2], "int64", "readonly"),
    sample("RangeIndex", lambda: pd.RangeIndex(3), [0, 1, 2], "int64", "readonly"),
    sample("IntegerArray", lambda: pd.array([1, 2]), [1, 2], "int64", "readonly"),
    sample("NumpyExtensionArray", lambda: pd.array([1, 2], dtype="int64").copy(), [1, 2], "int64", "readonly"),
    sample("DataFrame", lambda: pd.DataFrame({"a": [1, 2], "b": [3, 4]}), [[1, 3], [2, 4]], "int64", PLAIN),
    sample("DataFrame with numbered columns", lambda: pd.DataFrame([[1, 2], [3, 4]]), [[1, 2], [3, 4]], "int64", PLAIN),
    sample("two blocks of one type", two_blocks_of_one_type, [[1, 3], [2, 4]], "float64"),
    sample("int and float", lambda: pd.DataFrame({"a": [1, 2], "b": [0.5, 4]}), [[1, 0.5], [2, 4]], "float64"),
    sample("bool and int", lambda: pd.DataFrame({"a": [1, 2], "b": [True, False]}), [[1, 1], [2, 0]], "int64"),
    sample(
        "int8 and uint8",
        lambda: pd.DataFrame({"a": np.array([1], "int8"), "b": np.array([2], "uint8")}),
        [[1, 2]],
        "int16",
    ),
    sample("shuffled blocks", shuffled_blocks, [[3, 1, 1, 2]], "float64"),
    sample(
        "columns of several levels",
        lambda: pd.DataFrame([[1, 0.5]], columns=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])),
        [[1, 0.5]],
        "float64",
    ),
    sample(
        "nullable beside plain",
        lambda: pd.DataFrame({"a": [0.5, 2], "b": pd.array([1, None])}),
        [[0.5, 1], [2, 7]],
        "float64",
        options=(("null", 7),),
    ),
    sample(
        "objects beside numbers",
        lambda: pd.DataFrame({"a": pd.Series([1, None], dtype=object), "b": [3, 4]}),
        [[1, 3], [7, 4]],
        "int64",
        options=(("null", 7),),
    ),
    sample("no rows", lambda: pd.DataFrame({"a": [], "b": []}, dtype="float64"), np.empty((0, 2)), "float64", "yes"),
    sample("no columns", lambda: pd.DataFrame(index=[1, 2]), np.empty((2, 0)), "float32"),
)


def test_nan_is_a_value_and_not_a_null():
    result = tc.to_torch(pd.Series([1.0, np.nan]))
    assert result.isnan().tolist() == [False, True]


def test_a_null_names_its_row():
    with pytest.raises(
        tc.errors.LossyConversionError, match=r"pandas Series has 2 nulls among 3 elements.*row \[1\].*null=0"
    ):
        tc.to_torch(pd.Series([1, None, None], dtype="Int64"))


def test_a_null_in_a_frame_names_its_row_and_column():
    frame = pd.DataFrame({"a": [1, 2], "b": pd.array([1, None])})
    with pytest.raises(tc.errors.LossyConversionError, match=r"column 'b' of pandas DataFrame has 1 null.*row \[1\]"):
        tc.to_torch(frame)


def test_nan_can_stand_in_only_where_the_dtype_has_one():
    column = pd.Series([1, None], dtype="Int64")
    with pytest.raises(
        tc.errors.LossyConversionError, match=r"null=nan cannot stand in for a missing int64.*'float64'"
    ):
        tc.to_torch(column, null=float("nan"))
    assert tc.to_torch(column, null=float("nan"), dtype="float32").isnan().tolist() == [False, True]


def test_what_lies_under_a_null_is_not_checked():
    column = pd.Series(pd.arrays.IntegerArray(np.array([1, 2**60 + 1]), np.array([False, True])))
    assert tc.to_torch(column, dtype="float32", null=0).tolist() == [1.0, 0.0]


def test_a_whole_number_that_the_common_dtype_rounds_is_refused_with_its_column():
    frame = pd.DataFrame({"a": [0.5, 2], "b": [4, 2**53 + 1]})
    with pytest.raises(tc.errors.LossyConversionError, match=r"9007199254740993 at \[1\]\[1\].*in column 'b'"):
        tc.to_torch(frame)


@pytest.mark.parametrize("rest", [{}, {"c": [0.5, 1]}], ids=["one block", "two blocks"])
@pytest.mark.parametrize("convert", [tc.to_torch, tc.to_numpy])
def test_a_lost_value_names_its_column(rest, convert):
    frame = pd.DataFrame({"a": [1, 2], "b": [1, 300], **rest})[["a", "b", *rest]]
    match = r"300 at \[1\]\[1\] cannot become uint8, in column 'b'" if not rest else "in column '[bc]'"
    with pytest.raises(tc.errors.LossyConversionError, match=match):
        convert(frame, dtype="uint8")


@pytest.mark.parametrize(
    ("values", "why", "fix"),
    [
        (["a"], "text has no numeric meaning", "pandas.to_numeric"),
        (pd.Categorical(["a"]), "only keys of its categories", ".cat.codes"),
        (pd.to_datetime(["2020"]), "a date is a count of some unit", ".astype('int64')"),
        (pd.to_datetime(["2020"]).tz_localize("UTC"), "a date is a count of some unit", ".astype('int64')"),
        (pd.to_timedelta(["1s"]), "a duration is a count of some unit", ".dt.total_seconds()"),
        (pd.period_range("2020", periods=1, freq="D"), "a period is a count", ".astype('int64')"),
        (pd.interval_range(0, 1), "an interval is two numbers", ".array.left"),
        (np.array([1], np.longdouble), "extended precision", ".astype('float64')"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_columns_without_numbers_are_refused_by_name_with_the_way_out(values, why, fix):
    for source, name in (
        (pd.Series(values), "pandas Series"),
        (pd.DataFrame({"x": [1], "y": values}), "column 'y' of"),
    ):
        with pytest.raises(tc.errors.UnsupportedSourceError, match=name) as caught:
            tc.to_torch(source)
        assert why in caught.value.why
        assert fix in caught.value.fix


def test_the_ways_out_lead_out():
    assert tc.to_torch(pd.Series(pd.Categorical(["b", "a"])).cat.codes).tolist() == [1, 0]
    assert tc.to_torch(pd.Series(pd.to_datetime(["1970-01-02"])).astype("int64")).item() > 0
    assert tc.to_torch(pd.MultiIndex.from_tuples([(1, 2), (3, 4)]).get_level_values(0)).tolist() == [1, 3]


def test_text_among_objects_names_value_and_place():
    with pytest.raises(tc.errors.UnsupportedSourceError, match=r"str 'x' at \[1\]"):
        tc.to_torch(pd.Series([1, "x"], dtype=object))


def test_an_index_of_several_levels_is_refused():
    with pytest.raises(tc.errors.UnsupportedSourceError, match=r"its elements are tuples.*get_level_values"):
        tc.to_torch(pd.MultiIndex.from_tuples([(1, 2)]))


@pytest.mark.skipif(not COPY_ON_WRITE, reason="pandas 3 made copy-on-write the rule")
def test_writing_a_result_never_changes_a_series_or_a_frame():
    series, frame = pd.Series([1.0, 2.0]), pd.DataFrame({"a": [1.0, 2.0]})
    for source in (series, frame):
        tc.to_torch(source).fill_(9)
        tc.to_numpy(source)[...] = 9
    assert series.tolist() == [1.0, 2.0]
    assert frame["a"].tolist() == [1.0, 2.0]


def test_a_list_of_series_is_stacked():
    assert tc.to_torch([pd.Series([1, 2], [5, 6]), pd.Series([3, 4])]).tolist() == [[1, 2], [3, 4]]


def test_columns_of_a_table_stay_in_one_run_unless_rows_are_asked_for():
    frame = pd.DataFrame({"a": [1, 2], "b": [0.5, 4]})
    assert tc.to_torch(frame).t().is_contiguous()
    assert tc.to_torch(frame, memory_format=torch.contiguous_format).is_contiguous()


def test_without_the_blocks_of_pandas_each_column_goes_its_own_way(monkeypatch):
    frame = pd.DataFrame({"a": [1, 2], "b": [0.5, 4], "c": pd.array([1, None])})
    monkeypatch.setattr("tensorcopy.conversion.sources.pandas._private_blocks", lambda frame: None)
    assert tc.to_torch(frame, null=7).tolist() == [[1, 0.5, 1], [2, 4, 7]]
