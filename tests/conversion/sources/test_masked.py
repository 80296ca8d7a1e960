from __future__ import annotations

import numpy as np
import pytest
import torch

import tensorcopy as tc
from tests.conversion.sources.samples import Sample


def hidden(mask, dtype="float32"):
    return np.ma.array([1, 999, 3], mask=mask, dtype=dtype)


SAMPLES = (
    Sample(
        name="nothing masked", build=lambda: np.ma.array([1, 2, 3]), expected=[1, 2, 3], dtype="int64", shares="yes"
    ),
    Sample(
        name="one masked",
        build=lambda: hidden([0, 1, 0]),
        expected=[1.0, 2.0, 3.0],
        dtype="float32",
        options=(("null", 2),),
    ),
    Sample(
        name="all of a matrix masked",
        build=lambda: np.ma.masked_all((2, 2), "int16"),
        expected=[[5, 5], [5, 5]],
        dtype="int16",
        options=(("null", 5),),
    ),
    Sample(name="masked constant", build=lambda: np.ma.masked, expected=4.0, dtype="float64", options=(("null", 4),)),
)


@pytest.mark.parametrize("convert", [tc.to_torch, tc.to_numpy])
def test_a_hidden_value_never_shows(convert):
    with pytest.raises(tc.errors.LossyConversionError, match=r"1 masked of 3 elements, the first at \[1\].*null="):
        convert(hidden([0, 1, 0]))


def test_the_masked_constant_is_refused_and_not_zero():
    with pytest.raises(tc.errors.LossyConversionError, match="1 masked of 1 elements, the first at its only element"):
        tc.to_torch(np.ma.masked)


def test_what_lies_under_the_mask_is_not_checked():
    assert tc.to_torch(hidden([0, 1, 0], "int64"), dtype="uint8", null=7).tolist() == [1, 7, 3]


def test_a_stand_in_that_does_not_fit_is_refused():
    with pytest.raises(
        tc.errors.LossyConversionError, match=r"null=nan cannot stand in for a missing int64.*dtype='float64'"
    ):
        tc.to_torch(hidden([0, 1, 0], "int64"), null=float("nan"))
    assert tc.to_torch(hidden([0, 1, 0], "int64"), null=float("nan"), dtype="float64").isnan().tolist() == [
        False,
        True,
        False,
    ]


def test_a_stand_in_has_to_be_a_number():
    with pytest.raises(tc.errors.BadArgumentError, match="null='x' is no number"):
        tc.to_torch(hidden([0, 1, 0]), null="x")


def test_masked_objects_are_read_with_the_stand_in():
    array = np.ma.array([1, None, 3], mask=[0, 1, 0], dtype=object)
    assert tc.to_torch(array, null=2).tolist() == [1, 2, 3]


def test_masked_records_are_refused_as_records():
    with pytest.raises(tc.errors.UnsupportedSourceError, match="holds records"):
        tc.to_torch(np.ma.array([(1, 2)], dtype=[("a", "i4"), ("b", "i4")]))


@pytest.mark.parametrize("dtype", ["float8_e5m2", "float8_e4m3fn", "bfloat16", "float32", "int8"])
def test_null_stands_in_for_masked_elements_of_every_type(dtype):
    filled = tc.to_torch(hidden([0, 1, 0]), null=2, dtype=dtype)
    assert filled.float().tolist() == [1.0, 2.0, 3.0]


def test_null_is_written_on_the_cpu_whatever_the_default_device():
    with torch.device("meta"):
        assert tc.to_torch(hidden([0, 1, 0]), null=2).tolist() == [1.0, 2.0, 3.0]
