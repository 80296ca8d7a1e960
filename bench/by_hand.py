"""The best routes that a careful person could write by hand, to be measured against."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np
import torch

_libc = ctypes.CDLL(None)
_libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


def advised_empty_like(x: torch.Tensor, dtype: torch.dtype | None = None) -> torch.Tensor:
    """``torch.empty_like`` with huge pages asked for."""
    return advise(torch.empty_like(x, dtype=dtype))


def advise(y: torch.Tensor) -> torch.Tensor:
    """Ask for huge pages under *y*."""
    first = (y.data_ptr() + mmap.PAGESIZE - 1) & -mmap.PAGESIZE
    last = (y.data_ptr() + y.nbytes) & -mmap.PAGESIZE
    if last > first:
        _libc.madvise(first, last - first, 14)
    return y


def advised_copy(x: torch.Tensor) -> torch.Tensor:
    """Allocate, advise, copy."""
    return advised_empty_like(x).copy_(x)


def numpy_memory_copy(x: torch.Tensor) -> torch.Tensor:
    """Copy by torch's threads into memory that NumPy allocated (it asks for huge pages itself)."""
    return torch.from_numpy(np.empty(x.shape, x.numpy().dtype)).copy_(x)


def cast_into_numpy_memory(x: torch.Tensor, dtype: Any) -> torch.Tensor:
    """Convert by torch's threads into memory that NumPy allocated."""
    return torch.from_numpy(np.empty(x.shape, dtype)).copy_(x)
