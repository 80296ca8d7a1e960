"""Leaves of a nest that lie on common bytes: found by their spans, copied once, and laid over the copy again."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import add, attrgetter
from typing import Any

from ..live import arrays, tensors
from ..live.dtypes import DTYPES, name_of_numpy, name_of_torch, numpy_dtype, torch_dtype
from ..live.libraries import class_of, is_tensor, load
from ..live.memory import Region, meeting_spans, overlaps
from ..live.regions import footprint
from . import allocation
from .carry_out import refuse_loss
from .casting import can_lose, find_loss, loss_error
from .leaves import copy_leaf, dressed, for_member, is_dispatching, suits
from .plan import Request

MOST_PAIRS = 20_000
"""Pairs of leaves with meeting spans that are compared exactly; a denser tangle is copied as one."""
_ALIGNMENT = 64
"""Bytes to which allocators align: a place modulo this tells whether the elements there are aligned."""

Span = tuple[int, int, int]
"""Lowest byte, end, and position of the leaf."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Leaves that share bytes, directly or through one another."""

    positions: list[int]
    members: list[Any]
    regions: list[Region]


def groups_of(leaves: Sequence[Any], request: Request, spans: list[Span] | None = None) -> list[Group]:
    """The groups of two and more leaves that share bytes; *spans* are those of `plain_spans`. Reads addresses only.

    By themselves stay: what is not strided memory, wrapper classes, quantized and masked values, arrays of Python
    objects, and with ``detach=False`` whatever is on the graph, where the copy of a view must lead back to that very
    view. While a tracer records calls, all do.
    """
    if tensors.is_recording():
        return []
    if spans is None:
        spans = [span for i, leaf in enumerate(leaves) for span in _span(i, leaf, request)]
    return [group for cluster in _clusters(sorted(spans)) for group in _split(cluster, leaves, request)]


def plain_spans(leaves: Sequence[Any], request: Request) -> list[Span] | None:
    """The spans of contiguous plain tensors in real memory; None if anything else is among the leaves. Fast."""
    torch = class_of("torch", "strided") and load("torch")
    if not torch or not set(map(type, leaves)) <= {torch.Tensor, torch.nn.Parameter}:
        return None
    if set(map(attrgetter("layout"), leaves)) != {torch.strided}:
        return None
    if not request.detach and any(map(attrgetter("requires_grad"), leaves)):
        return None
    ranges = contiguous_ranges(leaves)
    return None if ranges is None else [(low, high, i) for i, (low, high) in enumerate(ranges) if 0 < low < high]


def contiguous_ranges(leaves: Iterable[Any]) -> Iterator[tuple[int, int]] | None:
    """First byte and end of each tensor; None if one is not contiguous, or torch has no address for it."""
    tensor = class_of("torch", "Tensor")
    try:
        if not all(map(tensor.is_contiguous, leaves)):
            return None
        starts = list(map(tensor.data_ptr, leaves))
    except RuntimeError:
        return None
    return zip(starts, map(add, starts, map(attrgetter("nbytes"), leaves)), strict=True)


def _span(position: int, leaf: Any, request: Request) -> Iterator[Span]:
    region = region_of(leaf, request)
    if region is not None:
        low, high = region.span
        if low < high:
            yield low, high, position


def region_of(leaf: Any, request: Request) -> Region | None:
    """The memory of a leaf that may be laid over a copied block; None for one that is copied by itself."""
    if is_tensor(leaf):
        alone = (not request.detach and leaf.requires_grad) or not _is_strided_memory(leaf)
    else:
        alone = leaf.dtype.hasobject or isinstance(leaf, load("numpy").ma.MaskedArray)
    regions = () if alone else footprint(leaf).regions
    return regions[0] if len(regions) == 1 else None


def _is_strided_memory(tensor: Any) -> bool:
    plain = tensor.layout is load("torch").strided and not tensor.is_quantized and not tensor.is_nested
    return bool(plain) and not is_dispatching(tensor) and tensors.has_address(tensor)


