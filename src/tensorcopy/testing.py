"""Assertions about memory and the graph, for people's own tests.

All of them take tensors, arrays, buffers, columns of other libraries, and nests of these; numbers and text in a nest
are passed over. What cannot be known fails: an assertion that nothing was checked for would prove nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from typing import Any, NoReturn, TypeVar

from .live.aliases import objects_over, storage_users
from .live.describe import Description, describe
from .live.graph import graph_path
from .live.libraries import is_ndarray, is_tensor
from .live.memory import Region
from .live.nests import is_plain_value, leaves
from .live.owners import LENT, LENT_OR_SHOWN
from .live.regions import common_memory, footprint, meets
from .live.snapshots import Change, Snapshot

__all__ = [
    "assert_owned",
    "assert_shared",
    "assert_disjoint",
    "assert_detached",
    "assert_attached",
    "assert_unchanged",
]

T = TypeVar("T")


def assert_owned(x: Any, *sources: Any, search: bool = False) -> None:
    """Assert that *x* has memory of its own: writable, exactly as large as needed, seen by nothing else known.

    Fails for read-only or expanded memory, for a small view that keeps a large storage alive, for shared or mapped
    memory, for any overlap with *sources*, and for an object found over the same memory. Such objects are searched for
    (some 0.1 s, everything that Python can reach) where something hints at one: a view, a storage with further users,
    memory lent by another library, an array with a base. Members of a nest may share memory with one another.

    Args:
        x: The result of which it is claimed.
        sources: What it was made from, or anything else that it must not share memory with.
        search: Search even without a hint, as is needed to find a view of an array that owns its data.

    >>> import torch, tensorcopy as tc
    >>> x = torch.ones(4)
    >>> tc.testing.assert_owned(x.clone(), x)
    >>> tc.testing.assert_owned(x[1:])
    Traceback (most recent call last):
    AssertionError: ...
    """
    members = _with_memory(x, "own memory")
    for source in sources:
        _fail_if_not_disjoint(x, source, ("the object", "its source"))
    for path, leaf in members:
        reason = _why_not_owned(leaf, x, search)
        if reason:
            _fail(
                "is not owned",
                path,
                leaf,
                expected="writable memory of its own size, seen by nothing else",
                found=reason,
            )


def assert_shared(a: Any, b: Any) -> None:
    """Assert that *b* looks at memory of *a*: every member of *b* has bytes in common with some member of *a*."""
    _with_memory(a, "share memory")
    whole = footprint(a)
    for path, leaf in _with_memory(b, "share memory"):
        answer = meets(whole, footprint(leaf))
        if not answer:
            found = _distance(a, leaf) if answer is False else f"not known: {common_memory(a, leaf).why}"
            _fail("is not shared", path, leaf, expected="bytes in common with the first object", found=found)


def assert_disjoint(a: Any, b: Any, *more: Any) -> None:
    """Assert that no two of the objects have a byte in common. Views that interleave without touching are disjoint."""
    objects = (a, b, *more)
    for obj in objects:
        _with_memory(obj, "be disjoint")
    for (i, first), (j, second) in combinations(enumerate(objects, 1), 2):
        _fail_if_not_disjoint(first, second, (f"object {i}", f"object {j}"))


def assert_detached(x: Any, *, allow_leaves: bool = False) -> None:
    """Assert that no tensor in *x* is on a graph: none requires grad, so none can receive one or pass one on.

    Args:
        x: A tensor or a nest of them; arrays and numbers are never on a graph.
        allow_leaves: Accept leaves that require grad (fresh parameters): no graph lies behind them.
    """
    for path, tensor in _tensors(x):
        if tensor.requires_grad and not (allow_leaves and tensor.is_leaf):
            _fail("is not detached", path, tensor, expected="off the graph", found=str(describe(tensor).graph))


def assert_attached(x: Any, to: Any = None) -> None:
    """Assert that every tensor in *x* is on the graph and, with *to*, that gradients from it reach every tensor there.

    The graph is walked, nothing is differentiated: a path that multiplies by zero still counts as a path.
    """
    members = list(_tensors(x))
    if not members:
        _fail("is not attached", "", x, expected="a tensor on the graph", found="no tensor")
    for path, tensor in members:
        if not tensor.requires_grad:
            _fail("is not attached", path, tensor, expected="on the graph", found=str(describe(tensor).graph))
        for place, source in _tensors(to):
            way = graph_path(source, tensor)
            if not way.reaches:
                goal = f"a path to the tensor of shape {tuple(source.shape)}{f' at {place}' if place else ''}"
                _fail("is not attached", path, tensor, expected=goal, found=str(way))


@contextmanager
def assert_unchanged(x: T) -> Iterator[T]:
    """Assert that the block leaves every byte of *x* as it was, whoever writes; gives *x* itself. Costs a copy of it.

    In a nest, members must also stay the same objects, and numbers stay equal. To find the writer, use `protect`.

    >>> import torch, tensorcopy as tc
    >>> x = torch.zeros(2, 3)
    >>> with tc.testing.assert_unchanged(x):
    ...     y = x + 1
    """
    before = {path: leaf if is_plain_value(leaf) else Snapshot(leaf) for path, leaf in leaves(x)}
    if not before:
        _fail("cannot be watched", "", x, expected="something that can change", found="nothing in it")
    yield x
    after = dict(leaves(x))
    if list(before) != list(after):
        lost, new = [p for p in before if p not in after], [p for p in after if p not in before]
        _fail("has changed", "", x, expected="the members it had", found=f"without {lost}, with {new}")
    for path, old in before.items():
        _fail_if_changed(path, old, after[path])


def _fail_if_changed(path: str, old: Any, now: Any) -> None:
    if not isinstance(old, Snapshot):
        if old is not now and old != now:
            _fail("has changed", path, now, expected=repr(old), found=repr(now))
        return
    if old.obj is not now:
        _fail("has changed", path, now, expected="the same object as before", found="another object in its place")
    change = old.change()
    if change is not None:
        _fail("has changed", path, now, expected="every byte as it was", found=_counted(change, now))


def _counted(change: Change, obj: Any) -> str:
    if change.elements is None:
        return change.what
    total = sum(region.size for region in footprint(obj).regions)
    return f"{change.what}\n{'':11}changed elements: {change.elements} / {total} ({change.elements / total:.3%})"


def _with_memory(x: Any, claim: str) -> list[tuple[str, Any]]:
    """The members of *x* that may have memory; without any the claim would be empty, so that fails."""
    members = [(path, leaf) for path, leaf in leaves(x) if not is_plain_value(leaf)]
    if not members:
        _fail(f"cannot {claim}", "", x, expected="a tensor, an array or a buffer", found=type(x).__name__)
    return members


def _tensors(x: Any) -> Iterator[tuple[str, Any]]:
    return ((path, leaf) for path, leaf in leaves(x) if is_tensor(leaf))


def _fail_if_not_disjoint(a: Any, b: Any, names: tuple[str, str]) -> None:
    if meets(footprint(a), footprint(b)) is False:
        return
    found = common_memory(a, b)
    places = [f"element {list(index)}" for index in found.first if index is not None]
    where = f"; first {places[0]} of {names[0]} and {places[1]} of {names[1]}" if len(places) == 2 else ""
    _fail(
        "is not disjoint",
        "",
        a,
        expected=f"no byte in common between {names[0]} and {names[1]}",
        found=f"{found}{where}",
    )


def _why_not_owned(leaf: Any, nest: Any, search: bool) -> str:
    """The first reason against the claim, or an empty text."""
    found = describe(leaf)
    if found.unknown:
        return f"memory that cannot be located: {found.unknown}"
    reason = _why_not_fit(found) or _why_too_large(found, nest)
    if reason or not found.regions or not (search or _has_hint(leaf, found)):
        return reason
    return _seen_by(leaf, nest, found)


def _why_not_fit(found: Description) -> str:
    if found.writable is False and found.regions:
        return f"read-only memory ({_owners(found)})"
    if found.layout in ("expanded", "overlapping"):
        return f"{found.layout} memory: several elements are the same bytes"
    if found.shared_memory:
        return "shared memory, which other processes may write"
    mapped = [owner for owner in found.owners if owner.detail.startswith("file ") or owner.kind == "mmap"]
    return f"memory of a mapped file: {mapped[0]}" if mapped else ""


def _why_too_large(found: Description, nest: Any) -> str:
    kept, needed = found.keeps_alive, found.nbytes
    if kept is None or needed is None or kept <= needed or _covered(found, footprint(nest).regions):
        return ""
    return f"{needed:,} bytes that keep {kept:,} bytes alive ({_owners(found)}){_offset(found)}"


def _covered(found: Description, regions: tuple[Region, ...]) -> bool:
    """Whether other members of the nest use all that this one keeps alive."""
    spans = sorted(region.span for region in regions)
    return all(_filled(owner.span, spans) for owner in found.owners if owner.span is not None)


def _filled(span: tuple[int, int], spans: list[tuple[int, int]]) -> bool:
    reached = span[0]
    for lo, hi in spans:
        if lo <= reached:
            reached = max(reached, hi)
    return reached >= span[1]


def _has_hint(leaf: Any, found: Description) -> bool:
    """Whether something suggests that another object sees the memory too."""
    if is_tensor(leaf):
        return storage_users(leaf) != 1 or _is_lent(found)
    return is_ndarray(leaf) and bool(found.owners)


def _is_lent(found: Description) -> bool:
    return any(owner.detail in (LENT, LENT_OR_SHOWN) for owner in found.owners)


def _seen_by(leaf: Any, nest: Any, found: Description) -> str:
    own = {id(member) for _, member in leaves(nest)} | {id(leaf)}
    others = [obj for obj in objects_over(found.regions) if id(obj) not in own]
    if not others:
        return ""
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    return f"memory that another object sees too: {describe(others[0])!r}{more}"


def _owners(found: Description) -> str:
    return " -> ".join(map(str, found.owners)) or "its own"


def _offset(found: Description) -> str:
    """Where the object lies in what it keeps alive, counted from there: addresses differ from run to run."""
    ends = [owner.span for owner in found.owners if owner.span is not None]
    if found.span is None or not ends:
        return ""
    start = ends[-1][0]
    return f", at bytes [{found.span[0] - start:,}, {found.span[1] - start:,}) of them"


def _distance(a: Any, b: Any) -> str:
    first, second = describe(a).span, describe(b).span
    if first is None or second is None:
        return "no memory at all" if second is None else "no memory in the first object"
    if first[1] <= second[0]:
        return f"disjoint: it begins {second[0] - first[1]:,} bytes after the first object ends"
    if second[1] <= first[0]:
        return f"disjoint: it ends {first[0] - second[1]:,} bytes before the first object begins"
    return "disjoint: it interleaves with the first object and touches none of its elements"


def _fail(problem: str, path: str, obj: Any, *, expected: str, found: str) -> NoReturn:
    lines = [f"\n{'Member ' + path if path else 'Object'} {problem}\n", f" expected: {expected}", f" found:    {found}"]
    raise AssertionError("\n".join([*lines, f" object:   {describe(obj)!r}"]))
