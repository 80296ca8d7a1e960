"""Copies that also convert or lay out anew: 64 MB results (4096 x 4096 float32) and what leads to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

import tensorcopy as tc
from bench import by_hand
from bench.measure import Cell

SIDE = 4096


def _numbers(dtype: str) -> np.ndarray:
    return (np.arange(SIDE * SIDE) % 97 % (2 if dtype == "bool" else 97)).astype(dtype).reshape(SIDE, SIDE)


def _cell(name: str, make: Callable[[], Any], naive: str, nbytes: int, **candidates: Any) -> Cell:
    return Cell(
        name=name,
        make=make,
        candidates=candidates,
        naive=naive,
        modes=("fresh", "drop"),
        calls=4,
        nbytes=nbytes,
    )


def _tensor(dtype: str) -> torch.Tensor:
    return torch.from_numpy(_numbers(dtype))


def _layouts() -> list[Cell]:
    plain = torch.contiguous_format
    images = (64, 64, 64, 64)
    return [
        *(_transposed(dtype) for dtype in ("float32", "uint8", "float64")),
        _cell(
            "slice [:, ::2] float32",
            lambda: torch.from_numpy(np.resize(_numbers("float32"), (SIDE, 2 * SIDE)))[:, ::2],
            "clone",
            64 << 20,
            clone=lambda x: x.clone(),
            numpy=lambda x: torch.from_numpy(np.ascontiguousarray(x.numpy())),
            advised=by_hand.advised_copy,
            tensorcopy=tc.copy,
        ),
        _cell(
            "slice [::2, :] float32",
            lambda: torch.from_numpy(np.resize(_numbers("float32"), (2 * SIDE, SIDE)))[::2],
            "clone",
            64 << 20,
            clone=lambda x: x.clone(),
            numpy=lambda x: torch.from_numpy(np.ascontiguousarray(x.numpy())),
            advised=by_hand.advised_copy,
            tensorcopy=tc.copy,
        ),
        _cell(
            "channels_last -> contiguous",
            lambda: torch.from_numpy(_numbers("float32").reshape(64, 64, 64, 64)).permute(0, 3, 1, 2),
            "contiguous",
            64 << 20,
            contiguous=lambda x: x.contiguous(),
            advised=lambda x: by_hand.advise(torch.empty(images)).copy_(x),
            tensorcopy=lambda x: tc.copy(x, memory_format=plain),
        ),
        _cell(
            "channels_last, format kept",
            lambda: torch.from_numpy(_numbers("float32").reshape(64, 64, 64, 64)).permute(0, 3, 1, 2),
            "clone",
            64 << 20,
            clone=lambda x: x.clone(),
            advised=by_hand.advised_copy,
            tensorcopy=tc.copy,
        ),
        _cell(
            "expanded (N, 1) -> (N, N)",
            lambda: torch.from_numpy(_numbers("float32")[:, :1].copy()).expand(SIDE, SIDE),
            "clone",
            64 << 20,
            clone=lambda x: x.clone(),
            advised=lambda x: by_hand.advise(torch.empty(x.shape)).copy_(x),
            tensorcopy=tc.copy,
        ),
        _cell(
            "expanded (1, N) -> (N, N)",
            lambda: torch.from_numpy(_numbers("float32")[:1].copy()).expand(SIDE, SIDE),
            "clone",
            64 << 20,
            clone=lambda x: x.clone(),
            advised=lambda x: by_hand.advise(torch.empty(x.shape)).copy_(x),
            tensorcopy=tc.copy,
        ),
    ]


def _transposed(dtype: str) -> Cell:
    return _cell(
        f"transposed {dtype} -> contiguous",
        lambda: _tensor(dtype).t(),
        "contiguous",
        SIDE * SIDE * np.dtype(dtype).itemsize,
        contiguous=lambda x: x.contiguous(),
        advised=lambda x: by_hand.advise(torch.empty(x.shape, dtype=x.dtype)).copy_(x),
        tensorcopy=lambda x: tc.copy(x, memory_format=torch.contiguous_format),
    )


def _arrays() -> list[Cell]:
    def from_copy(a: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(a.copy())

    def naive(a: np.ndarray) -> torch.Tensor:
        return torch.tensor(a.copy())

    kinds: dict[str, Callable[[], np.ndarray]] = {
        "negative stride rows": lambda: _numbers("float32")[::-1],
        "negative stride columns": lambda: _numbers("float32")[:, ::-1],
        "read-only array": lambda: np.broadcast_to(_numbers("float32"), (SIDE, SIDE)),
        "structured field, stride 16": lambda: np.zeros((SIDE, SIDE), [("a", "f4"), ("b", "f8"), ("c", "i4")])["a"],
        "packed field, stride 13": lambda: np.zeros((SIDE // 4, SIDE), [("a", "u1"), ("b", "f4"), ("c", "f8")])["b"],
    }
    cells = [
        _cell(
            name,
            make,
            "torch.tensor",
            64 << 20,
            **{"torch.tensor": naive, "numpy copy": from_copy, "tensorcopy": lambda a: tc.to_torch(a, copy=True)},
        )
        for name, make in kinds.items()
    ]
    swapped = _cell(
        "big-endian float32",
        lambda: _numbers("float32").astype(">f4"),
        "torch.tensor",
        64 << 20,
        **{
            "torch.tensor": lambda a: torch.tensor(a.astype("f4")),
            "ascontiguousarray": lambda a: torch.from_numpy(np.ascontiguousarray(a, "<f4")),
            "tensorcopy": tc.to_torch,
        },
    )
    return [*cells, swapped]


def _casts() -> list[Cell]:
    pairs = [
        ("float64", "float32"),
        ("float16", "float32"),
        ("int64", "int32"),
        ("int32", "int64"),
        ("int64", "float32"),
        ("uint8", "float32"),
        ("bool", "float32"),
        ("uint16", "int32"),
    ]
    return [_cast(source, target) for source, target in pairs] + [_to_bfloat16()]


def _cast(source: str, target: str) -> Cell:
    dtype = getattr(torch, target)
    return _cell(
        f"{source} -> {target}, every value checked",
        lambda: _numbers(source),
        "torch.tensor",
        SIDE * SIDE * dtype.itemsize,
        **{
            "torch.tensor": lambda a: torch.tensor(a, dtype=dtype),
            "astype": lambda a: torch.from_numpy(a.astype(target)),
            "numpy memory": lambda a: by_hand.cast_into_numpy_memory(torch.from_numpy(a), target),
            "tensorcopy": lambda a: tc.to_torch(a, dtype=dtype),
        },
    )


def _to_bfloat16() -> Cell:
    return _cell(
        "float32 -> bfloat16, every value checked",
        lambda: _tensor("float32"),
        "bfloat16()",
        32 << 20,
        **{
            "bfloat16()": lambda x: x.bfloat16(),
            "advised": lambda x: by_hand.advised_empty_like(x, torch.bfloat16).copy_(x),
            "tensorcopy": lambda x: tc.copy(x, dtype=torch.bfloat16),
        },
    )


def _objects(kind: type, dtype: str) -> Cell:
    return _cell(
        f"object array of {kind.__name__} 512x512",
        lambda: np.array([kind(i) for i in range(512 * 512)], object).reshape(512, 512),
        "tolist",
        512 * 512 * np.dtype(dtype).itemsize,
        tolist=lambda a: torch.tensor(a.tolist()),
        astype=lambda a: torch.from_numpy(a.astype(dtype)),
        tensorcopy=tc.to_torch,
    )


CELLS = [*_layouts(), *_arrays(), *_casts(), _objects(float, "float32"), _objects(int, "int64")]