def _clusters(spans: Sequence[Span]) -> Iterator[list[int]]:
    """Positions whose sorted spans form an unbroken stretch of bytes, where these are more than one."""
    cluster: list[int] = []
    reach = 0
    for low, high, position in spans:
        if low >= reach:
            if len(cluster) > 1:
                yield cluster
            cluster = []
        cluster.append(position)
        reach = max(reach, high)
    if len(cluster) > 1:
        yield cluster


def _split(cluster: list[int], leaves: Sequence[Any], request: Request) -> Iterator[Group]:
    """The parts of a cluster that truly share elements; interleaved views, such as columns of a matrix, do not."""
    found = {p: region_of(leaves[p], request) for p in sorted(cluster)}
    regions = {p: region for p, region in found.items() if region is not None}
    places = list(regions)
    parent = list(range(len(places)))
    for i, j in _meeting(list(regions.values())):
        parent[_root(parent, i)] = _root(parent, j)
    families: dict[int, list[int]] = {}
    for i, place in enumerate(places):
        families.setdefault(_root(parent, i), []).append(place)
    for family in families.values():
        if len(family) > 1:
            yield Group(positions=family, members=[leaves[p] for p in family], regions=[regions[p] for p in family])


def _meeting(regions: list[Region]) -> Iterator[tuple[int, int]]:
    """Pairs that share elements, or may; past `MOST_PAIRS` comparisons every pair of meeting spans."""
    for count, (i, j) in enumerate(meeting_spans(regions)):
        if count >= MOST_PAIRS:
            yield from ((k, k + 1) for k in range(len(regions) - 1) if regions[k].space == regions[k + 1].space)
            return
        if overlaps(regions[i], regions[j]) is not False:
            yield i, j


def _root(parent: list[int], i: int) -> int:
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


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


def _pairs(group: Group) -> Iterator[tuple[Any, Region]]:
    return zip(group.members, group.regions, strict=True)


def is_one_view(group: Group) -> bool:
    """Whether all members look at the same elements in the same way, as tied weights do."""
    return len({_geometry(member, region) for member, region in _pairs(group)}) == 1


def _apart(members: Iterable[Any], request: Request) -> list[Any]:
    return [copy_leaf(member, for_member(member, request)) for member in members]


def _goes_apart(group: Group, request: Request) -> bool:
    kinds = {is_tensor(member) for member in group.members}
    if len(kinds) == 2 and request.device is not None:
        return True
    return len(_dtypes(group)) > 1 and any(_changes(member, request) for member in group.members)


def _dtypes(group: Group) -> set[str]:
    return {_dtype_key(member) for member in group.members}


def _dtype_key(member: Any) -> str:
    if is_tensor(member):
        return name_of_torch(member.dtype)
    return name_of_numpy(member.dtype) if member.dtype.isnative and not member.dtype.names else str(member.dtype.str)


def _changes(member: Any, request: Request) -> bool:
    return suits(member, request.dtype) and _dtype_key(member) != request.dtype


def _geometry(member: Any, region: Region) -> tuple[Any, ...]:
    bits = (member.is_conj(), member.is_neg()) if is_tensor(member) else (False, False)
    return region.address, region.shape, region.strides, _dtype_key(member), bits


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
    aligned = all((r.address - origin) % r.itemsize == 0 for m, r in _pairs(group) if converts or is_tensor(m))
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
        return [_laid(block, m, r.address - origin, r.strides, request) for m, r in _pairs(group)]
    return _convert_block(block, group, request, target)


def _pieces(group: Group) -> Iterator[tuple[Any, int, int]]:
    """Member and byte range for each stretch of the block, every byte once."""
    done = 0
    for member, region in sorted(_pairs(group), key=lambda pair: pair[1].span):
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
    origin, name, width = _origin(group), _dtype_key(group.members[0]), group.regions[0].itemsize
    if is_tensor(block):
        block = block.view(torch_dtype(name)).to(torch_dtype(target)).view(load("torch").uint8)
    else:
        with load("numpy").errstate(all="ignore"):
            block = block.view(numpy_dtype(name)).astype(numpy_dtype(target)).view("uint8")
    size = DTYPES[target].bytes
    results = []
    for member, region in _pairs(group):
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
