"""Find the objects that look at given memory, and count the users of a storage."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from types import FrameType
from typing import Any, TypeVar

from .graph import storage_id
from .libraries import class_of, load
from .memory import Region, overlaps
from .regions import BUFFERS, footprint

T = TypeVar("T")
_FORGOTTEN = frozenset((tuple, dict))
"""The collector forgets such containers while they hold only what it does not track itself, as arrays are."""
_OPTIMIZED = 0x1
"""``CO_OPTIMIZED``: the code of a function, whose ``f_locals`` is a snapshot."""


_ONLOOKERS: set[type] = set()


def look_past(kind: type[T]) -> type[T]:
    """Let searches pass over what only objects of this class hold: they look on, and hold nothing for the program.

    Gives *kind*, as a decorator of classes does.
    """
    _ONLOOKERS.add(kind)
    return kind


_MEMORY_KINDS = (
    ("numpy", "ndarray"),
    ("torch", "Tensor"),
    ("torch", "UntypedStorage"),
    ("pyarrow", "Array"),
    ("pyarrow", "Buffer"),
    ("polars", "Series"),
    ("jax", "Array"),
)


def arrays_over(regions: Sequence[Region]) -> list[Any]:
    """All NumPy arrays with a byte in one of *regions* that Python code can still reach, and what they are views of."""
    kind = class_of("numpy", "ndarray")
    reachable = () if kind is None else with_bases(_reachable((kind,)))
    return [array for array in reachable if _is_over(array, regions)]


def objects_over(regions: Sequence[Region]) -> list[Any]:
    """All objects with a byte in one of *regions* that Python code can still reach; some 0.2 s.

    Looks into every container that the garbage collector knows and into the variables of every running function, for
    arrays, tensors, storages, buffers, and columns of other libraries. What only C code holds is not found.
    """
    found = [class_of(module, name) for module, name in _MEMORY_KINDS]
    kinds = (*BUFFERS, *(kind for kind in found if kind is not None))
    return [obj for obj in _reachable(kinds) if _is_over(obj, regions)]


def _is_over(obj: Any, regions: Sequence[Region]) -> bool:
    """Whether *obj* has a byte in one of *regions*; also where that is too hard to decide."""
    try:
        found = footprint(obj)
    except Exception:  # a stranger's object may raise anything, and then shows no memory
        return False
    return any(overlaps(own, watched) is not False for own in found.regions for watched in regions)


def with_bases(arrays: Iterable[Any]) -> list[Any]:
    """*arrays* and every array that they are views of, owners first, each once."""
    kind = load("numpy").ndarray
    chains: dict[int, Any] = {}
    for array in arrays:
        chain = [array]
        while isinstance(chain[-1].base, kind):
            chain.append(chain[-1].base)
        for link in reversed(chain):
            chains.setdefault(id(link), link)
    return list(chains.values())


def _reachable(kinds: tuple[type, ...]) -> list[Any]:
    """Every object of these *kinds* that containers and running functions refer to, once."""
    found: dict[int, Any] = {}
    pending = gc.get_objects()
    if _ONLOOKERS:
        pending = [obj for obj in pending if type(obj) not in _ONLOOKERS]
    while pending:
        referents = gc.get_referents(*pending)
        # Types are few and objects are millions: what each type is gets asked once.
        wanted = {kind for kind in set(map(type, referents)) if issubclass(kind, kinds)}
        of_interest = [obj for obj in referents if type(obj) in wanted or type(obj) in _FORGOTTEN]
        found.update((id(obj), obj) for obj in of_interest if type(obj) in wanted)
        pending = [obj for obj in of_interest if type(obj) in _FORGOTTEN and not gc.is_tracked(obj)]
    found.update((id(obj), obj) for obj in _in_variables(kinds))
    return list(found.values())


def _in_variables(kinds: tuple[type, ...]) -> list[Any]:
    """The objects of these *kinds* that variables of running functions, in every thread, refer to.

    This function runs too: a variable of it that kept its own frame, or itself, would keep everything alive.
    """
    found: list[Any] = []
    running = sys._current_frames()
    while running:
        step: FrameType | None = running.popitem()[1]
        while step is not None:
            found += [obj for obj in _variables(step) if issubclass(type(obj), kinds)]
            step = step.f_back
    return found


def _variables(frame: FrameType) -> list[Any]:
    variables = frame.f_locals
    values = list(variables.values())
    snapshot = sys.version_info < (3, 13) and frame.f_code.co_flags & _OPTIMIZED
    # Only this function and the frame hold the snapshot, so it was made just now and would keep its values alive.
    if snapshot and sys.getrefcount(variables) <= _references_of_a_snapshot():
        variables.clear()
    return values


@cache
def _references_of_a_snapshot() -> int:
    frame = sys._getframe()
    variables = frame.f_locals
    count = sys.getrefcount(variables)
    variables.clear()
    del frame
    return count


def storage_users(tensor: Any) -> int | None:
    """How many tensors, arrays made by ``.numpy()`` and saved tensors of a graph hold the storage of *tensor*.

    *tensor* itself and the base that it is recorded as a view of are counted. None where torch does not tell.
    """
    identity = storage_id(tensor)
    return None if identity is None else users_of_storage(identity)


def users_of_storage(identity: int) -> int | None:
    """The same of a storage by its `storage_id`; it has to be alive."""
    count = _use_count(identity)
    return None if count is None else count - _uncounted()


def _use_count(identity: int) -> int | None:
    count = getattr(class_of("torch", "_C"), "_storage_Use_Count", None)
    return None if count is None else int(count(identity))


@cache
def _uncounted() -> int:
    """What torch counts beside tensors and arrays: measured on a tensor that has one user."""
    tensor = load("torch").zeros(1)
    return (_use_count(tensor.untyped_storage()._cdata) or 1) - 1
