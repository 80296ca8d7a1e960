"""Lists, tuples, ranges, deques, other sequences, and iterators: nests of numbers, arrays, tensors or any mixture."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator, KeysView, Sequence, Set, ValuesView
from typing import Any

from ...errors import ProducerError, UnsupportedSourceError
from ...live.libraries import defines, is_ndarray, is_numpy_scalar, is_tensor
from ..nulls import filled
from ..plan import Exposure, Request

ORDER = 90


def recognises(cls: type) -> bool:
    """Everything with an order and a length, iterators, dict views; sets so that they can be refused with a reason."""
    return issubclass(cls, (list, tuple, deque, Sequence, Iterator, ValuesView, KeysView, Set)) or _is_indexed(cls)


def _is_indexed(cls: type) -> bool:
    """Whether *cls* only behaves like a sequence, as data sets do: a length, and an element for each index."""
    return defines(cls, "__len__") and defines(cls, "__getitem__") and not defines(cls, "keys")


def expose(obj: Any, request: Request) -> Exposure:
    """The nest, to be read as numbers or stacked member by member; an iterator is used up here."""
    if isinstance(obj, Set) and not isinstance(obj, KeysView):
        raise UnsupportedSourceError(
            f"cannot convert {type(obj).__name__}", why="a set has no order", fix="pass sorted(values) or list(values)"
        )
    nest = obj if isinstance(obj, (list, tuple)) else _listed(obj)
    members = _members(nest)
    foreign = bool(members)
    return Exposure(
        kind=f"{type(obj).__name__} of {members}" if foreign else type(obj).__name__,
        form="members" if foreign else "values",
        open=lambda: filled(nest, request.null),
        why_copy=_SCATTERED if foreign else _OBJECTS,
    )


def _listed(obj: Any) -> list[Any]:
    """The elements in order; by index where that is all there is, since such an object may never say stop."""
    require_end(obj)
    if defines(type(obj), "__iter__"):
        return list(obj)
    try:
        return [obj[i] for i in range(len(obj))]
    except IndexError as error:
        raise ProducerError(
            f"{type(obj).__name__} has no element at an index below its length: IndexError: {error}",
            why="without an __iter__ its elements are found by len(obj) and obj[0], obj[1] …",
            fix="repair its __len__ or __getitem__, or pass the elements in a list",
        ) from error


def require_end(obj: Any) -> None:
    """Raise for the iterators of ``itertools`` that never end: listing them cannot be interrupted. Others must end."""
    if type(obj) in (itertools.count, itertools.cycle) or (type(obj) is itertools.repeat and not _is_counted(obj)):
        raise UnsupportedSourceError(
            f"cannot convert itertools.{type(obj).__name__}",
            why="it never ends, and a tensor does",
            fix="take as many elements as you need with itertools.islice(values, count)",
        )


def _is_counted(obj: Any) -> bool:
    try:
        obj.__length_hint__()
    except TypeError:
        return False
    return True


_OBJECTS = "Python numbers are objects scattered over memory, not one buffer"
_SCATTERED = "the members lie in memory of their own, not in one buffer"


def _members(nest: Any) -> str:
    """What the members are by the first of them, however deep; empty where that is a plain number."""
    for _ in range(_DEEPEST):
        if issubclass(type(nest), (list, tuple, deque)):
            if not nest:
                return ""
            nest = nest[0]
        else:
            break
    if isinstance(nest, (bool, int, float, complex, str, list)) or nest is None or is_numpy_scalar(nest):
        return ""
    return "tensors" if is_tensor(nest) else "arrays" if is_ndarray(nest) else f"{type(nest).__name__} objects"


_DEEPEST = 64
