"""Polars Series: one dimension as it is, further ones as a series of arrays.

Polars relies on values that never change, so memory that can still be written is copied unless ``copy=False`` says
that nobody will. Booleans are packed into bits, and so always copied.
"""

from __future__ import annotations

from typing import Any

from ...errors import BadArgumentError, UnsupportedDtypeError
from ...live.libraries import class_of, load
from ..plan import Plan
from ..stacking import follow
from ._through_numpy import Route, as_it_is, planned, request_of

NAME = "polars"


def build(obj: Any, options: dict[str, Any]) -> Any:
    """*obj* as a ``polars.Series``; a series or frame of Polars as it is."""
    if _same(obj, options) is not None:
        return obj
    found, exposure, request = planned(obj, request_of(options, _TARGET, readonly=True), _ROUTE)
    _require_fit(found)
    array = follow(found, exposure, request)
    _require_dimension(array.shape)
    return load("polars").Series(load("numpy").ascontiguousarray(array))


def plan(obj: Any, options: dict[str, Any]) -> Plan:
    """The plan that `build` follows."""
    same = _same(obj, options)
    if same is not None:
        return same
    found = planned(obj, request_of(options, _TARGET, readonly=True), _ROUTE)[0]
    _require_fit(found)
    return found


def _same(obj: Any, options: dict[str, Any]) -> Plan | None:
    kinds = tuple(found for name in ("Series", "DataFrame") if (found := class_of("polars", name)))
    return as_it_is(obj, options, _TARGET) if isinstance(obj, kinds) else None


def _why_new(array: Any) -> str:
    if array.dtype.name == "bool":
        return "Polars packs booleans into bits"
    return "" if array.flags.c_contiguous else "Polars needs the elements in one run, row by row"


_TARGET = "Polars Series"
_ROUTE = Route(target=_TARGET, why_new=_why_new, immutable=True)


def _require_fit(found: Plan) -> None:
    if found.shape is not None:
        _require_dimension(found.shape)
    float16 = found.dtype == "float16" and not hasattr(load("polars"), "Float16")
    if found.dtype is not None and (float16 or found.dtype.startswith(("complex", "bfloat", "float8"))):
        raise UnsupportedDtypeError(
            f"Polars has no type {found.dtype}",
            why="a series holds integers, booleans and the usual floating types",
            fix="pass dtype='float32', or convert the .real and .imag parts on their own",
        )


def _require_dimension(shape: tuple[int, ...]) -> None:
    if not shape:
        raise BadArgumentError(
            "a single number is no Polars Series", why="a series has one dimension at least", fix="wrap it in a list"
        )
