"""CuPy arrays. A CUDA tensor is handed over through DLPack and shares; everything else is copied to the GPU."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...errors import GraphError, WrongDeviceError
from ...live import tensors
from ...live.libraries import class_of, is_tensor, load
from ..carry_out import carry_out
from ..plan import Exposure, Plan, Request
from ..planner import plan_conversion
from ..sources import expose
from ..stacking import follow
from ._through_numpy import Route, as_it_is, planned, request_of

NAME = "cupy"

_TARGET = "CuPy array"
_ROUTE = Route(target=_TARGET)
_MOVED = "the data must move to the GPU"


def build(obj: Any, options: dict[str, Any]) -> Any:
    """*obj* as a ``cupy.ndarray`` on CuPy's current device; a CuPy array as it is."""
    cupy = load("cupy")
    if _same(obj, options) is not None:
        return obj
    found, exposure, request = _planned(obj, options)
    if exposure.form == "tensor" and request.to == "torch":
        return cupy.from_dlpack(carry_out(found, exposure, request).detach())
    return cupy.asarray(follow(found, exposure, request))


def plan(obj: Any, options: dict[str, Any]) -> Plan:
    """The plan that `build` follows."""
    return _same(obj, options) or _planned(obj, options)[0]


def _same(obj: Any, options: dict[str, Any]) -> Plan | None:
    array = class_of("cupy", "ndarray")
    return as_it_is(obj, options, _TARGET) if array is not None and isinstance(obj, array) else None


def _planned(obj: Any, options: dict[str, Any]) -> tuple[Plan, Exposure, Request]:
    request = request_of(options, _TARGET, readonly=True)
    if is_tensor(obj) and obj.is_cuda:
        return _handed_over(obj, request._replace(to="torch"))
    found, exposure, request = planned(obj, request, _ROUTE)
    if request.copy is False:
        raise WrongDeviceError(
            f"cannot share {exposure.kind} as {_TARGET}", why=_MOVED, fix="pass copy=None to let it copy"
        )
    return replace(found, shares=False, device="cuda", why=_MOVED), exposure, request


def _handed_over(tensor: Any, request: Request) -> tuple[Plan, Exposure, Request]:
    """The plan for a CUDA tensor, converted where need be by torch on its own device."""
    if tensors.on_graph(tensor) and request.detach is not True:
        raise GraphError(
            f"cannot give the memory of a tensor that requires grad ({tensors.made_by(tensor)}) to CuPy",
            why="CuPy records no gradients, so the graph would be cut here in silence",
            fix="pass detach=True to cut it on purpose",
        )
    exposure = expose(tensor, request)
    return replace(plan_conversion(exposure, request), target=_TARGET), exposure, request
