"""Copies of many tensors in one buffer for each dtype and device: ``copy(nest, flat=True)``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..live import tensors
from ..live.dtypes import name_of_torch, torch_dtype
from ..live.libraries import is_tensor, load
from . import allocation
from .carry_out import fill_tensor
from .casting import can_lose
from .freed import require_memory
from .leaves import dressed, for_member, is_dispatching, suits
from .moving import copy_all, write_all
from .plan import Request

_ALIGNMENT = 64
"""Bytes to which the start of each tensor in the buffer is aligned."""


def copy_flat(leaves: list[Any], request: Request, copies: dict[int, Any], *, together: bool) -> list[Any]:
    """Put copies of the strided tensors among *leaves* into *copies*, by identity; gives the leaves that are left over.

    Left over are arrays, wrapper classes and other layouts, and everything where the copy stays on the graph, moves to
    another device, or gets another memory format. *together*: all are known to be strided plain tensors.
    """
    if not request.detach or request.memory_format is not None or request.device is not None:
        return leaves
    special = not together or any(x.is_quantized or x.is_nested for x in leaves)
    fitting = list(filter(_fits, leaves)) if special else leaves
    places: dict[tuple[Any, Any], list[Any]] = {}
    for leaf in fitting:
        places.setdefault((_dtype_of_copy(leaf, request), leaf.device), []).append(leaf)
    for leaf in fitting:
        require_memory(leaf)
    for (dtype, device), members in places.items():
        views = _in_one_buffer(members, dtype, device, request)
        copies.update(zip(map(id, members), map(_dresser(request), views, members), strict=True))
    return [leaf for leaf in leaves if id(leaf) not in copies] if len(fitting) < len(leaves) else []


def _fits(leaf: Any) -> bool:
    if not is_tensor(leaf) or leaf.layout is not load("torch").strided or leaf.is_quantized or leaf.is_nested:
        return False
    return not is_dispatching(leaf) and tensors.has_address(leaf)


def _dtype_of_copy(leaf: Any, request: Request) -> Any:
    return torch_dtype(request.dtype) if request.dtype is not None and suits(leaf, request.dtype) else leaf.dtype


def _dresser(request: Request) -> Callable[[Any, Any], Any]:
    """What makes a member's copy of a plain view."""
    plain = load("torch").Tensor if request.requires_grad is None else None
    return lambda view, x: view if type(x) is plain else dressed(view, x, for_member(x, request))


def _in_one_buffer(members: list[Any], dtype: Any, device: Any, request: Request) -> list[Any]:
    """The members in one fresh buffer: tensors without a graph that each count their own changes."""
    torch = load("torch")
    with torch._C.DisableTorchFunctionSubclass():
        sources = [member.detach() for member in members]
    step = _ALIGNMENT // dtype.itemsize
    starts = [0]
    for source in sources:
        starts.append(starts[-1] + -(-source.numel() // step) * step)
    buffer = _empty(torch, starts.pop(), dtype, device)
    views = [buffer.as_strided(x.shape, _strides(torch, x), k).data for x, k in zip(sources, starts, strict=True)]
    _fill(torch, views, sources, name_of_torch(dtype), request)
    return views


def _empty(torch: Any, size: int, dtype: Any, device: Any) -> Any:
    if device.type == "cpu":
        return allocation.empty(torch, (size,), dtype)
    return torch.empty(size, dtype=dtype, device=device)


def _strides(torch: Any, x: Any) -> Any:
    """The strides of a copy of *x* that keeps their order and leaves no gaps."""
    return x.stride() if x.is_contiguous() else torch.empty_like(x, device="meta").stride()


def _fill(torch: Any, views: list[Any], sources: list[Any], dtype: str, request: Request) -> None:
    names = [name_of_torch(source.dtype) for source in sources]
    if set(names) == {dtype}:
        write_all(views, sources)
        return
    safe = [not can_lose(name, dtype, request.casting) for name in names]
    copy_all(
        torch, [v for v, s in zip(views, safe, strict=True) if s], [x for x, s in zip(sources, safe, strict=True) if s]
    )
    for view, source, name, is_safe in zip(views, sources, names, safe, strict=True):
        if not is_safe:
            fill_tensor(view, source, name, dtype, request.casting)
