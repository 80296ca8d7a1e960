"""The most usual nest, a dict of plain tensors such as a ``state_dict``, copied in a few calls for all its members."""

from __future__ import annotations

from collections import OrderedDict
from operator import le, lt
from typing import Any

from ..live.libraries import class_of
from .aliases import contiguous_ranges
from .leaves import changes_nothing, copy_jointly
from .plan import Request

_KEYS = frozenset((str, int))


def copy_plain_dict(x: Any, request: Request) -> Any:
    """A copy of a dict whose values are plain tensors in separate memory, without its attributes.

    None if *x* is anything else. What it gives is what `nests.copy_nest` would give.
    """
    if (type(x) is not dict and type(x) is not OrderedDict) or not x or not changes_nothing(request):
        return None
    found = list(x.values())
    plain = {class_of("torch", "Tensor"), class_of("torch.nn", "Parameter")}
    if not set(map(type, found)) <= plain or not set(map(type, x)) <= _KEYS or not _suit(found):
        return None
    if any(value.__dict__ for value in found if type(value) is not class_of("torch", "Tensor")):
        return None
    return type(x)(zip(x, copy_jointly(found, together=True), strict=True))


def _suit(found: list[Any]) -> bool:
    """Whether no two have a byte in common. False also where that takes a closer look."""
    ranges = contiguous_ranges(found)
    if ranges is None:
        return False
    starts, ends = zip(*sorted(ranges), strict=True)
    return all(map(lt, starts, ends)) and all(map(le, ends, starts[1:])) and starts[0] != 0
