"""Decide how one exposed source becomes a tensor or an array. Nothing here moves data or tries what might fail."""

from __future__ import annotations

from math import prod
from typing import Any

from ..errors import (
    CannotShareError,
    GraphError,
    ReadOnlyMemoryError,
    TensorcopyError,
    UnsupportedSourceError,
    WrongDeviceError,
)
from ..live import arrays, tensors
from ..live.dtypes import DTYPES
from .plan import Exposure, Plan, Request, Step

_TARGETS = {"torch": "torch tensor", "numpy": "NumPy array"}


def plan_conversion(exposure: Exposure, request: Request) -> Plan:
    """The plan that turns *exposure* into what *request* asks for; raises where nothing legal does."""
    if exposure.form in ("values", "members"):
        return _plan_values(exposure, request)
    if exposure.form == "tensor":
        return _plan_tensor(exposure, request)
    if exposure.form == "pieces":
        return _plan_pieces(exposure, request)
    return _plan_array(exposure, request)


def _plan_values(exposure: Exposure, request: Request) -> Plan:
    _refuse_sharing(exposure, request, exposure.why_copy)
    known = exposure.shape is not None and request.dtype is not None
    size = prod(exposure.shape or ()) * DTYPES[request.dtype or "bool"].bytes if known else None
    return Plan(
        source=exposure.kind,
        target=_TARGETS[request.to],
        route="read" if exposure.form == "values" else "stack",
        shares=False,
        graph=_graph_of_members(exposure, request),
        dtype=request.dtype,
        shape=exposure.shape,
        device=str(request.device or "cpu"),
        steps=(Step(action=_READING[exposure.form], bytes=size, why=exposure.why_copy),),
        why=exposure.why_copy,
    )


_READING = {
    "values": "read the values, checked, into one fresh buffer",
    "members": "write each member into its place in one fresh buffer",
}


def _graph_of_members(exposure: Exposure, request: Request) -> str:
    if exposure.form != "members" or request.to != "torch" or request.detach:
        return "none"
    return "keeps"


def _plan_pieces(exposure: Exposure, request: Request) -> Plan:
    _refuse_sharing(exposure, request, exposure.why_copy)
    action = "write each part, checked, into its place in one fresh buffer"
    step = Step(action=action, bytes=_size(exposure, request))
    return _plan(exposure, request, "assemble", False, exposure.why_copy, step)


def _plan_array(exposure: Exposure, request: Request) -> Plan:
    reason = _why_new_memory(exposure, request)
    if reason or request.copy:
        _refuse_sharing(exposure, request, reason)
        return _copying(exposure, request, reason or "copy=True asks for memory of its own")
    if exposure.fresh:
        _refuse_sharing(exposure, request, exposure.why_copy)
        return _adopting(exposure, request)
    return _sharing(exposure, request)


def _why_new_memory(exposure: Exposure, request: Request) -> str:
    """Why the bytes that `open` shows cannot be the result's bytes; empty when they can."""
    if request.dtype not in (None, exposure.dtype):
        return f"a change from {exposure.dtype} to {request.dtype} always needs new memory"
    if request.device is not None and str(request.device) != "cpu":
        return f"the data must move to device {request.device}"
    if exposure.fresh:
        return ""
    empty = exposure.shape is not None and 0 in exposure.shape
    if not exposure.writable and not request.readonly and not empty:
        return exposure.why_readonly
    if request.to == "torch":
        return arrays.why_not_tensor_memory(exposure.open())
    seen = exposure.open()
    return "" if seen.dtype.isnative else "its byte order is not the machine's"


def _plan_tensor(exposure: Exposure, request: Request) -> Plan:
    tensor = exposure.open()
    reason = _why_new_tensor(tensor, exposure, request)
    if request.to == "numpy":
        _refuse_graph(tensor, request)
        _refuse_unreadable(tensor)
        reason = reason or tensors.why_not_array_memory(tensor)
    if reason or request.copy:
        _refuse_sharing(exposure, request, reason)
        return _copying(exposure, request, reason or "copy=True asks for memory of its own")
    return _sharing(exposure, request)


def _why_new_tensor(tensor: Any, exposure: Exposure, request: Request) -> str:
    if request.dtype not in (None, exposure.dtype):
        return f"a change from {exposure.dtype} to {request.dtype} always needs new memory"
    if request.device is not None and not _same_device(str(request.device), tensor.device):
        return f"the data must move from device {tensor.device} to {request.device}"
    if request.memory_format is not None and not tensor.is_contiguous(memory_format=request.memory_format):
        return f"the elements must be laid out anew for {request.memory_format}"
    return "" if exposure.writable or request.readonly else exposure.why_readonly


