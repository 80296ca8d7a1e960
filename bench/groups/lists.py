"""Nested lists of Python numbers, from 10 to ten million."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

import tensorcopy as tc
from bench.measure import Cell

SHAPES = [(10,), (30,), (100,), (33, 3), (10, 10), (1000,), (333, 3), (100, 10), (10, 100), (100, 100), (3333, 3)]
SHAPES += [(10, 1000), (10_000,), (1000, 100), (100_000,), (10_000, 10), (33_333, 3)]
LARGE = [(1_000_000,), (1000, 1000), (10_000, 100), (333_333, 3)]
LARGEST = [(10_000_000,), (10_000, 1000)]


def _nest(shape: tuple[int, ...], kind: type) -> Any:
    count = int(np.prod(shape))
    flat = np.arange(count)
    return (flat / 7 if kind is float else flat * 1_000).reshape(shape).tolist()


def _cell(shape: tuple[int, ...], kind: type) -> Cell:
    count = int(np.prod(shape))
    dtype = "float32" if kind is float else "int64"
    return Cell(
        name=f"list of {kind.__name__} {'x'.join(map(str, shape))}",
        make=lambda: _nest(shape, kind),
        candidates={
            "torch.tensor": torch.tensor,
            "np.array": lambda nest: torch.from_numpy(np.array(nest, dtype)),
            "tensorcopy": tc.to_torch,
        },
        naive="torch.tensor",
        goal=None if count > 1_000_000 else 25.0 if count >= 1000 else 1.0,
        modes=("drop",),
        calls=30 if count < 100_000 else 5 if count <= 1_000_000 else 2,
    )


CELLS = [_cell(shape, kind) for shape in (*SHAPES, *LARGE, *LARGEST) for kind in (float, int)]
