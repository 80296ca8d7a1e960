"""Find the objects that look at given memory, and take the arrays' permission to write away for a while."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from types import FrameType
from typing import Any

from .graph import storage_id
from .libraries import class_of, load
from .memory import Region, overlaps
from .owners import may_write
from .regions import BUFFERS, footprint

_FORGOTTEN = frozenset((tuple, dict))
"""The collector forgets such containers while they hold only what it does not track itself, as arrays are."""
_OPTIMIZED = 0x1
"""``CO_OPTIMIZED``: the code of a function, whose ``f_locals`` is a snapshot."""


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
    count = _storage_count(tensor)
    return None if count is None else count - _uncounted()


def _storage_count(tensor: Any) -> int | None:
    count, identity = getattr(class_of("torch", "_C"), "_storage_Use_Count", None), storage_id(tensor)
    return None if count is None or identity is None else int(count(identity))


@cache
def _uncounted() -> int:
    """What torch counts for the asking itself: measured on a tensor that has one user."""
    return (_storage_count(load("torch").zeros(1)) or 1) - 1


class Lock:
    """Arrays whose permission to write is taken away until `release`, which gives back exactly what was there."""

    __slots__ = ("_held",)

    def __init__(self, arrays: Iterable[Any]) -> None:
        self._held: list[tuple[Any, int]] = []
        try:
            for array in arrays:
                self._take(array)
        except BaseException:
            self.release()
            raise

    def _take(self, array: Any) -> None:
        if not may_write(array) or not (_can_restore() or _numpy_restores(array)):
            return
        self._held.append((array, array.flags.num))
        array.flags.writeable = False

    def release(self) -> None:
        """Give the permissions back, owners before their views, as NumPy asks for."""
        while self._held:
            array, flags = self._held.pop(0)
            if _can_restore():
                _flags_field(array).value = ctypes.c_int(flags).value
            else:
                array.flags.writeable = True


def _numpy_restores(array: Any) -> bool:
    """Whether NumPy itself will make the array writable again: not where the memory is another library's."""
    return bool(array.flags.owndata) or type(array.base).__module__ == "numpy"


class _ArrayHead(ctypes.Structure):
    """The start of NumPy's ``PyArrayObject``, which is part of its binary interface since 1.7."""

    _fields_ = (
        ("head", ctypes.c_char * object.__basicsize__),
        ("data", ctypes.c_void_p),
        ("nd", ctypes.c_int),
        ("dimensions", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("base", ctypes.c_void_p),
        ("descr", ctypes.c_void_p),
        ("flags", ctypes.c_int),
    )


def _flags_field(array: Any) -> ctypes.c_int:
    return ctypes.c_int.from_address(id(array) + _ArrayHead.flags.offset)


@cache
def _can_restore() -> bool:
    """Whether the flags lie where NumPy's interface says, tried on an array of our own.

    NumPy refuses to make an array writable again whose memory another library owns, such as what ``Tensor.numpy()``
    gives. Its C macro ``PyArray_ENABLEFLAGS`` may, and this does what the macro does.
    """
    if sys.implementation.name != "cpython":
        return False
    array = load("numpy").zeros(1)
    before = _flags_field(array).value, array.flags.num
    array.flags.writeable = False
    after = _flags_field(array).value, array.flags.num
    return bool(before[0] == before[1] and after[0] == after[1] != before[0])