def _same_device(wanted: str, device: Any) -> bool:
    return wanted == str(device) or (wanted == device.type and not device.index)


def _refuse_graph(tensor: Any, request: Request) -> None:
    if tensors.on_graph(tensor) and request.detach is not True:
        raise GraphError(
            f"cannot give the memory of a tensor that requires grad ({tensors.graph_position(tensor)}) to NumPy",
            why="NumPy records no gradients, so the graph would be cut here in silence",
            fix="pass detach=True to cut it on purpose",
        )


def _refuse_unreadable(tensor: Any) -> None:
    if tensor.device.type == "meta":
        raise WrongDeviceError(
            "cannot read a tensor on device meta",
            why="a meta tensor has a shape and no data",
            fix="materialise it first",
        )
    if tensors.is_transformed(tensor) or tensors.is_recording():
        raise UnsupportedSourceError(
            "cannot read the values of a tensor while a function transform or a graph capture runs",
            why="it stands for all inputs of the transformed function, and one set of values would be baked in",
            fix="convert before or after, outside the function that is transformed, traced or exported",
        )
    if tensor.device.type == "cpu" and not tensors.is_dense_cpu(tensor):
        raise UnsupportedSourceError(
            f"cannot convert a tensor of layout {tensors.layout_name(tensor)} to NumPy",
            why="NumPy knows one strided block of memory only",
            fix="make it dense first, with to_dense(), dequantize() or to_padded_tensor()",
        )


def _refuse_sharing(exposure: Exposure, request: Request, reason: str) -> None:
    """Raise if the caller asked for the source's own memory and it cannot be had."""
    if request.copy is not False:
        return
    what = f"cannot share {exposure.kind}{' of ' + exposure.dtype if exposure.dtype else ''} as {_wanted(request)}"
    if reason and reason == exposure.why_readonly:
        raise ReadOnlyMemoryError(
            what, why=reason, fix="pass copy=None for a copy, or share(..., readonly=True) if you promise not to write"
        )
    kind: type[TensorcopyError] = WrongDeviceError if "device" in reason else CannotShareError
    raise kind(what, why=reason, fix="pass copy=None to let it copy, or make the source fit first")


def _wanted(request: Request) -> str:
    return f"{request.dtype + ' ' if request.dtype else ''}{_TARGETS[request.to]}"


def _graph(exposure: Exposure, request: Request) -> str:
    if exposure.form != "tensor" or not tensors.on_graph(exposure.open()):
        return "none"
    return "cuts" if request.detach or request.to == "numpy" else "keeps"


def _plan(exposure: Exposure, request: Request, route: str, shares: bool, why: str, *steps: Step) -> Plan:
    return Plan(
        source=exposure.kind,
        target=_TARGETS[request.to],
        route=route,
        shares=shares,
        graph=_graph(exposure, request),
        dtype=request.dtype or exposure.dtype,
        shape=exposure.shape,
        device=_device(exposure, request),
        steps=steps,
        why=why,
    )


def _device(exposure: Exposure, request: Request) -> str:
    if request.device is not None:
        return str(request.device)
    return str(exposure.open().device) if exposure.form == "tensor" and request.to == "torch" else "cpu"


def _sharing(exposure: Exposure, request: Request) -> Plan:
    step = Step(action=f"look at the same memory as {_TARGETS[request.to]}")
    return _plan(exposure, request, "share", True, "the memory fits as it is", step)


def _adopting(exposure: Exposure, request: Request) -> Plan:
    action = "let the source write its elements into fresh memory, and keep it"
    step = Step(action=action, bytes=_size(exposure, request))
    return _plan(exposure, request, "adopt", False, exposure.why_copy, step)


def _copying(exposure: Exposure, request: Request, reason: str) -> Plan:
    changed = request.dtype not in (None, exposure.dtype)
    action = f"convert {exposure.dtype} to {request.dtype}" if changed else "copy"
    opening = (Step(action="let the source write its elements", bytes=_source_size(exposure), why=exposure.why_copy),)
    last = Step(action=f"{action} into one fresh buffer", bytes=_size(exposure, request), why=reason)
    return _plan(exposure, request, "copy", False, reason, *(opening if exposure.fresh else ()), last)


def _source_size(exposure: Exposure) -> int | None:
    if exposure.shape is None or exposure.dtype is None:
        return None
    return prod(exposure.shape) * DTYPES[exposure.dtype].bytes


def _size(exposure: Exposure, request: Request) -> int | None:
    dtype = request.dtype or exposure.dtype
    return None if exposure.shape is None or dtype not in DTYPES else prod(exposure.shape) * DTYPES[dtype].bytes
