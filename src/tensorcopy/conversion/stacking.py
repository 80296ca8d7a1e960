"""Nests whose members are arrays, tensors, columns or other sources: one allocation, each member written once."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterator, KeysView, Sequence, ValuesView
from dataclasses import dataclass
from typing import Any

from ..errors import (
    LossyConversionError,
    NestError,
    RaggedError,
    TensorcopyError,
    UnsupportedSourceError,
    WrongDeviceError,
)
from ..live import tensors
from ..live.dtypes import DTYPES, default_float, name_of_torch, numpy_dtype, torch_dtype
from ..live.libraries import is_mock, load
from . import allocation, gathering, number_kinds
from .carry_out import carry_out, finish
from .casting import followable
from .filling import fill_array, fill_tensor
from .freed import require_memory
from .nulls import filled
from .places import path_at, place
from .plan import Decision, Exposure, Plan, Request
from .planner import decide
from .reading import ForeignLeaf
from .sources import expose
from .sources.sequence import require_end

_NUMBERS = (bool, int, float, complex)
_BUFFERS = (str, bytes, bytearray, memoryview, array)
_DEEPEST = 64


def is_level(obj: object) -> bool:
    """Whether *obj* is a level of a nest, to be descended into, rather than one of its members."""
    cls = type(obj)
    if issubclass(cls, (list, tuple, deque)):
        return True
    if issubclass(cls, _BUFFERS) or is_mock(cls):
        return False
    return issubclass(cls, (Sequence, Iterator, KeysView, ValuesView))


@dataclass(frozen=True, slots=True, kw_only=True)
class Flat:
    """A rectangular nest taken apart: its members in order, and the shape of the levels above them."""

    members: list[Any]
    shape: tuple[int, ...]

    def path(self, position: int) -> str:
        """Where the member at *position* sits in the nest, like ``[3][1]``."""
        return place(path_at(position, self.shape))


def flatten(nest: Any) -> Flat:
    """*nest* taken apart level by level; `RaggedError` names the first place where it is no rectangle."""
    flat = Flat(members=[nest], shape=())
    while flat.members and is_level(flat.members[0]) and not _has_arrays(flat.members):
        if len(flat.shape) == _DEEPEST:
            raise _too_deep()
        flat = _descend(flat)
    for position, member in enumerate(flat.members):
        if isinstance(member, (list, tuple)) and isinstance(flat.members[0], _NUMBERS):
            raise _ragged(flat, position, "a number or an array", f"a {type(member).__name__} of {len(member)}")
    return flat


def _has_arrays(members: list[Any]) -> bool:
    """Whether sources with a shape of their own stand among the levels: then each level is a member like them."""
    return any(not is_level(member) and not isinstance(member, (*_NUMBERS, *_BUFFERS)) for member in members)


def _descend(flat: Flat) -> Flat:
    members: list[Any] = []
    size = -1
    for position, level in enumerate(flat.members):
        if not is_level(level):
            raise _ragged(flat, position, f"a sequence of {size}", f"a {type(level).__name__}")
        require_end(level)
        items = level if isinstance(level, (list, tuple)) else list(level)
        if size not in (-1, len(items)):
            raise _ragged(flat, position, f"{size} elements", f"{len(items)}")
        size = len(items)
        members.extend(items)
    return Flat(members=members, shape=(*flat.shape, size))


def _ragged(flat: Flat, position: int, expected: str, found: str) -> RaggedError:
    return RaggedError(
        f"nest is ragged at {flat.path(position) or 'the top'}: expected {expected}, found {found}",
        why="a tensor is a rectangle, so every part of a level must have the shape of the first",
        fix="pad or trim the parts, or convert them one by one",
    )


def _too_deep() -> NestError:
    return NestError(
        f"nest is more than {_DEEPEST} levels deep",
        why="no array has so many dimensions; the nest may contain itself",
        fix="look for a list that was appended to itself, or flatten the nest",
    )


def stack(nest: Any, request: Request) -> Any:
    """One tensor or array from a nest of sources: copies; keeps the graph of tensor members unless ``detach=True``."""
    if type(nest) in (list, tuple) and nest:
        gathered = gathering.gather(nest, (len(nest),), request)
        if gathered is not None:
            return gathered
    flat = flatten(nest)
    flat = Flat(members=filled(flat.members, request.null), shape=flat.shape)
    if len(flat.shape) > 1 and flat.members:
        gathered = gathering.gather(flat.members, flat.shape, request)
        if gathered is not None:
            return gathered
    return _stack_to_tensor(flat, request) if request.to == "torch" else _stack_to_array(flat, request)


def _stack_to_tensor(flat: Flat, request: Request) -> Any:
    torch = load("torch")
    members = [_member(m, flat.path(i), request, "torch") for i, m in enumerate(flat.members)]
    _require_strided(torch, flat, members)
    inner = _common_shape(flat, members)
    device = _device_of_all(flat, members, request)
    name = request.dtype or _promoted_torch(torch, flat.members, members)
    graph = any(m.requires_grad or tensors.is_transformed(m) for m in members)
    if device is not None or graph or tensors.is_without_memory():
        one = Request(to="torch", dtype=name, casting=request.casting, device=device, depth=request.depth + 1)
        parts = [carry_out_one(m, one) for m in members]
        return torch.stack(parts).reshape(*flat.shape, *inner)
    result = allocation.empty(torch, (len(members), *inner), torch_dtype(name))
    for i, member in enumerate(members):
        _fill_member(fill_tensor, result[i], member, name_of_torch(member.dtype), name, request.casting, flat.path(i))
    return result.view(*flat.shape, *inner)


def carry_out_one(source: Any, request: Request) -> Any:
    """*source* converted by its own plan."""
    exposure = expose(source, request)
    return follow(decide(exposure, request), exposure, request)


def follow(plan: Plan | Decision, exposure: Exposure, request: Request) -> Any:
    """The result of *plan*; a nest that turns out to hold arrays where numbers were expected is stacked instead.

    Where a value would be lost, the error names a dtype that takes all of them.
    """
    try:
        return _follow(plan, exposure, request)
    except LossyConversionError as error:
        if request.depth:
            raise
        better = followable(error, lambda dtype: _follow_as(dtype, exposure, request))
        raise better from error.__cause__


def _follow_as(dtype: str, exposure: Exposure, request: Request) -> Any:
    other = request._replace(dtype=dtype)
    return _follow(decide(exposure, other), exposure, other)


def _follow(plan: Plan | Decision, exposure: Exposure, request: Request) -> Any:
    if plan.route != "stack":
        result = carry_out(plan, exposure, request)
        if not isinstance(result, ForeignLeaf):
            return result
    return finish(stack(exposure.open(), request), exposure, request)


def _stack_to_array(flat: Flat, request: Request) -> Any:
    numpy = load("numpy")
    members = [_member(m, flat.path(i), request, "numpy") for i, m in enumerate(flat.members)]
    inner = _common_shape(flat, members)
    name = request.dtype or str(numpy.result_type(*{m.dtype for m in members}).name)
    result = numpy.empty((len(members), *inner), numpy_dtype(name))
    for i, member in enumerate(members):
        _fill_member(
            fill_array, result[i : i + 1], member[None], str(member.dtype.name), name, request.casting, flat.path(i)
        )
    return result.reshape(*flat.shape, *inner)


def _member(member: Any, path: str, request: Request, to: str) -> Any:
    """One member in the target library, sharing where it can; errors name *path*."""
    if request.depth == _DEEPEST:
        raise _too_deep()
    options: dict[str, Any] = {"detach": request.detach, "null": request.null, "casting": request.casting}
    try:
        return carry_out_one(member, Request(to=to, readonly=True, depth=request.depth + 1, **options))
    except NestError:
        raise
    except TensorcopyError as error:
        raise type(error)(f"{error.what} at {path}", why=error.why, fix=error.fix) from error


def _require_strided(torch: Any, flat: Flat, members: list[Any]) -> None:
    for i, member in enumerate(members):
        require_memory(member)
        if member.layout is not torch.strided:
            raise UnsupportedSourceError(
                f"cannot write member {flat.path(i)} of layout {tensors.layout_name(member)} beside the others",
                why="they are put into one block of strided memory, and it is no such block itself",
                fix="make it dense first, with to_dense(), or stack tensors of one layout and dtype with torch.stack",
            )


def _common_shape(flat: Flat, members: list[Any]) -> tuple[int, ...]:
    shape = tuple(members[0].shape) if members else ()
    for i, member in enumerate(members):
        if tuple(member.shape) != shape:
            raise _ragged(flat, i, f"shape {shape}", f"shape {tuple(member.shape)}")
    return shape


def _device_of_all(flat: Flat, members: list[Any], request: Request) -> Any:
    """The device on which the members are brought together; None if that is the CPU, where they all lie."""
    if all(member.is_cpu for member in members):
        return None
    if request.device is not None:
        return request.device
    placed = [i for i, member in enumerate(flat.members) if not isinstance(member, _NUMBERS)]
    first = members[placed[0]].device
    odd = next((i for i in placed if members[i].device != first), None)
    if odd is not None:
        raise WrongDeviceError(
            f"member {flat.path(odd)} lies on {members[odd].device}, member {flat.path(placed[0])} on {first}",
            why="a tensor lies on one device, and nothing says which of the two it should be",
            fix="pass device=, or move the members to one device first",
        )
    return first


def _promoted_torch(torch: Any, originals: list[Any], members: list[Any]) -> str:
    """The dtype that torch's promotion gives; a Python number counts only by its kind, as in arithmetic."""
    names = {name_of_torch(m.dtype) for o, m in zip(originals, members, strict=True) if not isinstance(o, _NUMBERS)}
    numbers = {name_of_torch(m.dtype) for o, m in zip(originals, members, strict=True) if isinstance(o, _NUMBERS)}
    if not names:
        names = numbers or {default_float()}
    name = _promote(torch, names)
    wider = {n for n in numbers if _KIND_ORDER.index(DTYPES[n].kind) > _KIND_ORDER.index(DTYPES[name].kind)}
    if name == "uint64":
        wider.discard("int64")  # together they would be float64, which holds neither
    return _promote(torch, {name, *wider})


_KIND_ORDER = "buifc"


def _promote(torch: Any, names: set[str]) -> str:
    first, *rest = sorted(names)
    for name in rest:
        first = _promote_both(torch, first, name)
    return first


_WITHOUT_PROMOTION = frozenset({"uint16", "uint32", "uint64"})
"""Types that torch promotes among floating types only; elsewhere NumPy's rules serve for them."""


def _promote_both(torch: Any, one: str, other: str) -> str:
    if {one, other} & _WITHOUT_PROMOTION and "f" not in (DTYPES[one].kind, DTYPES[other].kind):
        return number_kinds.promote(one, other)
    return name_of_torch(torch.promote_types(torch_dtype(one), torch_dtype(other)))


def _fill_member(fill: Any, place: Any, member: Any, source: str, target: str, casting: str, path: str) -> None:
    try:
        fill(place, member, source, target, casting)
    except TensorcopyError as error:
        raise type(error)(f"{error.what} of member {path}", why=error.why, fix=error.fix) from error
