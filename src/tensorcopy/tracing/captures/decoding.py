"""Frozen values from the plain data of a file that nobody vouches for."""

from __future__ import annotations

from dataclasses import MISSING, fields
from functools import cache
from types import NoneType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")
_MOST = 1 << 63


def decoded(cls: type[T], data: Any) -> T:
    """A value of the dataclass *cls*; names that it doesn't know are left out.

    Raises:
        ValueError: something is missing, of the wrong type, or a number that is negative, endless or out of all bounds.
    """
    return cast(T, _value(cls, data, ""))


def _value(kind: Any, data: Any, at: str) -> Any:
    origin = get_origin(kind)
    if origin is tuple:
        item = get_args(kind)[0]
        return tuple(_value(item, d, f"{at}[{i}]") for i, d in enumerate(_of(list, data, at)))
    if origin is dict:
        item = get_args(kind)[1]
        return {key: _value(item, d, f"{at}.{key[:40]}") for key, d in _of(dict, data, at).items()}
    if origin is not None:
        return None if data is None else _value(next(k for k in get_args(kind) if k is not NoneType), data, at)
    if kind in (int, float):
        return _number(kind, data, at)
    return _of(str, data, at) if kind is str else _instance(kind, data, at)


def _of(kind: type, data: Any, at: str) -> Any:
    if type(data) is not kind:
        raise ValueError(f"{at or 'the whole'} is {type(data).__name__}, not {kind.__name__}")
    return data


def _number(kind: type, data: Any, at: str) -> Any:
    whole = type(data) is int
    if not whole and (kind is int or type(data) is not float):
        raise ValueError(f"{at} is {type(data).__name__}, not {kind.__name__}")
    if not 0 <= data < _MOST:  # which NaN isn't either
        raise ValueError(f"{at} is {str(data)[:20]}, which is no count, size or time")
    return kind(data)


def _instance(cls: Any, data: Any, at: str) -> Any:
    given = _of(dict, data, at)
    found = {}
    for name, (kind, needed) in _parts(cls).items():
        if name in given:
            found[name] = _value(kind, given[name], f"{at}.{name}".lstrip("."))
        elif needed:
            raise ValueError(f"{at or 'the whole'} lacks {name}")
    return cls(**found)


@cache
def _parts(cls: Any) -> dict[str, tuple[Any, bool]]:
    """The fields of a dataclass: their types, and whether they have to be there."""
    kinds = get_type_hints(cls)
    return {f.name: (kinds[f.name], f.default is MISSING and f.default_factory is MISSING) for f in fields(cls)}
