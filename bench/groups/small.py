"""Ten numbers: what the call itself costs."""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np
import torch

import tensorcopy as tc
from bench.measure import Cell

SHAPES = {
    "0-d": lambda: torch.tensor(1.5),
    "3x4": lambda: torch.arange(12.0).view(3, 4),
    "5x4, transposed": lambda: torch.arange(20.0).view(4, 5).t(),
    "10 on the graph": lambda: torch.arange(10.0, requires_grad=True),
    "1000": lambda: torch.arange(1000.0),
}


def _of_shape(name: str, make: Callable[[], torch.Tensor]) -> Cell:
    return Cell(
        name=f"copy of a tensor, {name}",
        make=make,
        candidates={
            "detach().clone()": lambda x: x.detach().clone(),
            "deepcopy": lambda x: copy.deepcopy(x.detach()),
            "tensorcopy": lambda x: tc.copy(x),
        },
        naive="deepcopy",
        modes=("drop",),
        calls=60,
        above=("detach().clone()", 150),
    )


CELLS = [
    Cell(
        name="copy of a tensor of 10",
        make=lambda: torch.from_numpy(np.arange(10, dtype="float32")),
        candidates={
            "detach().clone()": lambda x: x.detach().clone(),
            "clone().detach()": lambda x: x.clone().detach(),
            "torch.tensor": lambda x: torch.tensor(x.tolist()),
            "tensorcopy": lambda x: tc.copy(x),
        },
        naive="torch.tensor",
        modes=("drop",),
        calls=60,
        above=("detach().clone()", 150),
    ),
    Cell(
        name="to_torch of an array of 10",
        make=lambda: np.arange(10, dtype="float32"),
        candidates={
            "from_numpy": lambda a: torch.from_numpy(a),
            "as_tensor": lambda a: torch.as_tensor(a),
            "tensorcopy": lambda a: tc.to_torch(a),
        },
        naive="as_tensor",
        modes=("drop",),
        calls=60,
        above=("from_numpy", 500),
    ),
    Cell(
        name="to_torch of a list of 10 tensors of 10",
        make=lambda: [torch.from_numpy(np.arange(10, dtype="float32") + i) for i in range(10)],
        candidates={
            "torch.tensor": lambda ts: torch.tensor([t.tolist() for t in ts]),
            "torch.stack": lambda ts: torch.stack(ts),
            "tensorcopy": lambda ts: tc.to_torch(ts),
        },
        naive="torch.tensor",
        modes=("drop",),
        calls=60,
    ),
    *(_of_shape(name, make) for name, make in SHAPES.items()),
]
