"""What `copy` would do, as a `Plan`. Nothing here moves data."""

from __future__ import annotations

from math import prod
from typing import Any

from ..live.dtypes import DTYPES, name_of_numpy, name_of_torch
from ..live.libraries import is_ndarray, is_tensor, load
from ..live.tensors import is_lazy
from .aliases import Group, groups_of, is_one_view
from .leaves import for_member, refuse_for_array
from .nests import Survey, survey
from .overwriting import check_writing
from .plan import Plan, Request, Step
from .roles import is_leaf

_WHY = "a copy owns its memory"


def plan_copying(x: Any, request: Request, out: Any, flat: bool) -> Plan:
    """The plan of ``copy``; raises what the call would raise for its arguments, structure and memory."""
    if out is not None:
        return _plan_writing(x, request, out)
    if is_leaf(x):
        return _plan_leaf(x, request)
    return _plan_nest(survey(x), request, flat)


def _plan_leaf(x: Any, request: Request) -> Plan:
    if is_ndarray(x):
        refuse_for_array(request)
    own, target = _dtype_name(x), request.dtype or _dtype_name(x)
    action = "copy" if own == target else f"convert {own} to {target}"
    return Plan(
        source=_kind(x),
        target=_kind(x),
        route="copy",
        shares=False,
        graph=_graph([x], request),
        dtype=target,
        shape=_shape(x),
        device=_device(x, request),
        steps=(Step(action=f"{action} into one fresh buffer", bytes=_size(x, request)),),
        why=_WHY,
    )


def _plan_nest(found: Survey, request: Request, flat: bool) -> Plan:
    groups = groups_of(found.leaves, request)
    grouped = {position for group in groups for position in group.positions}
    alone = [leaf for position, leaf in enumerate(found.leaves) if position not in grouped]
    place = "one buffer for each dtype" if flat else "memory of its own"
    steps = [
        Step(action=f"copy each of {len(alone)} tensors and arrays into {place}", bytes=_total(alone, request)),
        *(_group_step(group, request) for group in groups),
        Step(action=f"let {len(found.owned)} objects copy themselves", bytes=None),
        Step(action=f"make {len(found.containers)} containers anew"),
    ]
    wanted = (alone, *groups, found.owned, found.containers)
    return Plan(
        source=_kind(found.root),
        target=_kind(found.root),
        route="nest",
        shares=False,
        graph=_graph(found.leaves, request),
        dtype=_only({for_member(leaf, request).dtype or _dtype_name(leaf) for leaf in found.leaves}),
        shape=None,
        device=_only({_device(leaf, for_member(leaf, request)) for leaf in found.leaves}) or "cpu",
        steps=tuple(step for step, needed in zip(steps, wanted, strict=True) if needed),
        why=_WHY,
    )


def _group_step(group: Group, request: Request) -> Step:
    why = f"these {len(group.members)} members share memory, and so will their copies"
    if is_one_view(group):
        return Step(action="copy once what is one view", bytes=_size(group.members[0], request), why=why)
    low, high = min(r.span[0] for r in group.regions), max(r.span[1] for r in group.regions)
    return Step(action="copy one block, and lay the members over it", bytes=high - low, why=why)


def _plan_writing(x: Any, request: Request, out: Any) -> Plan:
    pairs = check_writing(out, x, request).leaves
    sizes = [_size(pair.out, request) for pair in pairs]
    size = None if None in sizes else sum(size for size in sizes if size is not None)
    return Plan(
        source=_kind(x),
        target=_kind(out),
        route="write",
        shares=False,
        graph=_graph([pair.source for pair in pairs], request),
        dtype=_only({_dtype_name(pair.out) for pair in pairs}),
        shape=tuple(out.shape) if is_tensor(out) or is_ndarray(out) else None,
        device=_only({_device(pair.out, request) for pair in pairs}) or "cpu",
        steps=(Step(action=f"write into {len(pairs)} existing tensors and arrays", bytes=size),),
        why="out= has memory for it",
    )


def _shape(x: Any) -> tuple[int, ...] | None:
    """The shape of a leaf; None for nested tensors and lazy parameters, which have none."""
    return None if is_tensor(x) and (x.is_nested or is_lazy(x)) else tuple(x.shape)


def _kind(x: Any) -> str:
    if is_tensor(x):
        return "tensor" if type(x).__name__ == "Tensor" else type(x).__name__
    if is_ndarray(x):
        return "NumPy array" if type(x) is load("numpy").ndarray else f"NumPy {type(x).__name__}"
    return type(x).__name__


def _dtype_name(leaf: Any) -> str:
    return name_of_torch(leaf.dtype) if is_tensor(leaf) else name_of_numpy(leaf.dtype)


def _device(leaf: Any, request: Request) -> str:
    return str(request.device or leaf.device) if is_tensor(leaf) else "cpu"


def _graph(leaves: list[Any], request: Request) -> str:
    if not any(is_tensor(leaf) and leaf.requires_grad for leaf in leaves):
        return "none"
    return "cuts" if request.detach else "keeps"


def _size(leaf: Any, request: Request) -> int | None:
    """Bytes of the copy of *leaf*; None for layouts that store fewer elements than their shape counts, or more."""
    if is_tensor(leaf) and (leaf.layout is not load("torch").strided or leaf.is_nested or is_lazy(leaf)):
        return None
    dtype = for_member(leaf, request).dtype
    width = int(leaf.dtype.itemsize) if dtype is None else DTYPES[dtype].bytes
    return prod(map(int, leaf.shape)) * width


def _total(leaves: list[Any], request: Request) -> int | None:
    sizes = [_size(leaf, request) for leaf in leaves]
    return None if None in sizes else sum(size for size in sizes if size is not None)


def _only(names: set[str]) -> str | None:
    return names.pop() if len(names) == 1 else None
