"""pandas: one dimension as a Series, two as a DataFrame whose columns are numbered. Shares where `to_numpy` does."""

from __future__ import annotations

from typing import Any

from ...errors import BadArgumentError, UnsupportedDtypeError
from ...live.libraries import class_of, load
from ..plan import Plan
from ..stacking import follow
from ._through_numpy import Route, as_it_is, planned, request_of

NAME = "pandas"

_TARGET = "pandas Series or DataFrame"
_ROUTE = Route(target=_TARGET)


def build(obj: Any, options: dict[str, Any]) -> Any:
    """*obj* as a ``pandas.Series`` or ``pandas.DataFrame``; one of these as it is, with its index."""
    if _same(obj, options) is not None:
        return obj
    found, exposure, request = planned(obj, request_of(options, _TARGET), _ROUTE)
    _require_fit(found)
    array = follow(found, exposure, request)
    _require_dimensions(array.shape)
    pandas = load("pandas")
    return (pandas.Series if array.ndim == 1 else pandas.DataFrame)(array, copy=False)


def plan(obj: Any, options: dict[str, Any]) -> Plan:
    """The plan that `build` follows."""
    same = _same(obj, options)
    if same is not None:
        return same
    found = planned(obj, request_of(options, _TARGET), _ROUTE)[0]
    _require_fit(found)
    return found


def _same(obj: Any, options: dict[str, Any]) -> Plan | None:
    kinds = tuple(found for name in ("Series", "DataFrame") if (found := class_of("pandas", name)))
    return as_it_is(obj, options, _TARGET) if isinstance(obj, kinds) else None


def _require_fit(found: Plan) -> None:
    if found.shape is not None:
        _require_dimensions(found.shape)
    if found.dtype is not None and found.dtype.startswith(("bfloat", "float8")):
        raise UnsupportedDtypeError(
            f"pandas has no dtype {found.dtype}", why="it computes with NumPy's own types", fix="pass dtype='float32'"
        )


def _require_dimensions(shape: tuple[int, ...]) -> None:
    if len(shape) not in (1, 2):
        raise BadArgumentError(
            f"an array of shape {shape} is no pandas object",
            why="a Series has one dimension and a DataFrame two",
            fix="reshape it first, for example to (len(x), -1)",
        )
