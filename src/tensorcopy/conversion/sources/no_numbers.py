"""What people pass by mistake and what has more than one numeric reading: refused, each with the way out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

from ...errors import UnsupportedSourceError
from ...live.libraries import defines
from ..nulls import is_null_class
from ..plan import Exposure, Request

ORDER = 95

_ROUNDED = ("it is no binary number, and turning it into one may round", "call float(value) on it first")
_EXPLAINED: tuple[tuple[type | tuple[type, ...], str, str], ...] = (
    (type(None), "it stands for no value", "leave it out, or convert the number that should be there"),
    (
        Mapping,
        "a mapping has no order of axes",
        "pass list(mapping.values()), or tensorcopy.copy for a nest of tensors",
    ),
    ((Decimal, Fraction), *_ROUNDED),
    (timedelta, "a duration is a count of some unit", "choose the unit, as with value.total_seconds()"),
    (datetime, "a date or time is a count of some unit", "choose the unit, as with value.timestamp()"),
    (date, "a date is a count of some unit", "choose the unit, as with value.toordinal(), which counts days"),
    (time, "a time is a count of some unit", "choose the unit, as with value.hour * 3600 + value.minute * 60"),
    (Enum, "the members of an enumeration are names", "pass member.value"),
)


def recognises(cls: type) -> bool:
    """None, mappings, decimals, fractions, dates, enumerations, ``pandas.NA``, and what only converts to a number."""
    return any(issubclass(cls, kinds) for kinds, _, _ in _EXPLAINED) or is_null_class(cls) or _converts(cls)


def _converts(cls: type) -> bool:
    return any(defines(cls, name) for name in ("__float__", "__index__", "__complex__"))


def expose(obj: Any, request: Request) -> Exposure:
    """Always raises."""
    known = ((why, fix, _shown(obj)) for kinds, why, fix in _EXPLAINED if isinstance(obj, kinds))
    why, fix, shown = next(known, (*_ROUNDED, ""))
    if is_null_class(type(obj)):
        why, fix = "it stands for no value", _EXPLAINED[0][2]
    elif not shown and defines(type(obj), "__index__"):
        why, fix = "it only promises that it can be made a whole number", "call operator.index(value) on it first"
    raise UnsupportedSourceError(f"cannot convert {type(obj).__name__}{shown}", why=why, fix=fix)


def _shown(obj: Any) -> str:
    """What a message tells of *obj* besides its class; of a mapping its size, as its text may be endless."""
    return f" of {len(obj)}" if isinstance(obj, Mapping) else f" {obj}"
