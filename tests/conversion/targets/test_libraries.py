"""What is particular to one target."""

from __future__ import annotations

import sys
from types import ModuleType

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch

import tensorcopy as tc


def test_jax_gets_its_own_width_of_numbers_checked():
    assert tc.convert(np.array([0.1, 2]), "jax").dtype == "float32"
    assert tc.convert([1, 2], "jax").dtype == "int32"
    assert tc.plan(np.arange(3), to="jax").dtype == "int32"
    for large in (np.array([1, 2**40]), [1, 2**40]):
        with pytest.raises(tc.errors.LossyConversionError, match=r"1099511627776 at \[1\] cannot become int32"):
            tc.convert(large, "jax")
    with pytest.raises(tc.errors.LossyConversionError, match=r"1e\+300.*cannot become float32"):
        tc.convert(np.array([1e300]), "jax")


def test_jax_with_64_bits_keeps_them():
    with jax.enable_x64(True):
        assert tc.convert(np.array([2**40]), "jax").tolist() == [2**40]
        assert tc.convert(np.array([0.1]), "jax").dtype == "float64"
        assert tc.convert([1.5], "jax", dtype="float64").dtype == "float64"


def test_a_width_that_jax_would_halve_in_silence_is_refused():
    with pytest.raises(tc.errors.UnsupportedDtypeError, match=r"JAX makes no float64.*jax_enable_x64"):
        tc.convert([1.5], "jax", dtype="float64")


def test_jax_shares_only_what_lies_right_in_memory():
    whole = torch.arange(32, dtype=torch.float32)
    with pytest.raises(tc.errors.CannotShareError, match="a multiple of 64 bytes"):
        tc.share(whole[1:17], "jax")
    with pytest.raises(tc.errors.CannotShareError, match="row by row"):
        tc.share(whole.view(4, 8).t(), "jax")
    with pytest.raises(tc.errors.CannotShareError, match="a change from float64 to float32"):
        tc.share(np.zeros(16), "jax")
    assert tc.convert(whole[1:17], "jax").tolist() == list(range(1, 17))


def test_jax_takes_bfloat16_and_bools():
    assert tc.convert(torch.tensor([1.5]).bfloat16(), "jax").dtype == jnp.bfloat16
    assert tc.convert([True, False], "jax").tolist() == [True, False]


def test_arrow_nests_further_dimensions_as_fixed_size_lists():
    result = tc.convert(np.arange(12, dtype="int16").reshape(2, 3, 2), "arrow")
    assert str(result.type) == "fixed_size_list<item: fixed_size_list<item: int16>[2]>[3]"
    result.validate(full=True)
    assert tc.convert(2.5, "arrow") == pa.scalar(2.5)
    assert tc.convert([True, False], "arrow") == pa.array([True, False])


def test_arrow_shares_rows_that_lie_in_one_run():
    source = np.arange(6.0).reshape(2, 3)
    result = tc.share(source, "arrow")
    assert result.flatten().buffers()[1].address == source.ctypes.data
    with pytest.raises(tc.errors.CannotShareError, match="one run, row by row"):
        tc.share(source.T, "arrow")
    with pytest.raises(tc.errors.CannotShareError, match="packs booleans into bits"):
        tc.share(np.array([True]), "arrow")


def test_arrow_keeps_the_shared_memory_alive():
    result = tc.share(np.arange(1000.0), "arrow")
    others = [np.full(1000, -1.0) for _ in range(20)]
    assert result.to_pylist() == list(map(float, range(1000)))
    del others


def test_arrow_with_nulls_stays_as_it_is_unless_more_is_asked():
    column = pa.array([1, None])
    assert tc.convert(column, "arrow") is column
    assert tc.convert(column, "arrow", null=7) == pa.array([1, 7])


def test_polars_keeps_further_dimensions_as_arrays():
    result = tc.convert(torch.arange(6).reshape(2, 3), "polars")
    assert result.dtype == pl.Array(pl.Int64, 3)
    assert tc.share(np.arange(3.0), "polars").to_list() == [0.0, 1.0, 2.0]


def test_pandas_keeps_a_series_with_its_index():
    series = pd.Series([1, 2], ["a", "b"])
    assert tc.convert(series, "pandas") is series
    assert tc.convert(np.arange(6).reshape(2, 3), "pandas").shape == (2, 3)
    with pytest.raises(tc.errors.BadArgumentError, match=r"shape \(1, 2, 3\).*reshape it first"):
        tc.convert(np.zeros((1, 2, 3)), "pandas")


def test_a_series_over_shared_memory_shows_what_is_written():
    source = torch.zeros(3)
    series = tc.share(source, "pandas")
    source.fill_(9)
    assert series.tolist() == [9.0, 9.0, 9.0]


def test_cupy_is_asked_for_only_when_needed_and_its_absence_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(tc.errors.MissingLibraryError, match="pip install cupy"):
        tc.convert([1], "cupy")


@pytest.fixture
def stand_in_for_cupy(monkeypatch):
    """A module named ``cupy`` with the two functions that this project calls: no CuPy, and nothing proved about it."""

    class ndarray:
        def __init__(self, values):
            self.values, self.shape, self.dtype = values, values.shape, values.dtype

    module = ModuleType("cupy")
    module.ndarray = ndarray
    module.asarray = lambda values: ndarray(np.array(values))
    module.from_dlpack = lambda values: ndarray(values)
    monkeypatch.setitem(sys.modules, "cupy", module)
    return module


def test_data_on_the_cpu_is_copied_to_cupy(stand_in_for_cupy):
    source = np.arange(3)
    result = tc.convert(source, "cupy", dtype="int8")
    assert (result.values.tolist(), result.dtype) == ([0, 1, 2], "int8")
    plan = tc.plan(source, to="cupy")
    assert (plan.shares, plan.device, plan.why) == (False, "cuda", "the data must move to the GPU")
    assert tc.convert(result, "cupy") is result
    with pytest.raises(tc.errors.WrongDeviceError, match="the data must move to the GPU"):
        tc.share(source, "cupy")
    with pytest.raises(tc.errors.GraphError, match="detach=True"):
        tc.convert(torch.ones(1, requires_grad=True), "cupy")
