"""One object of every kind that the live layer must find the memory of, and the bytes that it must find."""

from __future__ import annotations

import array
import mmap
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import torch


@dataclass(frozen=True)
class Source:
    """*obj* has exactly *nbytes* of elements in *parts* parts; *twin* is another object over the same memory."""

    obj: Any
    nbytes: int
    parts: int = 1
    twin: Any = None


class Interface:
    """Any object with ``__array_interface__``."""

    def __init__(self, owner: np.ndarray) -> None:
        self.owner = owner
        self.__array_interface__ = owner.__array_interface__


class Exporter:
    """Any object with ``__dlpack__`` of the first kind, without version."""

    def __init__(self, owner: torch.Tensor) -> None:
        self.owner = owner

    def __dlpack__(self) -> Any:
        return self.owner.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.owner.__dlpack_device__()


class Wrapper(torch.Tensor):
    """A subclass that keeps its elements in another tensor."""

    inner: torch.Tensor

    @staticmethod
    def __new__(cls, inner: torch.Tensor) -> Wrapper:
        made = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
        made.inner = inner
        return made

    def __tensor_flatten__(self) -> tuple[list[str], None]:
        return ["inner"], None

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise AssertionError(f"{func} must not run")


class Plain(torch.Tensor):
    """A subclass that adds nothing."""


def torch_sources() -> dict[str, Source]:
    x = torch.arange(12.0).reshape(3, 4)
    coo = torch.eye(3).to_sparse()
    borrowed = np.zeros(5, np.float32)
    inner = torch.zeros(6)
    with torch.inference_mode():
        inference = torch.zeros(3)
    return {
        "tensor": Source(x, 48, twin=x.detach()),
        "view of a view": Source(x[1:][:, 2:], 16, twin=x),
        "expanded": Source(torch.zeros(3).expand(4, 3), 48),
        "overlapping": Source(torch.zeros(5).as_strided((3, 3), (1, 1)), 36),
        "0-d": Source(torch.tensor(1.0), 4),
        "parameter": Source(torch.nn.Parameter(torch.zeros(3)), 12),
        "non-leaf": Source(torch.ones(3, requires_grad=True) * 2, 12),
        "conj bit": Source(torch.zeros(2, dtype=torch.complex64).conj(), 16),
        "neg bit": Source(torch.zeros(2, dtype=torch.complex64).conj().imag, 8),
        "bfloat16": Source(torch.zeros(3, dtype=torch.bfloat16), 6),
        "inference": Source(inference, 12),
        "plain subclass": Source(x.as_subclass(Plain), 48, twin=x),
        "wrapper subclass": Source(Wrapper(inner), 24, twin=inner),
        "sparse coo": Source(coo, 48 + 12, 2, twin=coo._values()),
        "from_numpy": Source(torch.from_numpy(borrowed), 20, twin=borrowed),
        "from_dlpack": Source(torch.from_dlpack(borrowed), 20, twin=borrowed),
        "frombuffer": Source(torch.frombuffer(bytearray(8), dtype=torch.uint8), 8),
        "shared between processes": Source(torch.zeros(3).share_memory_(), 12),
        "storage": Source(x.untyped_storage(), 48, twin=x),
    }


def numpy_sources() -> dict[str, Source]:
    x = np.arange(12.0).reshape(3, 4)
    records = np.zeros(3, [("a", "i1"), ("b", "f8")])
    masked = np.ma.array([1, 2, 3], mask=[0, 1, 0])
    fixed = np.zeros(4)
    fixed.flags.writeable = False
    return {
        "array": Source(x, 96, twin=x.T),
        "negative strides": Source(x[::-1, ::-2], 48, twin=x),
        "broadcast": Source(np.broadcast_to(x[0], (3, 4)), 96, twin=x),
        "read-only": Source(fixed, 32),
        "field": Source(records["b"], 24, twin=records),
        "structured": Source(records, 27),
        "masked": Source(masked, 24 + 3, 2, twin=masked.data),
        "masked without mask": Source(np.ma.array([1, 2]), 16),
        "big-endian": Source(np.zeros(3, ">f8"), 24),
        "ml_dtypes": Source(np.zeros(3, ml_dtypes.bfloat16), 6),
        "text": Source(np.array(["ab"]), 8),
        "dates": Source(np.array(["2020-01-01"], "M8[D]"), 8),
        "array interface": Source(Interface(x), 96, twin=x),
        "DLPack": Source(Exporter(torch.zeros(3)), 12),
    }


