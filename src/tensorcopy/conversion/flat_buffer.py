"""Copies of many tensors in one buffer for each dtype and device: ``copy(nest, flat=True)``."""

from __future__ import annotations

from typing import Any

from ..live import tensors
from ..live.dtypes import name_of_torch, torch_dtype
from ..live.libraries import is_tensor, load
from . import allocation
from .carry_out import fill_tensor
from .casting import can_lose
from .leaves import dressed, for_member, is_dispatching
from .plan import Request

_ALIGNMENT = 64
"""Bytes to which the start of each tensor in the buffer is aligned."""


def copy_flat(leaves: list[Any], request: Request, copies: dict[int, Any]) -> list[Any]:
    """Put copies of the strided tensors among *leaves* into *copies*, by identity; gives the leaves that are left over.

    Left over are arrays, wrapper classes and other layouts, and everything where the copy stays on the graph, moves to
    another device, or gets another memory format.
    """
    if not request.detach or request.memory_format is not None or request.device is not None:
        return leaves
    rest: list[Any] = []
    places: dict[tuple[str, Any], list[Any]] = {}
    for leaf in leaves:
        if _fits(leaf):
            dtype = for_member(leaf, request).dtype or name_of_torch(leaf.dtype)
            places.setdefault((dtype, leaf.device), []).append(leaf)
        else:
            rest.append(leaf)
    for (dtype, device), members in places.items():
        for member, view in zip(members, _in_one_buffer(members, dtype, device, request), strict=True):
            copies[id(member)] = dressed(view, member, for_member(member, request))
    return rest


def _fits(leaf: Any) -> bool:
    if not is_tensor(leaf) or leaf.layout is not load("torch").strided or leaf.is_quantized or leaf.is_nested:
        return False
    return not is_dispatching(leaf) and tensors.has_address(leaf)


def _in_one_buffer(members: list[Any], dtype: str, device: Any, request: Request) -> list[Any]:
    """The members in one fresh buffer: tensors without a graph that each count their own changes."""
    torch = load("torch")
    with torch._C.DisableTorchFunctionSubclass():
        sources = [member.detach() for member in members]
    step = _ALIGNMENT // torch_dtype(dtype).itemsize
    starts = [0]
    for source in sources:
        starts.append(starts[-1] + -(-source.numel() // step) * step)
    buffer = _empty(torch, starts.pop(), torch_dtype(dtype), device)
    views = [buffer.as_strided(x.shape, _strides(torch, x), k).data for x, k in zip(sources, starts, strict=True)]
    _fill(torch, views, sources, dtype, request)
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
    safe = [not can_lose(name, dtype, request.casting) for name in names]
    copy_all(
        torch, [v for v, s in zip(views, safe, strict=True) if s], [x for x, s in zip(sources, safe, strict=True) if s]
    )
    for view, source, name, is_safe in zip(views, sources, names, safe, strict=True):
        if not is_safe:
            fill_tensor(view, source, name, dtype, request.casting)


def copy_all(torch: Any, places: list[Any], sources: list[Any]) -> None:
    """Write each source into its place, with one call where this torch has one."""
    together = getattr(torch, "_foreach_copy_", None)
    if together is not None and places:
        together(places, sources)
        return
    for place, source in zip(places, sources, strict=True):
        place.copy_(source)
