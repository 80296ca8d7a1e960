"""Copies of dense CPU tensors from 256 kB to 1 GB."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import torch

import tensorcopy as tc
from bench import by_hand
from bench.measure import Cell


def _source(megabytes: float, dtype: torch.dtype) -> torch.Tensor:
    return torch.from_numpy(np.arange(int(megabytes * 2**18), dtype="float32")).view(dtype)


def _goal(megabytes: float) -> float:
    return 3.5 if megabytes >= 64 else 1.8 if megabytes >= 8 else 1.0


_NUMPY: dict[str, Any] = {
    "numpy copy": lambda x: torch.from_numpy(x.numpy().copy()),
    "numpy memory": by_hand.numpy_memory_copy,
}


def _cell(megabytes: float, dtype: torch.dtype = torch.float32) -> Cell:
    candidates: dict[str, Any] = {
        "clone": lambda x: x.clone(),
        "detach.clone": lambda x: x.detach().clone(),
        **({} if dtype is torch.bfloat16 else _NUMPY),
        "advised memory": by_hand.advised_copy,
        "tensorcopy": lambda x: tc.copy(x),
    }
    return Cell(
        name=f"copy {megabytes:g} MB {str(dtype).removeprefix('torch.')}",
        make=partial(_source, megabytes, dtype),
        candidates=candidates,
        naive="clone",
        goal=_goal(megabytes),
        modes=("fresh", "drop"),
        calls=12 if megabytes < 64 else 4 if megabytes < 1024 else 2,
        nbytes=int(megabytes * 2**20),
    )


CELLS = [
    *(_cell(size) for size in (0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 256, 1024)),
    *(_cell(64, dtype) for dtype in (torch.float64, torch.int64, torch.uint8, torch.bfloat16)),
]
