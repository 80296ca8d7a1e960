"""Decide how one exposed source becomes a tensor or an array. Nothing here moves data or tries what might fail."""

from __future__ import annotations

from math import prod
from typing import Any

from ..errors import (
    CannotShareError,
    GraphError,
    ReadOnlyMemoryError,
    TensorcopyError,
    UnsupportedDtypeError,
    UnsupportedSourceError,
    WrongDeviceError,
)
from ..live import arrays, tensors
from ..live.dtypes import DTYPES
from .freed import require_memory, require_whole
from .plan import Decision, Exposure, Plan, Request, Step

_TARGETS = {"torch": "torch tensor", "numpy": "NumPy array"}


def plan_conversion(exposure: Exposure, request: Request) -> Plan:
    """The plan that turns *exposure* into what *request* asks for; raises where nothing legal does."""
    decision = decide(exposure, request)
    return Plan(
        source=exposure.kind,
        target=_TARGETS[request.to],
        route=decision.route,
        shares=decision.route == "share",
        graph=_graph(exposure, request),
        dtype=_dtype(exposure, request),
        shape=exposure.shape,
        device=_device(exposure, request),
        steps=_steps(decision, exposure, request),
        why=decision.why,
    )


def decide(exposure: Exposure, request: Request) -> Decision:
    """The route of `plan_conversion` without the words around it; raises what that raises."""
    decision = _DECIDING[exposure.form](exposure, request)
    if request.copy is False and decision.route != "share":
        raise _cannot_share(exposure, request, decision.why)
    return decision


def _decide_for_values(exposure: Exposure, request: Request) -> Decision:
    return Decision("read", exposure.why_copy)


def _decide_for_members(exposure: Exposure, request: Request) -> Decision:
    return Decision("stack", exposure.why_copy)


def _decide_for_pieces(exposure: Exposure, request: Request) -> Decision:
    return Decision("assemble", exposure.why_copy)


def _decide_for_array(exposure: Exposure, request: Request) -> Decision:
    reason = _why_new_memory(exposure, request)
    if reason or request.copy:
        return Decision("copy", reason or _ASKED)
    return Decision("adopt", exposure.why_copy) if exposure.fresh else _SHARE


def _decide_for_tensor(exposure: Exposure, request: Request) -> Decision:
    tensor = exposure.open()
    reason = _why_new_tensor(tensor, exposure, request)
    if request.to == "numpy":
        _refuse_graph(tensor, request)
        _refuse_strange(tensor, exposure, request)
        recording = tensors.is_recording()
        unlike = "" if recording else tensors.why_not_array_memory(tensor)
        if recording or unlike:
            _refuse_unreadable(tensor)
        else:
            require_whole(tensor)
        reason = reason or unlike
    return Decision("copy", reason or _ASKED) if reason or request.copy else _SHARE


_ASKED = "copy=True asks for memory of its own"
_SHARE = Decision("share", "the memory fits as it is")
_DECIDING = {
    "values": _decide_for_values,
    "members": _decide_for_members,
    "pieces": _decide_for_pieces,
    "array": _decide_for_array,
    "tensor": _decide_for_tensor,
}


def _steps(decision: Decision, exposure: Exposure, request: Request) -> tuple[Step, ...]:
    """What will be done, in order, and the bytes that each step fills."""
    route, why = decision
    size = _size(exposure, request)
    if route == "share":
        return (Step(action=f"look at the same memory as {_TARGETS[request.to]}"),)
    if route != "copy":
        return (Step(action=_FILLING[route], bytes=size, why=why if route in ("read", "stack") else ""),)
    changed = request.dtype not in (None, exposure.dtype)
    action = f"convert {exposure.dtype} to {request.dtype}" if changed else "copy"
    opening = Step(action="let the source write its elements", bytes=_source_size(exposure), why=exposure.why_copy)
    last = Step(action=f"{action} into one fresh buffer", bytes=size, why=why)
    return (opening, last) if exposure.fresh else (last,)


_FILLING = {
    "read": "read the values, checked, into one fresh buffer",
    "stack": "write each member into its place in one fresh buffer",
    "assemble": "write each part, checked, into its place in one fresh buffer",
    "adopt": "let the source write its elements into fresh memory, and keep it",
}


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


def _refuse_strange(tensor: Any, exposure: Exposure, request: Request) -> None:
    """Refuse elements for which NumPy has no type, unless they become others."""
    name = exposure.dtype or ""
    if (name in DTYPES and name != "complex32") or request.dtype not in (None, name) or tensor.is_quantized:
        return
    raise UnsupportedDtypeError(
        f"cannot give a tensor of {name} to NumPy",
        why="NumPy has no such element type",
        fix="pass dtype='complex64'" if name == "complex32" else "look at its bytes, with tensor.view(torch.uint8)",
    )


def _refuse_graph(tensor: Any, request: Request) -> None:
    if tensors.on_graph(tensor) and request.detach is not True:
        raise GraphError(
            f"cannot give the memory of a tensor that requires grad ({tensors.made_by(tensor)}) to NumPy",
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
    require_memory(tensor)
    if tensor.device.type == "cpu" and not tensors.is_dense_cpu(tensor):
        raise UnsupportedSourceError(
            f"cannot convert a tensor of layout {tensors.layout_name(tensor)} to NumPy",
            why="NumPy knows one strided block of memory only",
            fix="make it dense first, with to_dense(), dequantize() or to_padded_tensor()",
        )


def _cannot_share(exposure: Exposure, request: Request, reason: str) -> TensorcopyError:
    """The refusal of ``copy=False`` where the source's own memory cannot be had."""
    what = f"cannot share {exposure.kind}{' of ' + exposure.dtype if exposure.dtype else ''} as {_wanted(request)}"
    if reason and reason == exposure.why_readonly:
        fix = "pass copy=None for a copy, or share(..., readonly=True) if you promise not to write"
        return ReadOnlyMemoryError(what, why=reason, fix=fix)
    kind: type[TensorcopyError] = WrongDeviceError if "device" in reason else CannotShareError
    return kind(what, why=reason, fix="pass copy=None to let it copy, or make the source fit first")


def _wanted(request: Request) -> str:
    return f"{request.dtype + ' ' if request.dtype else ''}{_TARGETS[request.to]}"


def _graph(exposure: Exposure, request: Request) -> str:
    if exposure.form == "members":
        return "none" if request.to != "torch" or request.detach else "keeps"
    if exposure.form != "tensor" or not tensors.on_graph(exposure.open()):
        return "none"
    return "cuts" if request.detach or request.to == "numpy" else "keeps"


def _dtype(exposure: Exposure, request: Request) -> str | None:
    """The dtype of the result; None where only reading the values can tell."""
    return request.dtype or (None if exposure.form in ("values", "members") else exposure.dtype)


def _device(exposure: Exposure, request: Request) -> str:
    if request.device is not None:
        return str(request.device)
    return str(exposure.open().device) if exposure.form == "tensor" and request.to == "torch" else "cpu"


def _source_size(exposure: Exposure) -> int | None:
    if exposure.shape is None or exposure.dtype is None:
        return None
    return prod(exposure.shape) * DTYPES[exposure.dtype].bytes


def _size(exposure: Exposure, request: Request) -> int | None:
    dtype = _dtype(exposure, request)
    return None if exposure.shape is None or dtype not in DTYPES else prod(exposure.shape) * DTYPES[dtype].bytes
