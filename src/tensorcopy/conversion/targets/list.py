"""Nested Python lists of Python numbers: always copies. Floats of any width come out exactly, as Python's doubles."""

from __future__ import annotations

from typing import Any

from ...live.dtypes import ML_DTYPES
from ..plan import Plan
from ..stacking import follow
from ._through_numpy import Route, planned, request_of

NAME = "list"

_ROUTE = Route(target="list", why_new=lambda _: "a list holds Python numbers, which are objects scattered over memory")


def build(obj: Any, options: dict[str, Any]) -> Any:
    """The elements of *obj* as lists in lists, one level a dimension; a single number where there are no dimensions."""
    found, exposure, request = planned(obj, request_of(options, "list", readonly=True), _ROUTE)
    array = follow(found, exposure, request)
    return (array.astype("float32") if array.dtype.name in ML_DTYPES else array).tolist()


def plan(obj: Any, options: dict[str, Any]) -> Plan:
    """The plan that `build` follows."""
    return planned(obj, request_of(options, "list", readonly=True), _ROUTE)[0]
