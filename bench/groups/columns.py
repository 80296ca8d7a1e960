"""Columns and tables of pandas, Arrow and Polars, and Pillow images."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import torch
from PIL import Image

import tensorcopy as tc
from bench.measure import Cell

N = 100_000


def _own(x: Any) -> torch.Tensor:
    return tc.to_torch(x, copy=True)


def _filled(x: Any) -> torch.Tensor:
    return tc.to_torch(x, null=float("nan"))


def _cell(name: str, make: Callable[[], Any], **candidates: Any) -> Cell:
    naive, *_ = candidates
    ways = {**candidates, "tensorcopy": candidates.get("tensorcopy", _own)}
    return Cell(name=name, make=make, candidates=ways, naive=naive, modes=("drop",))


def _frame() -> pd.DataFrame:
    return pd.DataFrame(np.arange(200_000.0).reshape(20_000, 10), columns=[f"c{i}" for i in range(10)])


def _table() -> pa.Table:
    return pa.table({f"c{i}": np.arange(20_000.0) + i for i in range(10)})


def _image(height: int, width: int) -> Image.Image:
    return Image.fromarray((np.arange(height * width * 3) % 251).astype("uint8").reshape(height, width, 3))


CELLS = [
    _cell(
        "pandas Series float64 100000",
        lambda: pd.Series(np.arange(N, dtype="float64")),
        **{
            "torch.tensor": torch.tensor,
            "to_numpy(copy)": lambda s: torch.from_numpy(s.to_numpy(copy=True)),
        },
    ),
    _cell(
        "pandas Series Float64 100000 with nulls -> nan",
        lambda: pd.Series(np.arange(N, dtype="float64")).where(np.arange(N) % 9 > 0).astype("Float64"),
        **{
            "torch.tensor": lambda s: torch.tensor(s.to_numpy("float64", na_value=np.nan)),
            "to_numpy(copy)": lambda s: torch.from_numpy(s.to_numpy("float64", na_value=np.nan, copy=True)),
            "tensorcopy": _filled,
        },
    ),
    _cell(
        "pandas DataFrame mixed 20000x5 -> float32",
        lambda: pd.DataFrame({f"c{i}": np.arange(20_000).astype(k) for i, k in enumerate("fdilf")}),
        **{
            "torch.tensor": lambda d: torch.tensor(d.values.astype("f4")),
            "to_numpy(f4)": lambda d: torch.tensor(d.to_numpy("f4")),
            "tensorcopy": lambda d: tc.to_torch(d, dtype="float32"),
        },
    ),
    _cell(
        "pandas DataFrame float64 20000x10",
        _frame,
        **{
            "torch.tensor": lambda d: torch.tensor(d.values),
            "to_numpy(copy)": lambda d: torch.from_numpy(d.to_numpy(copy=True)),
        },
    ),
    _cell(
        "Arrow Array float64 100000",
        lambda: pa.array(np.arange(N, dtype="float64")),
        **{
            "torch.tensor": torch.tensor,
            "to_numpy().copy()": lambda a: torch.from_numpy(a.to_numpy().copy()),
        },
    ),
    _cell(
        "Arrow Array float64 100000 with nulls -> nan",
        lambda: pa.array(np.arange(N, dtype="float64"), mask=np.arange(N) % 9 == 0),
        **{
            "torch.tensor": lambda a: torch.tensor(a.to_numpy(zero_copy_only=False)),
            "to_numpy": lambda a: torch.from_numpy(a.to_numpy(zero_copy_only=False)),
            "tensorcopy": _filled,
        },
    ),
    _cell(
        "Arrow ChunkedArray float64 100000, 2 chunks",
        lambda: pa.chunked_array([np.arange(N / 2), np.arange(N / 2)]),
        to_numpy=lambda a: torch.tensor(a.to_numpy()),
        concatenate=lambda a: torch.from_numpy(np.concatenate([chunk.to_numpy() for chunk in a.chunks])),
    ),
    _cell(
        "Arrow Table float64 20000x10",
        _table,
        **{
            "to_pandas": lambda t: torch.tensor(t.to_pandas().values),
            "np.stack": lambda t: torch.from_numpy(np.stack([c.to_numpy() for c in t.columns], axis=1)),
        },
    ),
    _cell(
        "Polars Series float64 100000",
        lambda: pl.Series(np.arange(N, dtype="float64")),
        **{
            "torch.tensor": torch.tensor,
            "to_numpy().copy()": lambda s: torch.from_numpy(s.to_numpy().copy()),
        },
    ),
    _cell(
        "Polars DataFrame float64 20000x10",
        lambda: pl.DataFrame({f"c{i}": np.arange(20_000.0) + i for i in range(10)}),
        **{
            "to_torch": lambda d: d.to_torch(),
            "torch.tensor(to_numpy)": lambda d: torch.tensor(d.to_numpy()),
            "to_numpy(order=c)": lambda d: torch.from_numpy(d.to_numpy(order="c")),
        },
    ),
    _cell(
        "Pillow image 224x224",
        lambda: _image(224, 224),
        **{
            "torch.tensor": lambda i: torch.tensor(np.array(i)),
            "tobytes": lambda i: torch.frombuffer(bytearray(i.tobytes()), dtype=torch.uint8).view(i.height, i.width, 3),
            "tensorcopy": tc.to_torch,
        },
    ),
    _cell(
        "Pillow image 1080x1920",
        lambda: _image(1080, 1920),
        **{
            "torch.tensor": lambda i: torch.tensor(np.array(i)),
            "tobytes": lambda i: torch.frombuffer(bytearray(i.tobytes()), dtype=torch.uint8).view(i.height, i.width, 3),
            "tensorcopy": tc.to_torch,
        },
    ),
]
