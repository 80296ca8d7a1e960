"""Name what a pickle would build by the way that leads to it, and count what is no tensor. Every object is met once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from .contents import Entry
from .pickle_walk import Call, Dictionary, Name, Sequence
from .torch_tensors import Laid, StorageUse, is_harmless, part_names

_LONGEST = 300
WHOLE = "(the object itself)"


def named(root: Any) -> tuple[list[tuple[str, Laid | StorageUse]], Counter[str]]:
    """The tensors and bare storages below *root* with their names, one for each way to them; and the other objects."""
    found: list[tuple[str, Laid | StorageUse]] = []
    opaque: Counter[str] = Counter()
    seen: set[int] = set()
    waiting = [("", root)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, Laid | StorageUse):
            found.append((path or WHOLE, value))
        if id(value) in seen:
            continue
        if isinstance(value, Laid | Sequence | Dictionary | Call):
            seen.add(id(value))
        if isinstance(value, Call) and not is_harmless(value.function):
            opaque[str(value.function) if isinstance(value.function, Name) else "an object of the pickle"] += 1
        waiting += reversed(list(_members(path, value)))
    return found, opaque


def _members(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    match value:
        case Sequence(items=items):
            yield from ((f"{path}[{k}]"[-_LONGEST:], item) for k, item in enumerate(items) if _leads_on(item))
        case Dictionary(pairs=pairs, state=state):
            yield from ((_at_key(path, key), item) for key, item in pairs if _leads_on(item))
            yield from _members_of_state(path, state)
        case Call(arguments=arguments, state=state, items=items, pairs=pairs):
            yield from _members_of_call(path, value, arguments)
            yield from ((f"{path}[{k}]"[-_LONGEST:], item) for k, item in enumerate(items) if _leads_on(item))
            yield from ((_at_key(path, key), item) for key, item in pairs if _leads_on(item))
            yield from _members_of_state(path, state)
        case Laid(state=state):
            yield from _members_of_state(path, state)


def _leads_on(value: Any) -> bool:
    return isinstance(value, Laid | StorageUse | Sequence | Dictionary | Call)


def _at_key(path: str, key: Any) -> str:
    if isinstance(key, str) and not path:
        return key[-_LONGEST:]
    shown = repr(key) if isinstance(key, str) else str(int(key)) if isinstance(key, int) else type(key).__name__
    return f"{path}[{shown}]"[-_LONGEST:]


def _members_of_state(path: str, state: Any) -> Iterator[tuple[str, Any]]:
    """Attributes; ``__reduce__`` may give them as a pair, of which the second has those in slots."""
    if isinstance(state, Dictionary):
        yield from ((f"{path}.{key}"[-_LONGEST:], item) for key, item in state.pairs if _leads_on(item))
    elif _leads_on(state):
        yield f"{path}.state"[-_LONGEST:], state


def _members_of_call(path: str, call: Call, arguments: list[Any]) -> Iterator[tuple[str, Any]]:
    parts = part_names(call)
    if parts is not None:
        yield from ((f"{path}.{part}", item) for part, item in zip(parts, arguments[1].items, strict=False))
        return
    yield from ((f"{path}({k})"[-_LONGEST:], item) for k, item in enumerate(arguments) if _leads_on(item))


def entry_of(name: str, found: Laid | StorageUse) -> Entry:
    """The value to show."""
    if isinstance(found, StorageUse):
        from ...live.memory import Region

        whole = Region(0, (int(found.count),), (found.itemsize,), found.itemsize)
        return Entry(
            name=name, dtype=found.dtype, region=whole, storage=found.key, device=found.device, note="a storage itself"
        )
    return Entry(
        name=name,
        dtype=found.dtype,
        region=found.region,
        storage=found.use.key if found.use else "",
        device=found.device,
        requires_grad=found.requires_grad,
        note=found.note,
    )