def python_sources() -> dict[str, Source]:
    block = bytearray(16)
    text = b"0123456789"
    pages = mmap.mmap(-1, 64)
    numbers = array.array("d", [1, 2, 3])
    return {
        "bytes": Source(text, 10, twin=memoryview(text)),
        "bytearray": Source(block, 16, twin=np.frombuffer(block, np.uint8)),
        "memoryview": Source(memoryview(block)[4:8], 4, twin=block),
        "memoryview with a stride": Source(memoryview(block)[::-2], 8, twin=block),
        "array.array": Source(numbers, 24, twin=np.frombuffer(numbers)),
        "mmap": Source(pages, 64, twin=np.frombuffer(pages, np.uint8)),
        "nest": Source({"a": [block, 3], "b": "text"}, 16, twin=block),
    }


def table_sources() -> dict[str, Source]:
    frame = pd.DataFrame({"a": [1.0, 2], "b": [3.0, 4], "c": [1, 2]})
    arrow = pa.array([1.0, 2, 3])
    polars = pl.Series("p", [1.0, 2, 3])
    return {
        "pandas Series": Source(frame["a"], 16, twin=frame["a"].to_numpy()),
        "pandas DataFrame": Source(frame, 48, 3, twin=frame["c"].to_numpy()),
        "pandas Index": Source(pd.Index([1, 2]), 16),
        "pandas nullable": Source(pd.Series([1, None], dtype="Int64"), 16 + 2, 2),
        "pandas Arrow": Source(pd.Series(pd.arrays.ArrowExtensionArray(arrow)), 24, twin=arrow),
        "pandas category": Source(pd.Series(pd.Categorical(["a", "b"])), 2),
        "pandas dates": Source(pd.Series(pd.to_datetime(["2020-01-01"])), 8),
        "pandas intervals": Source(pd.Series(pd.interval_range(0, 3)), 48, 2),
        "pandas sparse": Source(pd.Series(pd.arrays.SparseArray([0, 1, 0])), 8),
        "Arrow array": Source(arrow, 24, twin=arrow.to_numpy()),
        "Arrow slice": Source(arrow[1:], 16, twin=arrow),
        "Arrow with nulls": Source(pa.array([1.0, None]), 16 + 1, 2),
        "Arrow booleans": Source(pa.array([True, False] * 9), 3),
        "Arrow text": Source(pa.array(["a", "bc"]), 12 + 3, 2),
        "Arrow dictionary": Source(pa.array(["a", "b"]).dictionary_encode(), 8 + 12 + 2, 3),
        "Arrow chunks": Source(pa.chunked_array([arrow, [1.0]]), 24 + 8, 2, twin=arrow),
        "Arrow table": Source(pa.table({"a": arrow, "b": [1, 2, 3]}), 48, 2, twin=arrow),
        "Arrow buffer": Source(arrow.buffers()[1], 24, twin=arrow),
        "Polars Series": Source(polars, 24, twin=polars.to_numpy(allow_copy=False)),
        "Polars with nulls": Source(pl.Series([1, None]), 16 + 1, 2),
        "Polars booleans": Source(pl.Series([True, False]), 1),
        "Polars chunks": Source(pl.concat([polars, polars], rechunk=False), 48, 2, twin=polars),
        "Polars DataFrame": Source(pl.DataFrame({"a": polars, "b": [1, 2, 3]}), 48, 2, twin=polars),
    }


def jax_sources() -> dict[str, Source]:
    x = jnp.arange(4.0)
    return {"JAX array": Source(x, 16, twin=np.asarray(x))}


SOURCES = {**torch_sources(), **numpy_sources(), **python_sources(), **table_sources(), **jax_sources()}
