"""Copies of leaves that lie on common bytes: made once, and laid over the copy as the leaves lie over one another."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from typing import Any

from ..live import arrays
from ..live.dtypes import DTYPES, numpy_dtype, torch_dtype
from ..live.libraries import is_tensor, load
from . import allocation
from .aliases import Group, dtype_key, is_one_view, pairs_of
from .carry_out import refuse_loss
from .casting import can_lose, find_loss, loss_error
from .leaves import copy_leaf, dressed, for_member, suits
from .plan import Request

_ALIGNMENT = 64
"""Bytes to which allocators align: a place modulo this tells whether the elements there are aligned."""


def copy_group(group: Group, request: Request) -> list[Any]:
    """Copies of the members, in order, that share with one another as the members do, and with nothing else.

    Where the request cannot be met together, each member gets a copy of its own: another device for tensors that
    share with arrays, or a change of dtype for members that see the same bytes as different types.
    """
    if _goes_apart(group, request):
        return _apart(group.members, request)
    if is_one_view(group):
        return _copy_once(group.members, request)
    return _copy_block(group, request) if _fits_block(group, request) else _apart(group.members, request)


def _apart(members: Iterable[Any], request: Request) -> list[Any]:
    return [copy_leaf(member, for_member(member, request)) for member in members]


def _goes_apart(group: Group, request: Request) -> bool:
    kinds = {is_tensor(member) for member in group.members}
    if len(kinds) == 2 and request.device is not None:
        return True
    return len(_dtypes(group)) > 1 and any(_changes(member, request) for member in group.members)


def _dtypes(group: Group) -> set[str]:
    return {dtype_key(member) for member in group.members}


def _changes(member: Any, request: Request) -> bool:
    return suits(member, request.dtype) and dtype_key(member) != request.dtype


def _copy_once(members: list[Any], request: Request) -> list[Any]:
    """One copy for members that are the very same view: tied weights, for one."""
    first = next((member for member in members if is_tensor(member)), None)
    if first is None:
        base = copy_leaf(members[0].view(load("numpy").ndarray), for_member(members[0], request))
        return [_dressed_array(base, member) for member in members]
    base = copy_leaf(_bare(first), _without_grad(for_member(first, request)))
    return [
        dressed(base.detach(), member, for_member(member, request))
        if is_tensor(member)
        else _dressed_array(arrays.array_over(base), member)
        for member in members
    ]


def _bare(tensor: Any) -> Any:
    """*tensor* as a plain one, off the graph, on the same memory."""
    with load("torch")._C.DisableTorchFunctionSubclass():
        return tensor.detach()


def _without_grad(request: Request) -> Request:
    return request._replace(requires_grad=None)


def _dressed_array(base: Any, member: Any) -> Any:
    """A view of *base* of the class of *member*."""
    numpy = load("numpy")
    plain = type(member) is numpy.ndarray or isinstance(member, numpy.memmap)
    return base.view() if plain else base.view(type(member))


def _origin(group: Group) -> int:
    """The address that comes to lie on the first, aligned byte of the copied block."""
    low = min(region.span[0] for region in group.regions)
    tensor = next((member for member in group.members if is_tensor(member)), None)
    return low - (low if tensor is None else low - _storage_of(tensor).data_ptr()) % _ALIGNMENT


def _storage_of(tensor: Any) -> Any:
    return _bare(tensor).untyped_storage()


def _fits_block(group: Group, request: Request) -> bool:
    """Whether each member lies on whole elements, counted from the start of the block, where that matters."""
    origin, converts = _origin(group), _target(group, request) is not None
    aligned = all((r.address - origin) % r.itemsize == 0 for m, r in pairs_of(group) if converts or is_tensor(m))
    return aligned and not (converts and any(step % r.itemsize for r in group.regions for step in r.strides))


def _target(group: Group, request: Request) -> str | None:
    """The dtype that the members, all of one, are converted to; None if they keep theirs."""
    return request.dtype if _changes(group.members[0], request) else None


def _copy_block(group: Group, request: Request) -> list[Any]:
    """The bytes from the first to the last of the group in one block, and every member laid over it anew."""
    has_tensors = any(map(is_tensor, group.members))
    block = _filled_tensor_block(group) if has_tensors else _filled_array_block(group)
    if request.device is not None:
        block = block.to(request.device) if has_tensors else block
    target, origin = _target(group, request), _origin(group)
    if target is None:
        return [_laid(block, m, r.address - origin, r.strides, request) for m, r in pairs_of(group)]
    return _convert_block(block, group, request, target)


def _pieces(group: Group) -> Iterator[tuple[Any, int, int]]:
    """Member and byte range for each stretch of the block, every byte once."""
    done = 0
    for member, region in sorted(pairs_of(group), key=lambda pair: pair[1].span):
        low, high = region.span
        if high > done:
            yield member, max(low, done), high
        done = max(done, high)


def _length(group: Group, origin: int) -> int:
    """Bytes of the block: from *origin* to the highest byte of the group, a whole number of the widest elements."""
    return -(-(max(region.span[1] for region in group.regions) - origin) // _ALIGNMENT) * _ALIGNMENT


def _filled_tensor_block(group: Group) -> Any:
    torch, origin = load("torch"), _origin(group)
    device = next(member.device for member in group.members if is_tensor(member))
    block = _empty_bytes(torch, _length(group, origin), device)
    for member, low, high in _pieces(group):
        if is_tensor(member):
            block[low - origin : high - origin].copy_(_window(torch, member, low, high))
        else:
            ctypes.memmove(block.data_ptr() + low - origin, low, high - low)
    return block


def _empty_bytes(torch: Any, size: int, device: Any) -> Any:
    if device.type == "cpu":
        return allocation.empty(torch, (size,), torch.uint8)
    return torch.empty(size, dtype=torch.uint8, device=device)


def _window(torch: Any, tensor: Any, low: int, high: int) -> Any:
    """The bytes [low, high) of the storage of *tensor*, as a tensor."""
    storage = _storage_of(tensor)
    window = torch.empty(0, dtype=torch.uint8, device=storage.device)
    return window.set_(storage, low - storage.data_ptr(), (high - low,), (1,))


def _filled_array_block(group: Group) -> Any:
    numpy, origin = load("numpy"), _origin(group)
    size = _length(group, origin)
    roomy = numpy.empty(size + _ALIGNMENT, numpy.uint8)
    shift = -roomy.ctypes.data % _ALIGNMENT
    block = roomy[shift : shift + size]
    for _, low, high in _pieces(group):
        ctypes.memmove(block.ctypes.data + low - origin, low, high - low)
    return block


def _laid(
    block: Any, member: Any, offset: int, strides: tuple[int, ...], request: Request, dtype: str | None = None
) -> Any:
    """*member* anew on *block*, *offset* bytes from its start, with its class, shape and bits; *strides* in bytes."""
    if not is_tensor(member):
        return _laid_array(block, member, offset, strides, dtype)
    typed = block.view(member.dtype if dtype is None else torch_dtype(dtype))
    view = typed.as_strided(tuple(member.shape), member.stride(), offset // typed.element_size())
    view = view.conj() if member.is_conj() else view
    view = load("torch")._neg_view(view) if member.is_neg() else view
    return dressed(view.detach(), member, for_member(member, request))


def _laid_array(block: Any, member: Any, offset: int, strides: tuple[int, ...], dtype: str | None) -> Any:
    flat = arrays.array_over(block) if is_tensor(block) else block
    own = member.dtype if dtype is None else numpy_dtype(dtype)
    made = load("numpy").ndarray(member.shape, own, buffer=flat, offset=offset, strides=strides)
    return _dressed_array(made, member)


def _convert_block(block: Any, group: Group, request: Request, target: str) -> list[Any]:
    """The members, all of one dtype, on the block converted to *target*; bytes between them are not checked."""
    origin, name, width = _origin(group), dtype_key(group.members[0]), group.regions[0].itemsize
    if is_tensor(block):
        block = block.view(torch_dtype(name)).to(torch_dtype(target)).view(load("torch").uint8)
    else:
        with load("numpy").errstate(all="ignore"):
            block = block.view(numpy_dtype(name)).astype(numpy_dtype(target)).view("uint8")
    size = DTYPES[target].bytes
    results = []
    for member, region in pairs_of(group):
        strides = tuple(step // width * size for step in region.strides)
        copied = _laid(block, member, (region.address - origin) // width * size, strides, request, target)
        _refuse_loss(member, copied, name, target, request.casting)
        results.append(copied)
    return results


def _refuse_loss(member: Any, copied: Any, name: str, target: str, casting: str) -> None:
    if not can_lose(name, target, casting):
        return
    if is_tensor(member):
        refuse_loss(_bare(member), _bare(copied), name, target, casting)
        return
    index = find_loss(load("numpy"), member, copied, (name, target), casting)
    if index is not None:
        raise loss_error(member[index].item(), index, name, target)
