"""None and ``pandas.NA`` in nests of Python objects, and the number that stands for them."""

from __future__ import annotations

from typing import Any

from ..live.libraries import class_of
from .columns import require_number
from .number_kinds import SEQUENCE, kind_of


def is_null_class(cls: type) -> bool:
    """Whether *cls* is that of None or of ``pandas.NA``."""
    return cls is type(None) or _is_missing(cls)


def _is_missing(cls: type) -> bool:
    missing = class_of("pandas", "NA")
    return missing is not None and type(missing) is cls


def filled(nest: Any, null: Any) -> Any:
    """*nest* with the number *null* wherever there is no value; *nest* itself where *null* is None.

    The levels are new lists, the members are those of *nest*. A sequence that contains itself is left as it is, for
    the reader to refuse.
    """
    if null is None:
        return nest
    require_number(null)
    return _filled(nest, null, ())


def _filled(node: Any, null: Any, above: tuple[int, ...]) -> Any:
    if is_null_class(type(node)):
        return null
    if kind_of(type(node)) != SEQUENCE or id(node) in above or len(above) > _DEEPEST:
        return node
    return [_filled(member, null, (*above, id(node))) for member in node]


_DEEPEST = 64
"""Levels below which no reader goes."""
