"""Sources that need no plan give what their plan gives, and everything unusual about them goes to the plan."""

from __future__ import annotations

import array
import datetime
import decimal
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from torch.func import grad
from torch.fx.experimental.proxy_tensor import make_fx

import tensorcopy as tc
from tensorcopy.conversion import at_once
from tensorcopy.errors import TensorcopyError

NAN = float("nan")
SOURCES = {
    "array": np.arange(6.0).reshape(2, 3),
    "array, 0-d": np.array(1.5),
    "array, empty": np.zeros((0, 3), "int16"),
    "array, transposed": np.arange(6.0).reshape(2, 3).T,
    "array, reversed": np.arange(5)[::-1],
    "array, big-endian": np.arange(5, dtype=">i4"),
    "array of bool": np.array([True, False]),
    "array of uint16": np.array([1, 65535], "uint16"),
    "array of complex": np.array([1 + 2j]),
    "array of records": np.zeros(2, [("a", "f4")]),
    "array of text": np.array(["a"]),
    "bytes": b"\x00\xff\x07",
    "bytes, none": b"",
    "bytearray": bytearray(b"\x01\x02"),
    "memoryview": memoryview(b"\x01\x02"),
    "memoryview, 2-d": memoryview(bytes(range(6))).cast("B", [2, 3]),
    "memoryview, of every second byte": memoryview(bytes(range(6)))[::2],
    "memoryview, reversed": memoryview(bytes(range(6)))[::-1],
    "memoryview of characters": memoryview(b"ab").cast("c"),
    "memoryview of bool": memoryview(b"\x00\x01").cast("?"),
    "memoryview of records": memoryview(np.zeros(2, [("a", "f4"), ("b", "i2")])),
    **{f"array('{form}')": array.array(form, [1, 2]) for form in "bBhHiIlLqQfd"},
    "array of characters": array.array("w" if sys.version_info >= (3, 13) else "u", "ab"),
    "range": range(3, 30, 4),
    "range, none": range(0),
    "range, downwards": range(10, -10, -3),
    "range, far": range(2**62, 2**62 + 3),
    "range, beyond": range(2**64, 2**64 + 2),
    "pandas": pd.Series([1.5, NAN, 2.5]),
    "pandas int": pd.Series([1, 2], dtype="int16"),
    "pandas Int64": pd.Series([1, 2], dtype="Int64"),
    "pandas Int64, missing": pd.Series([1, None], dtype="Int64"),
    "pandas Arrow, missing": pd.Series([1, None], dtype="int64[pyarrow]"),
    "pandas category": pd.Series(["a", "b"], dtype="category"),
    "pandas dates": pd.Series(pd.date_range("2020", periods=2)),
    "pandas objects": pd.Series([1, 2.5], dtype=object),
    "pandas text": pd.Series(["1", "2"]),
    "pandas sparse": pd.Series(pd.arrays.SparseArray([0.0, 1.0])),
    "pandas index": pd.Index([1, 2]),
    "Polars": pl.Series([1.5, NAN]),
    "Polars, missing": pl.Series([1, None]),
    "Polars bool": pl.Series([True, False]),
    "Polars decimal": pl.Series([decimal.Decimal("1.5")]),
    "Polars dates": pl.Series([datetime.date(2020, 1, 1)]),
    "Polars text": pl.Series(["a"]),
    "Polars, 2 chunks": pl.concat([pl.Series([1, 2]), pl.Series([3])], rechunk=False),
    "Polars slice": pl.Series(range(10)).slice(3, 4),
    "Arrow": pa.array([1.5, 2.5]),
    "Arrow slice": pa.array(range(10)).slice(3, 4),
    "Arrow, missing": pa.array([1, None]),
    "Arrow bool": pa.array([True, False]),
    "Arrow dates": pa.array([datetime.date(2020, 1, 1)]),
    "Arrow half": pa.array(np.arange(3, dtype="float16")),
    "Arrow, none": pa.array([], pa.int32()),
    "Arrow, 2 chunks": pa.chunked_array([[1, 2], [3]]),
}


def outcome(source: object, copy: bool | None) -> tuple[object, ...]:
    """What comes of it: dtype, shape and values, or the error in words."""
    try:
        result = tc.to_torch(source, copy=copy)
    except TensorcopyError as error:
        return type(error), str(error)
    return result.dtype, result.shape, str(result.tolist()), result.requires_grad


@pytest.mark.parametrize("copy", [None, True, False])
@pytest.mark.parametrize("name", SOURCES)
def test_a_source_gives_the_same_with_its_way_and_without(name: str, copy: bool | None, monkeypatch) -> None:
    source = SOURCES[name]
    outcome(source, copy)  # from now on its class has a way, if there is one
    found = outcome(source, copy)
    monkeypatch.setattr(at_once, "WAYS", {})
    assert found == outcome(source, copy)


@pytest.mark.parametrize(
    "name", ["array", "bytes", "bytearray", "memoryview", "array('d')", "pandas", "Polars", "Arrow"]
)
def test_a_copy_owns_memory_that_can_grow_and_be_moved(name: str) -> None:
    source = SOURCES[name]
    for result in (tc.to_torch(source, copy=True), tc.to_torch(source, copy=True)):
        assert result.data_ptr() % 64 == 0
        before = result.tolist()
        result.resize_(1000).fill_(1)
        result.share_memory_()
        assert str(tc.to_torch(source, copy=True).tolist()) == str(before)


def test_a_released_memoryview_is_refused_with_reasons() -> None:
    tc.to_torch(memoryview(b"ab"), copy=True)
    view = memoryview(b"ab")
    view.release()
    with pytest.raises(TensorcopyError, match="memory was released"):
        tc.to_torch(view, copy=True)


def test_nothing_is_copied_behind_the_back_of_a_recording() -> None:
    held = np.ones(3)
    tc.to_torch(held, copy=True)
    recorded = make_fx(lambda x: x + tc.to_torch(held, copy=True) + tc.to_torch(range(3), copy=True))(torch.zeros(3))
    held[:] = 5
    assert recorded(torch.zeros(3)).tolist() == [1.0, 2.0, 3.0]


def test_under_a_fake_mode_a_copy_is_fake_too() -> None:
    from torch._subclasses import FakeTensor, FakeTensorMode

    held = np.ones(3)
    tc.to_torch(held, copy=True)
    with FakeTensorMode():
        assert isinstance(tc.to_torch(held, copy=True), FakeTensor)


def test_a_copy_of_an_outer_tensor_cuts_its_graph_within_an_inner_transform() -> None:
    def outer(a: torch.Tensor) -> torch.Tensor:
        return grad(lambda b: (b * b * tc.copy(a * 2)).sum())(torch.ones(2)).sum()

    assert grad(outer)(torch.tensor([1.0, 2.0])).tolist() == [0.0, 0.0]
