"""A ``state_dict``, and batches for a DataLoader."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import numpy as np
import torch
from torch.utils.data import default_collate

import tensorcopy as tc
from bench import by_hand
from bench.measure import Cell


def _state(megabytes: float) -> dict[str, torch.Tensor]:
    each = int(megabytes * 2**18) // 200
    return {f"layer{i}.weight": torch.from_numpy(np.full(each, i, "float32")) for i in range(200)}


def _weights_and_biases(megabytes: float) -> dict[str, torch.Tensor]:
    """Half of the tensors hold nearly all bytes, as in most models."""
    each = int(megabytes * 2**18) // 100
    sizes = [(f"layer{i}.{part}", n) for i in range(100) for part, n in (("weight", each), ("bias", each // 1000 + 1))]
    return {name: torch.from_numpy(np.full(n, 0.5, "float32")) for name, n in sizes}


def _flat_by_hand(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    buffer = by_hand.advise(torch.empty(sum(v.numel() for v in state.values())))
    views, start = [], 0
    for value in state.values():
        views.append(buffer[start : start + value.numel()].view(value.shape))
        start += value.numel()
    torch._foreach_copy_(views, list(state.values()))
    return dict(zip(state, views, strict=True))


def _gpt2(megabytes: float) -> dict[str, torch.Tensor]:
    """The shapes of GPT-2 small, which are 498 MB."""
    shapes: dict[str, tuple[int, ...]] = {"wte": (50257, 768), "wpe": (1024, 768), "ln_f.weight": (768,)}
    for layer in range(12):
        shapes |= {
            f"{layer}.attn.weight": (768, 2304),
            f"{layer}.attn.bias": (2304,),
            f"{layer}.attn.out.weight": (768, 768),
            f"{layer}.attn.out.bias": (768,),
            f"{layer}.mlp.in.weight": (768, 3072),
            f"{layer}.mlp.in.bias": (3072,),
            f"{layer}.mlp.out.weight": (3072, 768),
            f"{layer}.mlp.out.bias": (768,),
            f"{layer}.ln.weight": (768,),
            f"{layer}.ln.bias": (768,),
        }
    return {name: torch.from_numpy(np.full(shape, 0.5, "float32")) for name, shape in shapes.items()}


_KINDS: dict[Any, str] = {
    _gpt2: "tensors of GPT-2",
    _state: "200 tensors",
    _weights_and_biases: "200 weights and biases",
}


def _state_cell(megabytes: float, goal: float | None, flat: bool, make: Any = _state) -> Cell:
    ways: dict[str, Any] = {
        "deepcopy": copy.deepcopy,
        "clone each": lambda s: {k: v.detach().clone() for k, v in s.items()},
    }
    if flat:
        ways["one buffer by hand"] = _flat_by_hand
    return Cell(
        name=f"state_dict of {_KINDS[make]}, {megabytes:g} MB{', one flat buffer' if flat else ''}",
        make=partial(make, megabytes),
        candidates={**ways, "tensorcopy": partial(tc.copy, flat=True) if flat else tc.copy},
        naive="deepcopy",
        goal=goal,
        modes=("fresh", "drop"),
        calls=10 if megabytes < 50 else 2,
        nbytes=int(megabytes * 2**20),
    )


def _tensors(count: int, *shape: int) -> list[torch.Tensor]:
    return [torch.from_numpy(array) for array in _arrays(count, *shape)]


def _images() -> list[torch.Tensor]:
    return _tensors(64, 3, 224, 224)


def _arrays(count: int, *shape: int) -> list[np.ndarray]:
    return [np.full(shape, i, "float32") for i in range(count)]


def _batch_cell(name: str, make: Any, nbytes: int, goal: float | None = None) -> Cell:
    ways: dict[str, Any] = {"default_collate": default_collate, "tensorcopy": tc.collate}
    if nbytes > 1 << 20:
        ways["stack into advised memory"] = _stack_by_hand
    return Cell(
        name=name, make=make, candidates=ways, naive="default_collate", goal=goal,
        modes=("fresh", "drop"), calls=8, nbytes=nbytes,
    )  # fmt: skip


def _stack_by_hand(batch: list[Any]) -> torch.Tensor:
    parts = [torch.as_tensor(part) for part in batch]
    return torch.stack(parts, out=by_hand.advise(torch.empty((len(parts), *parts[0].shape))))


CELLS = [
    _state_cell(0.5, 5.0, flat=False),
    _state_cell(8, 1.5, flat=False),
    _state_cell(100, None, flat=False),
    _state_cell(400, 2.0, flat=False),
    _state_cell(400, 2.0, flat=False, make=_weights_and_biases),
    _state_cell(400, 3.0, flat=True),
    _state_cell(498, 2.0, flat=False, make=_gpt2),
    _batch_cell("collate 64 tensors 3x224x224", _images, 64 * 3 * 224 * 224 * 4, 3.0),
    _batch_cell("collate 64 arrays 3x224x224", lambda: [t.numpy() for t in _images()], 64 * 3 * 224 * 224 * 4, 3.0),
    _batch_cell("collate 64 arrays 1x28x28", partial(_arrays, 64, 1, 28, 28), 64 * 28 * 28 * 4),
    _batch_cell("collate 64 arrays of 10", partial(_arrays, 64, 10), 64 * 10 * 4),
    _batch_cell("collate 128 tensors 3x32x32", lambda: _tensors(128, 3, 32, 32), 128 * 3 * 32 * 32 * 4),
    _batch_cell("collate 128 arrays 3x32x32", partial(_arrays, 128, 3, 32, 32), 128 * 3 * 32 * 32 * 4),
    _batch_cell("collate 4 numbers", lambda: [1.5, 2.5, 3.5, 4.5], 16, 1.0),
    _batch_cell("collate 4 tensors of 10", lambda: _tensors(4, 10), 160, 1.0),
    _batch_cell("collate 4 pairs of tensor and label", lambda: list(enumerate(_tensors(4, 10))), 160, 1.0),
    _batch_cell("collate 32 dicts", lambda: [{"x": t, "y": i} for i, t in enumerate(_tensors(32, 10))], 1280, 1.0),
]
