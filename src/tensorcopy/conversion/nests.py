"""Copy a whole nest: containers made anew, leaves copied, aliases and cycles kept. Nothing here recurses.

First the nest is surveyed (`survey`), which changes and copies nothing and refuses what cannot be copied; then the
leaves are copied; last the containers are made anew around them. Objects are told apart by identity alone, so a
strange ``__eq__``, ``__hash__`` or ``__len__`` decides nothing here.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..errors import NestError, TensorcopyError
from .alias_copies import copy_group
from .aliases import Group, groups_of, plain_spans
from .containers import Kind, Taken, put_attributes, take_apart, take_attributes
from .flat_buffer import copy_flat
from .leaves import (
    PLAIN,
    at_path,
    attributes_of,
    changes_nothing,
    copy_jointly,
    copy_leaf,
    for_member,
    joint_tensors,
)
from .plain_dicts import copy_plain_dict
from .plan import Request
from .roles import ATOM, ATOMS, DRESSED, LEAF, ROLES, role_of, unsupported

_LONGEST_PATH = 40
"""Steps that a path in a message may have before its middle is left out."""


@dataclass(slots=True, kw_only=True, eq=False)
class Survey:
    """What is in a nest, found out without copying anything. Every object is listed once, however often it is met."""

    root: Any
    containers: list[Taken] = field(default_factory=list)
    """Those inside before those around them, as far as there are no cycles."""
    leaves: list[Any] = field(default_factory=list)
    """Tensors and arrays."""
    owned: list[tuple[Any, Callable[[Any], Any]]] = field(default_factory=list)
    """Other objects with memory of their own, and what copies them."""
    parents: dict[int, Taken] = field(default_factory=dict)
    """The container in which an object was met first, by the identity of the object."""
    cyclic: bool = False

    dressed: list[tuple[Any, dict[str, Any]]] = field(default_factory=list)
    """Leaves with attributes, and these."""

    def path(self, x: Any) -> str:
        """Where *x* sits, like ``['state'][3].exp_avg``; empty for the root."""
        steps: list[str] = []
        while id(x) in self.parents:
            taken = self.parents[id(x)]
            steps.append(taken.label(next(i for i, part in enumerate(taken.parts) if part is x)))
            x = taken.source if taken.owner is None else taken.owner
        if len(steps) > _LONGEST_PATH:
            half = _LONGEST_PATH // 2
            steps[half:-half] = [f"[… {len(steps) - 2 * half} steps …]"]
        return "".join(reversed(steps))


def survey(root: Any) -> Survey:
    """What is in *root*; `UnsupportedSourceError` names the first member that cannot be copied."""
    found = Survey(root=root)
    around: dict[int, tuple[Taken, Iterator[Any]]] = {}
    opened = _meet(root, found, False)
    while opened is not None or around:
        if opened is not None:
            around[id(opened.source)] = (opened, iter(opened.parts))
        taken, parts = around[next(reversed(around))]
        opened = _next_container(taken, parts, found, around)
        if opened is None:
            del around[id(taken.source)]
            found.containers.append(taken)
    return found


def _next_container(
    taken: Taken, parts: Iterator[Any], found: Survey, around: dict[int, tuple[Taken, Iterator[Any]]]
) -> Taken | None:
    """The next of *parts* that is a container to be gone through; None when there are no more. Notes the others."""
    parents, leaves = found.parents, found.leaves
    for part in parts:
        cls = type(part)
        if cls in ATOMS:
            continue
        if id(part) in parents or part is found.root:
            found.cyclic = found.cyclic or id(part) in around
            continue
        parents[id(part)] = taken
        if ROLES.get(cls) is LEAF:
            leaves.append(part)
        else:
            opened = _meet(part, found, taken.lenient)
            if opened is not None:
                return opened
    return None


def _meet(x: Any, found: Survey, lenient: bool) -> Taken | None:
    """Note *x*; a container with anything but atoms in it is given back, taken apart, to be gone through."""
    role = role_of(x)
    if isinstance(role, Kind):
        return _meet_container(take_apart(x, role), found, lenient)
    if role is LEAF:
        found.leaves.append(x)
    elif role is DRESSED:
        return _meet_dressed(x, found)
    elif role is None and not lenient:
        raise unsupported(x, found.path(x))
    elif role is not None and role is not ATOM:
        found.owned.append((x, role))
    return None


def _meet_container(taken: Taken, found: Survey, lenient: bool) -> Taken | None:
    taken.lenient = lenient
    if not set(map(type, taken.parts)) <= ATOMS:
        return taken
    taken.settled = True
    if taken.kind.has_shell:
        found.containers.append(taken)
    return None


def _meet_dressed(leaf: Any, found: Survey) -> Taken | None:
    found.leaves.append(leaf)
    attributes = attributes_of(leaf)
    if attributes is None:
        return None
    found.dressed.append((leaf, attributes))
    return _meet_container(take_attributes(leaf, attributes), found, True)


def copy_nest(x: Any, request: Request, *, flat: bool = False) -> Any:
    """A copy of the nest *x*. Nothing is returned, and nothing of *x* is changed, if any part of it is refused."""
    quick = None if flat else _copy_plain_dict(x, request)
    if quick is not None:
        return quick
    found = survey(x)
    copies = _copied_leaves(found, request, flat)
    for owned, copier in found.owned:
        copies[id(owned)] = copier(owned)
    return _rebuilt(found, copies)


def copy_dressed(leaf: Any, request: Request) -> Any:
    """A copy of one tensor or array that has attributes; these may refer to it, and to anything."""
    found = survey(leaf)
    del found.leaves[0]  # the leaf itself, which is met first
    copies = _copied_leaves(found, PLAIN, False)
    copies[id(leaf)] = copy_leaf(leaf, request)
    copies.update((id(owned), copier(owned)) for owned, copier in found.owned)
    return _rebuilt(found, copies)


def _copy_plain_dict(x: Any, request: Request) -> Any:
    """A copy of a dict of plain tensors whose attributes, if any, refer to none; None if *x* is something else."""
    attributes = survey(x.__dict__) if type(x) is OrderedDict and x.__dict__ else None
    if attributes is not None and (attributes.leaves or attributes.owned):
        return None
    copied = copy_plain_dict(x, request)
    if copied is not None and attributes is not None:
        copied.__dict__.update(_rebuilt(attributes, {}))
    return copied


def _copied_leaves(found: Survey, request: Request, flat: bool) -> dict[int, Any]:
    """The copy of each leaf, by the identity of the leaf."""
    copies: dict[int, Any] = {}
    spans = plain_spans(found.leaves, request)
    grouped: set[int] = set()
    for group in groups_of(found.leaves, request, spans):
        grouped.update(group.positions)
        _store(copies, group.members, _with_path(found, group, request))
    rest = [leaf for i, leaf in enumerate(found.leaves) if i not in grouped] if grouped else found.leaves
    if flat:
        rest = copy_flat(rest, request, copies, together=spans is not None)
    together = spans is not None
    joint = joint_tensors(rest, together=together) if changes_nothing(request) else []
    _store(copies, joint, copy_jointly(joint, together=together))
    for leaf in rest if len(joint) < len(rest) else ():
        if id(leaf) not in copies:
            copies[id(leaf)] = _copy_at(found, leaf, request)
    return copies


def _store(copies: dict[int, Any], leaves: Iterable[Any], results: Iterable[Any]) -> None:
    copies.update(zip(map(id, leaves), results, strict=True))


def _with_path(found: Survey, group: Group, request: Request) -> list[Any]:
    try:
        return copy_group(group, request)
    except TensorcopyError as error:
        raise at_path(error, found.path(group.members[0])) from error


def _copy_at(found: Survey, leaf: Any, request: Request) -> Any:
    try:
        return copy_leaf(leaf, for_member(leaf, request))
    except TensorcopyError as error:
        raise at_path(error, found.path(leaf)) from error


def _rebuilt(found: Survey, copies: dict[int, Any]) -> Any:
    """The containers of the nest made anew around the copies of the leaves."""
    for taken in found.containers:
        if taken.kind.has_shell:
            copies[id(taken.source)] = taken.kind.shell(taken.source)
    if found.cyclic:
        _complete_cyclic(found, copies)
    else:
        for taken in found.containers:
            _complete(taken, copies)
    for leaf, attributes in found.dressed:
        copies[id(leaf)].__dict__.update(copies[id(attributes)])
    return copies.get(id(found.root), found.root)


def _complete(taken: Taken, copies: dict[int, Any]) -> None:
    """Fill the shell of a container, or build it; what it refers to exists."""
    values = taken.parts if taken.settled else [copies.get(id(part), part) for part in taken.parts]
    if taken.kind.has_shell:
        new = copies[id(taken.source)]
        taken.kind.fill(new, values[: taken.count])
    elif all(map(_is, values, taken.parts)):
        copies[id(taken.source)] = taken.source
        return
    else:
        new = copies[id(taken.source)] = taken.kind.build(taken.source, values[: taken.count])
    if taken.names:
        put_attributes(new, taken, values[taken.count :])


def _is(a: Any, b: Any) -> bool:
    return a is b


def _complete_cyclic(found: Survey, copies: dict[int, Any]) -> None:
    """As `_complete` for all, where a container may refer to one that is listed after it."""
    missing = {id(taken.source): taken for taken in found.containers if not taken.kind.has_shell}
    done: set[int] = set()
    containers = {id(taken.source) for taken in found.containers}
    for taken in found.containers:
        _build_missing(taken, missing, copies, found)
        if any(id(key) in containers and id(key) not in done for key in taken.hashed()):
            raise _endless(found, taken, "it is a key of, or member of a set in, what it contains")
        if taken.kind.has_shell or id(taken.source) in missing:
            missing.pop(id(taken.source), None)
            _complete(taken, copies)
        done.add(id(taken.source))


def _build_missing(outer: Taken, missing: dict[int, Taken], copies: dict[int, Any], found: Survey) -> None:
    """Build the immutable containers that *outer* refers to and that do not exist yet, innermost first."""
    chain = [outer]
    while chain:
        needed = next((missing[id(part)] for part in chain[-1].parts if id(part) in missing), None)
        if needed is None:
            ready = chain.pop()
            if chain:
                del missing[id(ready.source)]
                _complete(ready, copies)
        elif any(needed is link for link in chain):
            raise _endless(found, needed, "it is immutable, so it can only be made after what it contains")
        else:
            chain.append(needed)


def _endless(found: Survey, taken: Taken, why: str) -> NestError:
    path = found.path(taken.source)
    return NestError(
        f"{type(taken.source).__name__}{f' at {path}' if path else ''} contains itself",
        why=why,
        fix="break the cycle, or put a list or dict into it",
    )
