"""Lists of arrays or tensors that are all alike: one allocation, filled once, without a plan for each member.

Nothing is decided from the first member alone. Where a member differs, or a value would be lost, the answer is None and
`stacking` looks at the members one by one, and words the error if there is one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

from ..live.dtypes import DTYPES, name_of_numpy, name_of_torch, numpy_dtype, torch_dtype
from ..live.libraries import class_of, load
from ..live.tensors import has_plain_memory, is_watched, is_without_memory
from . import allocation, kernels
from .freed import have_memory
from .moving import LARGE, moved
from .plan import Request

Members = list[Any] | tuple[Any, ...]


def gather(members: Members, shape: tuple[int, ...], request: Request) -> Any:
    """One tensor or array of *shape* and the shape of the members, which are laid out in it in order: copies.

    None unless they are plain arrays, or plain tensors, of one class, dtype and shape; None also for arrays where the
    result has no memory that counts. Keeps the graph of tensors.
    """
    kind = type(members[0])
    if kind is class_of("torch", "Tensor") or kind is class_of("torch.nn", "Parameter"):
        return _stack_tensors(load("torch"), members, shape, request) if request.to == "torch" else None
    if kind is not class_of("numpy", "ndarray") or (request.to == "torch" and is_without_memory()):
        return None
    return _gather_arrays(members, shape, request)


def gather_few(members: list[Any]) -> Any:
    """As `gather` of a list without options, for results so small that looking around would cost more than copying.

    None for others. The first member is an array or a tensor.
    """
    first = members[0]
    way = ways.get(type(first)) or _learn_way(type(first))
    return None if way is None or len(members) > _FEW else way(first, members)


ways: dict[type, Callable[[Any, list[Any]], Any]] = {}
"""By the class of the first member, once it is there: what gathers a few like it."""


def _learn_way(kind: type) -> Callable[[Any, list[Any]], Any] | None:
    if kind is class_of("numpy", "ndarray"):
        ways[kind] = _gather_few_arrays
    elif kind is class_of("torch", "Tensor"):
        ways[kind] = _stack_few(load("torch"))
    return ways.get(kind)


def _gather_few_arrays(first: Any, arrays: list[Any]) -> Any:
    if len(arrays) * first.nbytes >= _MUCH or is_watched():
        return None
    room = _rooms.get(first.dtype)
    if room is None:
        return _learn_room(first)
    shape = (len(arrays), *first.shape)
    result = room(*shape)
    return result if kernels.gathered_as_they_are(first, arrays, shape, result.data_ptr()) else None


def _stack_few(torch: Any) -> Callable[[Any, list[Any]], Any]:
    stack, dtype, have = torch.stack, torch._C.TensorBase.dtype, kernels.have

    def stacked(first: Any, tensors: list[Any]) -> Any:
        if first.numel() >= _MUCH // _FEW // 16:
            return None
        try:
            fit = have(tensors, dtype, first.dtype) and have_memory(torch, tensors)
            return stack(tensors) if fit else None
        except RuntimeError:
            return None

    return stacked


_rooms: dict[Any, Any] = {}
"""By the dtype of plain arrays: what makes a tensor of it from lengths."""


def _learn_room(first: Any) -> None:
    """Remember what makes results for arrays like *first*, if arrays like it can be gathered as they are."""
    torch, name = load("torch"), _name(first.dtype)
    if kernels.gathers(first, name) and hasattr(torch, name):
        _rooms[first.dtype] = torch.empty(0, dtype=torch_dtype(name), device="cpu").new_empty


def _gather_arrays(arrays: Members, shape: tuple[int, ...], request: Request) -> Any:
    first = arrays[0]
    target = request.dtype or _name(first.dtype)
    if not kernels.gathers(first, target):
        return None
    inner = first.shape
    whole = (*shape, *inner)
    if request.to == "torch":
        torch = load("torch")
        if not hasattr(torch, target):
            return None
        result = allocation.empty(torch, whole, torch_dtype(target))
        address = result.data_ptr()
    else:
        result = load("numpy").empty(whole, numpy_dtype(target))
        address = result.__array_interface__["data"][0]
    whole = (prod(shape), *inner)
    return result if kernels.gathered(first, arrays, whole, address, target, request.casting) else None


@cache
def _name(dtype: Any) -> str:
    """The name of a ``numpy.dtype``, remembered: NumPy puts it together anew each time."""
    return name_of_numpy(dtype)


def _stack_tensors(torch: Any, tensors: Members, shape: tuple[int, ...], request: Request) -> Any:
    """`torch.stack` where it loses nothing: it takes tensors of several dtypes, and rounds integers among floats."""
    first = tensors[0]
    if request.dtype is not None and request.dtype != name_of_torch(first.dtype):
        return None
    alike = len(tensors) <= _FEW and _are_of_dtype(torch, tensors)
    if (not alike and not kernels.are_of_class(tensors, type(first))) or not have_memory(torch, tensors):
        return None
    fresh = _fresh(torch, tensors)
    if fresh is not None and all(t.shape == first.shape for t in tensors) and moved(fresh.unbind(), tensors):
        return fresh if len(shape) == 1 else fresh.view(*shape, *first.shape)
    try:
        result = torch.stack(tensors) if fresh is None else torch.stack(tensors, out=fresh)
    except RuntimeError:
        if any(_facts(t) != _facts(first) for t in tensors) or not _is_strided(torch, first):
            return None
        result = torch.stack(tensors)
    if not alike and result is not fresh and not _keeps_integers(torch, tensors, result):
        return None
    return result if len(shape) == 1 else result.view(*shape, *first.shape)


def _facts(tensor: Any) -> tuple[Any, ...]:
    return tensor.shape, tensor.dtype, tensor.device, tensor.layout


def _is_strided(torch: Any, tensor: Any) -> bool:
    return tensor.layout is torch.strided


def _fresh(torch: Any, tensors: Members) -> Any:
    """Memory for a large result, advised; None where torch had better find its own."""
    first = tensors[0]
    if not first.is_cpu or not _is_strided(torch, first) or len(tensors) * first.nbytes < LARGE:
        return None
    if not _are_of_dtype(torch, tensors) or not kernels.have(tensors, torch._C.TensorBase.requires_grad, False):
        return None
    return allocation.empty(torch, (len(tensors), *first.shape), first.dtype)


def _are_of_dtype(torch: Any, tensors: Members) -> bool:
    return kernels.have(tensors, torch._C.TensorBase.dtype, tensors[0].dtype)


def _keeps_integers(torch: Any, tensors: Members, result: Any) -> bool:
    """Whether no integer was rounded among floats. For small members looking at the result is the quicker proof."""
    name = name_of_torch(result.dtype)
    if DTYPES[name].kind in "biu":
        return True
    small = _is_strided(torch, result) and result.nbytes <= _SMALL * len(tensors)
    if small and has_plain_memory(result) and kernels.cannot_have_rounded_integers(result, name):
        return True
    return _are_of_dtype(torch, tensors)


_SMALL = 1024
"""Bytes of a member that are looked at sooner than its dtype is asked for."""
_FEW = 16
"""Members whose classes and dtypes are compared sooner than anything else is looked at."""
_MUCH = 1 << 20
"""Bytes that the result for a few may have: above, threads and advice on the memory may be of use."""
