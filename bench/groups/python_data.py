"""Lists of arrays and tensors, ranges, buffers, scalars, deques and iterators."""

from __future__ import annotations

import array
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import torch

import tensorcopy as tc
from bench.measure import Cell


def _arrays(count: int, *shape: int) -> Callable[[], list[np.ndarray]]:
    return lambda: [np.full(shape, i, "float32") for i in range(count)]


def _tensors(count: int, *shape: int) -> Callable[[], list[torch.Tensor]]:
    return lambda: [torch.from_numpy(np.full(shape, i, "float32")) for i in range(count)]


def _cell(name: str, make: Callable[[], Any], goal: float | None, nbytes: int = 0, **candidates: Any) -> Cell:
    naive, *_ = candidates
    return Cell(
        name=name,
        make=make,
        candidates={**candidates, "tensorcopy": candidates.get("tensorcopy", tc.to_torch)},
        naive=naive,
        goal=goal,
        modes=("drop",) if nbytes < 1 << 20 else ("fresh", "drop"),
        calls=20 if nbytes < 1 << 20 else 5,
        nbytes=nbytes,
    )


def _of_arrays() -> list[Cell]:
    ways = {
        "torch.tensor": torch.tensor,
        "np.stack": lambda a: torch.from_numpy(np.stack(a)),
        "np.concatenate": lambda a: torch.from_numpy(np.concatenate(a).reshape(len(a), *a[0].shape)),
        "bytearray.join": lambda a: torch.frombuffer(bytearray().join(a), dtype=torch.float32).view(-1, *a[0].shape),
    }
    stacked = {
        "torch.stack": torch.stack,
        "torch.cat": lambda t: torch.cat(t).view(len(t), *t[0].shape),
    }
    return [
        _cell("list of 10 arrays of 10", _arrays(10, 10), None, **ways),
        _cell("list of 1000 arrays of 10", _arrays(1000, 10), 70, **ways),
        _cell("list of 1000 arrays of 100", _arrays(1000, 100), 70, **ways),
        _cell("list of 500 arrays 28x28", _arrays(500, 28, 28), 70, nbytes=500 * 28 * 28 * 4, **ways),
        _cell("list of 100 arrays of 10000", _arrays(100, 10_000), 70, nbytes=4_000_000, **ways),
        _cell("list of 10 tensors of 10", _tensors(10, 10), None, **stacked),
        _cell("list of 1000 tensors of 10", _tensors(1000, 10), None, **stacked),
        _cell("list of 1000 tensors of 100", _tensors(1000, 100), None, **stacked),
        _cell("list of 10 tensors of 1000000", _tensors(10, 1_000_000), None, nbytes=40_000_000, **stacked),
        _cell("list of 100 tensors of 10000", _tensors(100, 10_000), None, nbytes=4_000_000, **stacked),
        _cell("list of 10 arrays of 1000000", _arrays(10, 1_000_000), None, nbytes=40_000_000, **ways),
        *(_of_0d_tensors(count) for count in (10, 1000, 10_000)),
        *(_of_scalars(count, dtype) for count in (10, 1000, 10_000) for dtype in ("float32", "float64")),
    ]


def _of_0d_tensors(count: int) -> Cell:
    def items(tensors: list[torch.Tensor]) -> torch.Tensor:
        return torch.from_numpy(np.fromiter(map(torch.Tensor.item, tensors), "f4", len(tensors)))

    ways = {"torch.tensor": torch.tensor, "torch.stack": torch.stack, "np.fromiter(item)": items}
    return _cell(f"list of {count} 0-d tensors", _tensors(count), None, **ways)


def _of_scalars(count: int, dtype: str) -> Cell:
    return _cell(
        f"list of {count} np.{dtype}",
        lambda: list(np.arange(count, dtype=dtype)),
        None,
        **{"torch.tensor": torch.tensor, "np.fromiter": lambda a: torch.from_numpy(np.fromiter(a, dtype, len(a)))},
    )


def _yielded(numbers: list[float]) -> Iterator[float]:
    yield from numbers


def _buffers() -> list[Cell]:
    n = 100_000
    copying = {"tensorcopy": lambda b: tc.to_torch(b, copy=True)}
    return [
        _cell(
            "range of 100000",
            lambda: range(n),
            None,
            **{
                "torch.tensor": torch.tensor,
                "np.arange": lambda r: torch.from_numpy(np.arange(r.start, r.stop, r.step)),
            },
        ),
        _cell(
            "array.array('d') of 100000",
            lambda: array.array("d", range(n)),
            None,
            **{
                "torch.tensor": lambda a: torch.tensor(a, dtype=torch.float64),
                "np.frombuffer": lambda a: torch.from_numpy(np.frombuffer(a).copy()),
            },
            **copying,
        ),
        _cell(
            "array.array('i') of 100000 to int64",
            lambda: array.array("i", range(n)),
            None,
            **{
                "torch.tensor": torch.tensor,
                "frombuffer.long": lambda a: torch.frombuffer(a, dtype=torch.int32).long(),
                "tensorcopy": lambda a: tc.to_torch(a, dtype="int64"),
            },
        ),
        *(
            _cell(
                f"{kind.__name__} of 100000",
                partial(kind, bytes(n)),
                None,
                **{
                    "torch.tensor": lambda b: torch.tensor(list(b), dtype=torch.uint8),
                    "bytearray": lambda b: torch.frombuffer(bytearray(b), dtype=torch.uint8),
                },
                **copying,
            )
            for kind in (bytes, bytearray, memoryview)
        ),
        _cell(
            "generator of 100000 floats",
            lambda: [i / 7 for i in range(n)],
            None,
            **{
                "torch.tensor": lambda f: torch.tensor([*_yielded(f)]),
                "np.fromiter": lambda f: torch.from_numpy(np.fromiter(_yielded(f), "f4")),
                "tensorcopy": lambda f: tc.to_torch(_yielded(f)),
            },
        ),
        _cell(
            "deque of 100000 floats",
            lambda: deque(i / 7 for i in range(n)),
            None,
            **{"torch.tensor": torch.tensor, "np.fromiter": lambda d: torch.from_numpy(np.fromiter(d, "f4", len(d)))},
        ),
        _cell(
            "dict of 20 lists of 1000",
            lambda: {f"k{i}": [i + j / 7 for j in range(1000)] for i in range(20)},
            None,
            **{
                "torch.tensor": lambda d: {k: torch.tensor(v) for k, v in d.items()},
                "np.array": lambda d: {k: torch.from_numpy(np.array(v, "f4")) for k, v in d.items()},
                "tensorcopy": lambda d: {k: tc.to_torch(v) for k, v in d.items()},
            },
        ),
    ]


CELLS = [*_of_arrays(), *_buffers()]
