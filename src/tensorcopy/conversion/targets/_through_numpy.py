"""What the targets have in common: each takes the array that `to_numpy` would give, and says what it does to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ...errors import BadArgumentError, CannotShareError
from ...live.arrays import array_over
from ...live.dtypes import name_of
from ..casting import require_casting
from ..plan import Exposure, Plan, Request, Step
from ..planner import plan_conversion
from ..sources import expose

_OPTIONS = ("copy", "dtype", "detach", "casting", "null", "readonly")


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """How a target takes its array."""

    target: str
    """What the result is, in words: ``Arrow array``."""
    why_new: Callable[[Any], str] = lambda array: ""
    """Why the library cannot lay its own object over this array; empty when it can."""
    dtype: Callable[[str], str] = lambda name: name
    """The type that elements of a type get where the caller names none."""
    immutable: bool = False
    """The library relies on values that never change: unless told ``copy=False``, it gets memory that nobody writes."""


def request_of(options: dict[str, Any], target: str, *, readonly: bool = False) -> Request:
    """The request for the NumPy array; `BadArgumentError` for an option that has no meaning for *target*."""
    strange = sorted(set(options) - set(_OPTIONS))
    if strange:
        raise BadArgumentError(
            f"{target} takes no {strange[0]}=",
            why="the option has no meaning there, and would be ignored",
            fix="pass only " + ", ".join(f"{name}=" for name in _OPTIONS),
        )
    known = {name: options[name] for name in _OPTIONS if options.get(name) is not None}
    if "dtype" in known:
        known["dtype"] = name_of(known["dtype"])
    require_casting(known.get("casting", "checked"))
    return Request(to="numpy", **{**known, "readonly": bool(known.get("readonly", False)) or readonly})


def planned(obj: Any, request: Request, route: Route) -> tuple[Plan, Exposure, Request]:
    """The plan for the array that *route* takes, with what it was made from; moves no data."""
    exposure = expose(obj, request)
    if request.dtype is None and exposure.dtype is not None and route.dtype(exposure.dtype) != exposure.dtype:
        request = request._replace(dtype=route.dtype(exposure.dtype))
    plan = plan_conversion(exposure, request)
    if not plan.shares:
        return replace(plan, target=route.target), exposure, request
    reason = route.why_new(_seen(exposure))
    if reason:
        return _written_by_target(plan, exposure, request, route, reason), exposure, request
    if route.immutable and request.copy is None and exposure.writable:
        request = request._replace(copy=True)
        why = f"the values of a {route.target} never change, and the source's memory can be written"
        return replace(plan_conversion(exposure, request), target=route.target, why=why), exposure, request
    return replace(plan, target=route.target), exposure, request


def _seen(exposure: Exposure) -> Any:
    """The array over the memory of the source."""
    seen = exposure.open()
    return array_over(seen.detach()) if exposure.form == "tensor" else seen


def _written_by_target(plan: Plan, exposure: Exposure, request: Request, route: Route, reason: str) -> Plan:
    """The plan where NumPy shares the source's memory, but the target writes the elements into memory of its own."""
    if request.copy is False:
        raise CannotShareError(
            f"cannot share {exposure.kind} as {route.target}", why=reason, fix="pass copy=None to let it copy"
        )
    size = _seen(exposure).nbytes
    step = Step(action=f"write the elements into memory of the {route.target}", bytes=size, why=reason)
    return replace(plan, target=route.target, shares=False, why=reason, steps=(step,))


def as_it_is(obj: Any, options: dict[str, Any], target: str) -> Plan | None:
    """The plan to hand back *obj*, an object of the target's own library; None where the caller asks for more."""
    if options.get("copy") or options.get("dtype") is not None or options.get("null") is not None:
        return None
    request_of(options, target)
    return Plan(
        source=type(obj).__name__,
        target=target,
        route="same",
        shares=True,
        graph="none",
        dtype=str(getattr(obj, "dtype", None)),
        shape=tuple(getattr(obj, "shape", ())),
        steps=(Step(action="hand back the object itself"),),
    )
