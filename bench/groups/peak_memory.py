"""The most memory that a call takes, beside its result: resident bytes of a process of its own, counted by the kernel.

The kernel's high-water mark is set back before the call (Linux only). A smaller call goes first, which brings in the
code that runs. What is left over is what the call took besides the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import torch

import tensorcopy as tc
from bench.measure import Cell, in_child

CELLS: tuple[Cell, ...] = ()
ALLOWED = 1.01
"""Peak over result."""
_HEAD = "| call | result | peak above the source | over the result | at most 1.01 |\n|---|---|---|---|---|"
Case = tuple[Callable[[int], Any], Callable[[Any], Any]]


def _floats(count: int) -> np.ndarray:
    return np.arange(count, dtype="float64")


def _tensors(count: int) -> list[torch.Tensor]:
    return [torch.from_numpy(_floats(count // 64)) for _ in range(64)]


def _square(count: int) -> torch.Tensor:
    return torch.from_numpy(_floats(count)).view(1024, -1)


CASES: dict[str, Case] = {
    "copy of a tensor": (lambda n: torch.from_numpy(_floats(n)), tc.copy),
    "copy of a transposed tensor, made contiguous": (
        lambda n: _square(n).t(),
        partial(tc.copy, memory_format=torch.contiguous_format),
    ),
    "copy of a state_dict of 64 tensors": (lambda n: dict(enumerate(_tensors(n))), tc.copy),
    "the same in one buffer": (lambda n: dict(enumerate(_tensors(n))), partial(tc.copy, flat=True)),
    "float64 to float32, checked": (lambda n: torch.from_numpy(_floats(n)), partial(tc.to_torch, dtype="float32")),
    "int64 to float32, checked": (
        lambda n: torch.from_numpy(np.arange(n) % 1000),
        partial(tc.to_torch, dtype="float32"),
    ),
    "reversed array": (lambda n: _floats(n)[::-1], tc.to_torch),
    "big-endian array": (lambda n: _floats(n).astype(">f8"), tc.to_torch),
    "list of 64 arrays": (lambda n: [tensor.numpy() for tensor in _tensors(n)], tc.to_torch),
    "batch of 64 tensors": (_tensors, tc.collate),
    "list of floats": (lambda n: _floats(n).tolist(), tc.to_torch),
    "list of integers": (lambda n: list(range(n)), tc.to_torch),
    "list of 1000 lists": (lambda n: _floats(n).reshape(1000, -1).tolist(), tc.to_torch),
}
_COUNT = 32 << 20
_COUNT_OF_NUMBERS = 32_000_000


def lines(rounds: int, only: str) -> Iterator[str]:
    """A table: for each call its result, and the most memory that it took."""
    chosen = [name for name in CASES if only in name]
    for position, name in enumerate(chosen):
        if position == 0:
            yield _HEAD
        size, peak = min(in_child(_measured, name) for _ in range(rounds))
        verdict = "met" if peak <= size * ALLOWED else "MISSED"
        yield f"| {name} | {size / 1e6:.1f} MB | {peak / 1e6:.1f} MB | {peak / size:.4f} | {verdict} |"


def _measured(name: str) -> tuple[int, int]:
    """Bytes of the result, and the peak above what was resident before."""
    make, call = CASES[name]
    count = _COUNT_OF_NUMBERS if name.startswith("list of") and "arrays" not in name else _COUNT
    call(make(count // 8))
    source = make(count)
    with open("/proc/self/clear_refs", "w") as control:
        control.write("5")
    before = _status("VmRSS")
    result = call(source)
    return _size(result), _status("VmHWM") - before


def _size(result: Any) -> int:
    return sum(part.nbytes for part in (result.values() if isinstance(result, dict) else [result]))


def _status(field: str) -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith(field))
