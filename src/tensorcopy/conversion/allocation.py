"""Fresh CPU memory for results: an ordinary torch allocation, advised for huge pages before its first touch.

A large fresh allocation costs more in page faults than in copying: the kernel hands out and zeroes 4 KB at a time.
``madvise(MADV_HUGEPAGE)`` asks for 2 MB pages instead. The storage stays an ordinary one: 64-byte aligned, resizable,
picklable, movable to shared memory, and given back when dropped. Where the platform has no such advice, the same code
runs without it. Set ``TENSORCOPY_HUGE_PAGES=0`` in the environment, or call `use_huge_pages(False)`, to turn it off.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

from ..live.libraries import load

ADVISE_FROM = 8 << 20
"""Smallest result, in bytes, for which the advice pays; below, the allocator recycles pages that are there already."""

_PAGE = mmap.PAGESIZE
_MADV_HUGEPAGE = getattr(mmap, "MADV_HUGEPAGE", None)


def _bind_madvise() -> Callable[[int, int, int], int] | None:
    if _MADV_HUGEPAGE is None or not sys.platform.startswith("linux"):
        return None
    try:
        madvise = ctypes.CDLL(None).madvise
    except (OSError, AttributeError):
        return None
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    madvise.restype = ctypes.c_int
    return madvise


_madvise = _bind_madvise()
_enabled = os.environ.get("TENSORCOPY_HUGE_PAGES", "1") != "0"


def use_huge_pages(enabled: bool) -> bool:
    """Turn the advice on or off for this process; gives the setting before. Changes speed only, never a result."""
    global _enabled
    before, _enabled = _enabled, enabled
    return before


def advise(address: int, nbytes: int, least: int = ADVISE_FROM) -> None:
    """Ask for huge pages under [address, address + nbytes). The kernel may decline; contents are not touched."""
    if _madvise is None or not _enabled or nbytes < least or not address:
        return
    first = (address + _PAGE - 1) & -_PAGE
    last = (address + nbytes) & -_PAGE
    if last > first:
        _madvise(first, last - first, _MADV_HUGEPAGE or 0)


@cache
def cpu() -> Any:
    """The ``torch.device`` of this name, which torch would read anew in each call."""
    return load("torch").device("cpu")


def empty_like(torch: Any, view: Any, dtype: Any = None, memory_format: Any = None) -> Any:
    """A fresh CPU tensor with the shape (and dense stride order) of *view*; off the graph, contents undefined."""
    if memory_format is None and view.is_cpu:
        fresh = torch.empty_like(view, dtype=dtype)
    else:
        keep = torch.preserve_format if memory_format is None else memory_format
        fresh = torch.empty_like(view, dtype=dtype, memory_format=keep, device="cpu", requires_grad=False)
    if fresh.nbytes >= ADVISE_FROM:
        advise(fresh.data_ptr(), fresh.nbytes)
    return fresh


def empty_likes(torch: Any, found: list[Any]) -> list[Any]:
    """Fresh tensors with the shapes and types of *found*, which lie on the CPU in memory without gaps."""
    results = list(map(torch.empty_like, found))
    sizes = [fresh.nbytes for fresh in results]
    least = _ADVISE_MANY_FROM if sum(sizes) >= _MANY else ADVISE_FROM
    for fresh, nbytes in zip(results, sizes, strict=True):
        if nbytes >= least:
            advise(fresh.data_ptr(), nbytes, least)
    return results


_MANY = 32 << 20
"""Bytes in all that the allocator gives back once they are dropped, so that the next ones are fresh again."""
_ADVISE_MANY_FROM = 4 << 20
"""Smallest of many results for which the advice pays then: less may hold no whole huge page."""


def empty(torch: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """A fresh contiguous CPU tensor, contents undefined."""
    # torch reads sizes that are arguments of their own in two thirds of the time that it takes to read a tuple.
    fresh = torch.empty(*shape, dtype=dtype, device=cpu()) if shape else torch.empty((), dtype=dtype, device=cpu())
    if fresh.nbytes >= ADVISE_FROM:
        advise(fresh.data_ptr(), fresh.nbytes)
    return fresh
