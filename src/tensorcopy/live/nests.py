"""Walk through any nest of containers down to what is no container, naming the place of each."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import fields, is_dataclass
from typing import Any

from .libraries import is_instance

_SEQUENCES = (list, tuple, deque)


def is_nest(obj: Any) -> bool:
    """Whether *obj* is a container that `leaves` descends into."""
    return _members(obj) is not None


def is_plain_value(obj: Any) -> bool:
    """Whether *obj* is a Python number, text or None: a value, with no memory that anything could share."""
    return obj is None or isinstance(obj, (bool, int, float, complex, str))


def leaves(nest: Any) -> Iterator[tuple[str, Any]]:
    """Every (path, leaf) of *nest*, in order; the path is empty when *nest* is a leaf itself.

    Descends into mappings, lists, tuples, named tuples, deques, sets, dataclasses and ``torch.nn.Module`` (its
    parameters and buffers), as deep as they go. A container that was met before is not entered again, so cycles end.
    """
    pending: list[tuple[str, Any]] = [("", nest)]
    met: set[int] = set()
    while pending:
        path, found = pending.pop()
        members = _members(found)
        if members is None:
            yield path, found
        elif id(found) not in met:
            met.add(id(found))
            pending.extend(reversed([(path + step, member) for step, member in members]))


def _members(obj: Any) -> Iterable[tuple[str, Any]] | None:
    """(step, member) for each member of a container, None for a leaf."""
    if isinstance(obj, (str, bytes, bytearray, int, float)):
        return None
    if isinstance(obj, Mapping):
        return [(f"[{key!r}]", value) for key, value in obj.items()]
    if isinstance(obj, tuple) and hasattr(obj, "_fields"):
        return [(f".{name}", value) for name, value in zip(obj._fields, obj, strict=True)]
    if isinstance(obj, _SEQUENCES):
        return [(f"[{k}]", value) for k, value in enumerate(obj)]
    if isinstance(obj, Set):
        return [("{…}", value) for value in obj]
    if is_dataclass(obj) and not isinstance(obj, type):
        return [(f".{f.name}", getattr(obj, f.name)) for f in fields(obj) if hasattr(obj, f.name)]
    if is_instance(obj, "torch.nn", "Module"):
        return [(f".{name}", value) for name, value in (*obj.named_parameters(), *obj.named_buffers())]
    return None
