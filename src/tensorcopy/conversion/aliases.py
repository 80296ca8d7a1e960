"""Leaves of a nest that lie on common bytes, found by their spans. What copies them is `alias_copies`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import add, attrgetter
from typing import Any

from ..live import tensors
from ..live.dtypes import name_of_numpy, name_of_torch
from ..live.libraries import class_of, is_tensor, load
from ..live.memory import Region, meeting_spans, overlaps
from ..live.regions import footprint
from .leaves import is_dispatching
from .plan import Request

MOST_PAIRS = 20_000
"""Pairs of leaves with meeting spans that are compared exactly; a denser tangle is copied as one."""
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


def pairs_of(group: Group) -> Iterator[tuple[Any, Region]]:
    """Each member with its region."""
    return zip(group.members, group.regions, strict=True)


def is_one_view(group: Group) -> bool:
    """Whether all members look at the same elements in the same way, as tied weights do."""
    return len({_geometry(member, region) for member, region in pairs_of(group)}) == 1


def dtype_key(member: Any) -> str:
    """The name of the element type; for arrays that only NumPy knows, its description."""
    if is_tensor(member):
        return name_of_torch(member.dtype)
    return name_of_numpy(member.dtype) if member.dtype.isnative and not member.dtype.names else str(member.dtype.str)


def _geometry(member: Any, region: Region) -> tuple[Any, ...]:
    bits = (member.is_conj(), member.is_neg()) if is_tensor(member) else (False, False)
    return region.address, region.shape, region.strides, dtype_key(member), bits
