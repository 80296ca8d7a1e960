from __future__ import annotations

from enum import IntEnum

import ml_dtypes
import numpy as np
import pytest

import tensorcopy as tc
from tests.conversion.sources.samples import Sample


class Level(IntEnum):
    LOW = 3


def sample(name, value, dtype, **more):
    return Sample(name=name, build=lambda: value, expected=value, dtype=dtype, **more)


SAMPLES = (
    sample("int", 5, "int64"),
    sample("float", 0.5, "float32", numpy_dtype="float64"),
    sample("bool", True, "bool"),
    sample("complex", 1 + 2j, "complex64", numpy_dtype="complex128"),
    sample("IntEnum", Level.LOW, "int64"),
    Sample(name="NumPy float64", build=lambda: np.float64(0.5), expected=0.5, dtype="float64"),
    Sample(name="NumPy uint64", build=lambda: np.uint64(5), expected=5, dtype="uint64"),
    Sample(name="NumPy bool", build=lambda: np.bool_(True), expected=True, dtype="bool"),
    Sample(name="bfloat16", build=lambda: ml_dtypes.bfloat16(1.5), expected=1.5, dtype="bfloat16"),
)


def test_a_python_float_that_the_default_dtype_cannot_hold_is_refused():
    with pytest.raises(tc.errors.LossyConversionError, match=r"1e\+300.*float64"):
        tc.to_torch(1e300)
    assert tc.to_torch(1e300, dtype="float64").item() == 1e300


@pytest.mark.parametrize("text", ["5", "", np.str_("5")])
def test_text_is_refused_even_where_it_spells_a_number(text):
    with pytest.raises(tc.errors.UnsupportedSourceError, match="text has no numeric meaning"):
        tc.to_torch(text)
