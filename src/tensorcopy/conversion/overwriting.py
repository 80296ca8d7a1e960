"""Write a copy into existing tensors, arrays or nests: ``copy(x, out=...)``. All is checked before any write."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..errors import BadArgumentError, GraphError, NestError, ReadOnlyMemoryError, TensorcopyError, WrongDeviceError
from ..live.arrays import for_numpy_cast, why_read_only
from ..live.dtypes import DTYPES, name_of_numpy, name_of_torch
from ..live.libraries import is_ndarray, is_tensor, load
from ..live.memory import Region, meeting_spans, overlaps, overlaps_itself, same_bytes
from ..live.regions import footprint
from .casting import can_lose
from .containers import Kind, Taken, put_attribute, short, take_apart
from .freed import require_memory
from .leaves import PLAIN, at_path, copy_leaf, suits
from .moving import copy_all
from .nests import copy_nest, survey
from .plan import Request
from .roles import ATOM, ATOMS, is_leaf, role_of

Trail = tuple[Any, Taken, int] | None
"""The way to a member of *out*: the way to its container, the container taken apart, and the position in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A leaf of *out* and the leaf that is to be written into it."""

    out: Any
    source: Any
    trail: Trail

    @property
    def path(self) -> str:
        """Where the leaf of *out* sits; empty for *out* itself."""
        return path_of(self.trail)


@dataclass(slots=True, kw_only=True)
class Pairing:
    """What will be written where."""

    leaves: list[Pair] = field(default_factory=list)
    replaced: list[Callable[[], None]] = field(default_factory=list)
    """Immutable values and the like, which take the place of their predecessors."""


def path_of(trail: Trail) -> str:
    """The way along *trail*, like ``['state'][3]``."""
    steps = []
    while trail is not None:
        trail, taken, position = trail
        steps.append(taken.label(position))
    return "".join(reversed(steps))


def write_into(out: Any, x: Any, request: Request) -> Any:
    """Write the leaves of *x* into those of *out*, which it must match in structure and shapes; gives *out*.

    The leaves of *out* keep their dtype, device, layout and place in memory. Immutable values in dicts, lists and
    attributes are replaced. If anything is refused, *out* is as it was.
    """
    pairing = check_writing(out, x, request)
    ready = [(pair.out, _ready(pair, request)) for pair in pairing.leaves]
    _write(ready, request)
    for replace_value in pairing.replaced:
        replace_value()
    return out


def check_writing(out: Any, x: Any, request: Request) -> Pairing:
    """What `write_into` would write where, with everything checked but the values."""
    _refuse_options(request)
    survey(x)
    pairing = _paired(out, x)
    for pair in pairing.leaves:
        _check_leaf(pair, request)
    _check_overlaps(pairing.leaves)
    return pairing


def _refuse_options(request: Request) -> None:
    given = {"device": request.device, "memory_format": request.memory_format, "requires_grad": request.requires_grad}
    for name, value in given.items():
        if value is not None:
            raise BadArgumentError(
                f"{name}= was passed together with out=",
                why="out keeps its own place and layout, and whether it records gradients",
                fix=f"drop {name}=, or drop out= for a fresh copy",
            )


def _paired(out: Any, x: Any) -> Pairing:
    """The leaves of both nests side by side; `NestError` where the two are built differently."""
    found = Pairing()
    pending: list[tuple[Any, Any, Trail]] = [(out, x, None)]
    met: set[tuple[int, int]] = set()
    while pending:
        into, source, trail = pending.pop()
        if (id(into), id(source)) not in met:
            met.add((id(into), id(source)))
            pending.extend(reversed(list(_pair(into, source, trail, found))))
    return found


def _pair(into: Any, source: Any, trail: Trail, found: Pairing) -> Iterator[tuple[Any, Any, Trail]]:
    """Note one pair; gives the pairs inside it."""
    role, other = role_of(source), role_of(into)
    leaves = is_leaf(source), is_leaf(into)
    if all(leaves) and is_tensor(into) == is_tensor(source):
        found.leaves.append(Pair(out=into, source=source, trail=trail))
    elif isinstance(role, Kind) and isinstance(other, Kind) and type(role) is type(other):
        yield from _matched(take_apart(into, other), take_apart(source, role), trail)
    elif any(leaves) or isinstance(role, Kind) or isinstance(other, Kind):
        raise _unlike(into, source, trail)
    elif not (role is ATOM and _is_same(into, source)):
        found.replaced.append(_replacement(trail, into, copy_nest(source, PLAIN)))


def _matched(into: Taken, source: Taken, trail: Trail) -> Iterator[tuple[Any, Any, Trail]]:
    """The parts of two containers of one kind, part by part; `NestError` unless each has a partner."""
    if into.kind.hashed(1) and not isinstance(into.source, Mapping):
        if into.source != source.source:
            raise _unlike(into.source, source.source, trail)
        return
    partners = _by_name(source)
    places = _by_name(into)
    if places.keys() != partners.keys():
        raise _missing(into, source, sorted(map(short, places.keys() ^ partners.keys())), trail)
    for name, position in places.items():
        yield into.parts[position], source.parts[partners[name]], (trail, into, position)


def _by_name(taken: Taken) -> dict[Any, int]:
    """Position of each part by what it is found under: its key, its index, or the name of the attribute."""
    keys = taken.hashed()
    if keys:
        found: dict[Any, int] = {("key", key): len(keys) + i for i, key in enumerate(keys)}
    else:
        found = {("index", i): i for i in range(taken.count)}
    return found | {("attribute", name): taken.count + i for i, name in enumerate(taken.names)}


def _missing(into: Taken, source: Taken, names: list[str], trail: Trail) -> NestError:
    where = path_of(trail) or "the top"
    return NestError(
        f"out and the source differ at {where}: {len(into.parts)} members and {len(source.parts)}",
        why=f"each leaf needs one to be written into; only one of the two has {', '.join(names[:3])}",
        fix="pass an out of the same structure, such as an earlier copy of the source",
    )


def _unlike(into: Any, source: Any, trail: Trail) -> NestError:
    return NestError(
        f"cannot copy {type(source).__name__} into {type(into).__name__} at {path_of(trail) or 'out'}",
        why="out must have the structure and the library of the source",
        fix="pass an out of the same structure, such as an earlier copy of the source, or leave out= away",
    )


def _is_same(a: Any, b: Any) -> bool:
    """Whether two immutable values may stand for one another."""
    if a is b:
        return True
    return type(a) is type(b) and type(a) in ATOMS and bool(a == b or (a != a and b != b))


def _replacement(trail: Trail, into: Any, value: Any) -> Callable[[], None]:
    """What puts *value* into the place of *into*; a refusal where the container cannot be changed."""
    if trail is not None:
        _, taken, position = trail
        if position >= taken.count:
            return partial(put_attribute, taken.source, taken.names[position - taken.count], value)
        if isinstance(taken.source, list):
            return partial(list.__setitem__, taken.source, position, value)
        if isinstance(taken.source, dict):
            return partial(taken.kind.base.__setitem__, taken.source, taken.parts[position - taken.count // 2], value)
    container = type(trail[1].source).__name__ if trail else "out"
    raise NestError(
        f"cannot replace {type(into).__name__} at {path_of(trail) or 'the top'} of out",
        why=f"it cannot be written in place, and {container} holds it for good",
        fix="make the two equal there, or leave out= away",
    )


def _check_leaf(pair: Pair, request: Request) -> None:
    out, source = pair.out, pair.source
    at = f" at {pair.path}" if pair.path else ""
    if tuple(out.shape) != tuple(source.shape):
        raise BadArgumentError(
            f"out{at} has shape {tuple(out.shape)}, the source {tuple(source.shape)}",
            why="the copy is written as it is, without broadcasting",
            fix="pass an out of the shape of the source",
        )
    name, own = _dtype_name(out), _dtype_name(source)
    if request.dtype not in (None, name) and (suits(source, request.dtype) or not pair.path):
        raise BadArgumentError(
            f"out{at} is {name}, and dtype={request.dtype} was asked for",
            why="the copy is written into the memory of out, which has its own element type",
            fix="drop dtype=, or pass an out of that dtype",
        )
    if name != own and not {name, own} <= set(DTYPES):
        raise BadArgumentError(
            f"out{at} is {name}, the source {own}",
            why="there is no conversion between the two",
            fix="pass an out of the dtype of the source",
        )
    (_check_tensor if is_tensor(out) else _check_array)(out, source, at, request)


def _dtype_name(leaf: Any) -> str:
    return name_of_torch(leaf.dtype) if is_tensor(leaf) else name_of_numpy(leaf.dtype)


def _check_tensor(out: Any, source: Any, at: str, request: Request) -> None:
    if source.device.type == "meta" and out.device.type != "meta":
        raise WrongDeviceError(
            f"cannot write a tensor on device meta into out{at}",
            why="a meta tensor has a shape and no data",
            fix="make the data first",
        )
    require_memory(source)
    require_memory(out)
    if out.layout is not source.layout:
        raise BadArgumentError(
            f"out{at} is {out.layout}, the source {source.layout}",
            why="the elements of the two lie in different places",
            fix="pass an out of the layout of the source",
        )
    _check_writable(out, source, at, request)


def _check_writable(out: Any, source: Any, at: str, request: Request) -> None:
    """Refuse what torch would refuse half-way: a leaf as a result on the graph, inference tensors outside the mode."""
    torch = load("torch")
    if not request.detach and source.requires_grad and out.requires_grad and out.is_leaf and torch.is_grad_enabled():
        raise GraphError(
            f"out{at} is a leaf that requires grad",
            why="it cannot become the result of an operation on the graph",
            fix="pass detach=True to write its values only",
        )
    if out.is_inference() and not torch.is_inference_mode_enabled():
        raise ReadOnlyMemoryError(
            f"out{at} was made in inference mode",
            why="torch allows no change to it outside that mode",
            fix="call copy inside torch.inference_mode(), or leave out= away",
        )


def _check_array(out: Any, source: Any, at: str, request: Request) -> None:
    if why_read_only(out):
        raise ReadOnlyMemoryError(
            f"out{at} is a read-only array",
            why="nothing may be written into its memory",
            fix="pass a writable array, or leave out= away",
        )


def _check_overlaps(pairs: list[Pair]) -> None:
    """Refuse where one write would change another leaf of *out*, or the source."""
    regions: list[Region] = []
    owners: list[tuple[Pair, bool]] = []
    for pair in pairs:
        for leaf, is_out in ((pair.out, True), (pair.source, False)):
            for region in footprint(leaf).regions:
                regions.append(region)
                owners.append((pair, is_out))
                if is_out and overlaps_itself(region):
                    raise _overlap(pair, "several of its elements lie on the same memory")
    for i, j in meeting_spans(regions):
        (first, first_is_out), (second, second_is_out) = owners[i], owners[j]
        if not (first_is_out or second_is_out) or overlaps(regions[i], regions[j]) is False:
            continue
        _check_meeting(first, second, regions[i], regions[j], first_is_out and second_is_out)


def _check_meeting(first: Pair, second: Pair, a: Region, b: Region, both_out: bool) -> None:
    """Whether two leaves may meet: an out with its own source, or two outs that share as their sources do."""
    if first is second and not both_out:
        if same_bytes(a, b) and a.address == b.address and a.strides == b.strides:
            return
        raise _overlap(first, "it shares memory with the source that is to be copied into it")
    if not both_out:
        raise _overlap(first, "it shares memory with another leaf of the source")
    if first.source is not second.source and not _share_alike(first, second, b.address - a.address):
        raise _overlap(first, f"it shares memory with out{second.path}, and their sources differ")


def _share_alike(first: Pair, second: Pair, distance: int) -> bool:
    """Whether the sources of two outs lie as far from one another, and are laid out, as the outs."""
    mine, theirs = footprint(first.source).regions, footprint(second.source).regions
    outs = footprint(first.out).regions, footprint(second.out).regions
    if len(mine) != 1 or len(theirs) != 1:
        return False
    layouts = [(r.shape, r.strides, r.itemsize) for r in (mine[0], theirs[0])]
    return theirs[0].address - mine[0].address == distance and layouts == [
        (r[0].shape, r[0].strides, r[0].itemsize) for r in outs
    ]


def _overlap(pair: Pair, why: str) -> BadArgumentError:
    return BadArgumentError(
        f"cannot write into out{pair.path}", why=why, fix="pass memory of its own, or leave out= away for a fresh copy"
    )


def _ready(pair: Pair, request: Request) -> Any:
    """What is to be written: the source, or its checked conversion where a value could be lost on the way."""
    name, own = _dtype_name(pair.out), _dtype_name(pair.source)
    if own not in DTYPES or not can_lose(own, name, request.casting):
        return pair.source
    checked = request._replace(dtype=name)
    try:
        return copy_leaf(pair.source, checked)
    except TensorcopyError as error:
        raise at_path(error, pair.path) from error


def _write(ready: list[tuple[Any, Any]], request: Request) -> None:
    tensors = [(out, source) for out, source in ready if is_tensor(out)]
    if tensors:
        _write_tensors(load("torch"), tensors, request)
    for out, source in ready:
        if is_ndarray(out):
            load("numpy").copyto(out, for_numpy_cast(source, _dtype_name(out)), casting="unsafe")


def _write_tensors(torch: Any, ready: list[tuple[Any, Any]], request: Request) -> None:
    plain: list[tuple[Any, Any]] = []
    for out, source in ready:
        if not request.detach and source.requires_grad:
            out.copy_(source)
        elif _is_plain(torch, out) and _is_plain(torch, source):
            plain.append((out.detach(), source.detach()))
        else:
            with torch.no_grad():
                out.copy_(source)
    copy_all(torch, [out for out, _ in plain], [source for _, source in plain])


def _is_plain(torch: Any, x: Any) -> bool:
    return type(x) in (torch.Tensor, torch.nn.Parameter) and x.layout is torch.strided and not x.is_nested
