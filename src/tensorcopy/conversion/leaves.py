"""Copies of single leaves: one tensor or one array, of whatever class, layout and place."""

from __future__ import annotations

from copy import deepcopy
from operator import attrgetter
from typing import Any

from ..errors import BadArgumentError, TensorcopyError, UnsupportedDtypeError, WrongDeviceError
from ..live import arrays, tensors
from ..live.dtypes import DTYPES, name_of_numpy, name_of_torch, numpy_dtype, torch_dtype
from ..live.libraries import class_of, is_ndarray, is_tensor, load, loaded
from . import allocation
from .carry_out import array_from_array, copy_tensor, refuse_loss, require_known
from .casting import can_lose
from .freed import ASKED_FROM, have_memory, require_memory
from .moving import LARGE, write_all
from .plan import Request

PLAIN = Request(to="same", copy=True, detach=True)
"""Copy as it is, off the graph."""
SMALL = allocation.ADVISE_FROM // 16
"""Elements below which a tensor of any type is too small for advice on its memory."""


def copy_leaf(x: Any, request: Request) -> Any:
    """A copy of one tensor or array, without attributes: owns its memory, keeps the class, and the graph if asked."""
    return _copy_array(x, request) if is_ndarray(x) else _copy_tensor(x, request)


def joint_tensors(found: list[Any], *, together: bool) -> list[Any]:
    """The plain tensors and parameters among *found* that `copy_jointly` takes, small ones only unless *together*."""
    torch = loaded("torch")
    if torch is None:
        return []
    if together:
        return found
    plain = (class_of("torch", "Tensor"), torch.nn.Parameter)
    return [x for x in found if type(x) in plain and x.numel() < SMALL]


def copy_jointly(found: list[Any], *, together: bool) -> list[Any]:
    """Copies of `joint_tensors`, off the graph. *together*: all are strided memory, which one call can copy."""
    torch = loaded("torch")
    if torch is None or not found:
        return []
    if not together or not have_memory(torch, found):
        for x in found:
            require_memory(x)
    copies = _cloned(torch, found) if together else [x.detach().clone() for x in found]
    if torch.nn.Parameter not in set(map(type, found)):
        return copies
    return [
        data if type(x) is torch.Tensor else _as_parameter(torch, data, x, PLAIN)
        for x, data in zip(found, copies, strict=True)
    ]


def _cloned(torch: Any, found: list[Any]) -> list[Any]:
    detached = found if _are_off_graph(found) else [x.detach() for x in found]
    nbytes = sum(map(attrgetter("nbytes"), detached))
    if nbytes >= ASKED_FROM:
        for x in detached:
            require_memory(x)
    if nbytes >= LARGE and all(map(_is_plain_on_cpu, detached)):
        results = allocation.empty_likes(torch, detached)
        write_all(results, detached)
        return results
    clone_all = getattr(torch, "_foreach_clone", None)
    if clone_all is not None:
        try:
            return list(clone_all(detached))
        except NotImplementedError:
            pass  # nested tensors
    return [x.clone() for x in detached]


def _is_plain_on_cpu(x: Any) -> bool:
    return x.is_cpu and not x.is_quantized and not x.is_nested


def _are_off_graph(found: list[Any]) -> bool:
    """Whether tensors in real memory have neither gradients nor, as they may inside a dual level, tangents."""
    return not tensors.may_have_tangents() and not any(map(attrgetter("requires_grad"), found))


def _copy_tensor(x: Any, request: Request) -> Any:
    torch = load("torch")
    if tensors.is_lazy(x):
        return deepcopy(x)
    return dressed(_plain_copy(torch, x, request), x, request)


def copy_symbolic(x: Any, request: Request) -> Any:
    """A copy of a tensor while a graph is captured: only torch's own calls, and no look at values or addresses.

    A ``Parameter`` becomes a tensor.
    """
    source = x.detach() if request.detach else x
    dtype = source.dtype if request.dtype is None else torch_dtype(request.dtype)
    keep = load("torch").preserve_format if request.memory_format is None else request.memory_format
    if dtype == source.dtype and request.device is None:
        return _with_grad(source.clone(memory_format=keep), request)
    return _with_grad(source.to(request.device, dtype, copy=True, memory_format=keep), request)


def dressed(data: Any, x: Any, request: Request) -> Any:
    """The fresh tensor *data* with the class and the ``requires_grad`` that a copy of *x* has.

    *data* is consumed: the result lies on its memory. On the graph (``detach=False``) a ``Parameter`` becomes a tensor.
    """
    torch = load("torch")
    if isinstance(x, torch.nn.Parameter) and request.detach:
        return _as_parameter(torch, data, x, request)
    if type(x) is not torch.Tensor and type(x) is not torch.nn.Parameter and not is_dispatching(x):
        data = data if type(data) is type(x) else data.as_subclass(type(x))
    return _with_grad(data, request)


def _as_parameter(torch: Any, data: Any, x: Any, request: Request) -> Any:
    wants = x.requires_grad if request.requires_grad is None else request.requires_grad
    result = torch.nn.Parameter(data, requires_grad=wants and can_require_grad(data))
    if type(x) is not torch.nn.Parameter and type(result) is not type(x):
        result.__class__ = type(x)
    return result


def _with_grad(data: Any, request: Request) -> Any:
    wants = request.requires_grad
    if wants is None or wants == data.requires_grad:
        return data
    if not can_require_grad(data):
        raise BadArgumentError(
            f"a {name_of_torch(data.dtype)} tensor cannot require grad",
            why="only floating and complex values have gradients",
            fix="pass a floating dtype=, or leave requires_grad= away",
        )
    return data.requires_grad_(wants)


def can_require_grad(tensor: Any) -> bool:
    """Whether gradients can be recorded for elements of this type."""
    return bool(tensor.is_floating_point() or tensor.is_complex())


def is_dispatching(x: Any) -> bool:
    """Whether the class of *x* answers torch's operations itself, so that only these may be used to copy it."""
    return bool(type(x).__torch_dispatch__ is not load("torch").Tensor.__torch_dispatch__) or tensors.is_wrapper(x)


def attributes_of(x: Any) -> dict[str, Any] | None:
    """The instance attributes that a copy of the leaf *x* has too, copied; None if there are none.

    A plain tensor keeps none. Masked arrays and classes that answer operations themselves look after their own.
    """
    if is_tensor(x):
        special = type(x) is class_of("torch", "Tensor") or is_dispatching(x) or tensors.is_lazy(x)
    else:
        special = isinstance(x, load("numpy").ma.MaskedArray)
    return None if special else getattr(x, "__dict__", None) or None


def _plain_copy(torch: Any, x: Any, request: Request) -> Any:
    """The values of *x* in memory of their own, of class ``Tensor`` unless the class answers operations itself."""
    if type(x) is torch.Tensor or type(x) is torch.nn.Parameter or is_dispatching(x):
        return _copy_values(torch, x, request)
    with torch._C.DisableTorchFunctionSubclass():
        return _copy_values(torch, x, request)


def _copy_values(torch: Any, x: Any, request: Request) -> Any:
    name = name_of_torch(x.dtype)
    require_known(name, request.dtype or name)
    source = x.detach() if request.detach else x
    if not tensors.has_visible_values(x):
        request = request._replace(casting="unsafe")
    if _moves(x, request):
        return _copy_to_device(source, request)
    request = request._replace(device=None)
    if x.layout is torch.strided or request.dtype in (None, name):
        return _on_place(copy_tensor(source, request), request)
    return _convert_sparse(source, name, request)


def _on_place(result: Any, request: Request) -> Any:
    """*result* in the memory format asked for, which a change of dtype alone may have ignored."""
    wanted = request.memory_format
    return (
        result
        if wanted is None or result.is_contiguous(memory_format=wanted)
        else result.contiguous(memory_format=wanted)
    )


def _moves(x: Any, request: Request) -> bool:
    if request.device is None:
        return False
    wanted = request.device
    return bool(wanted.type != x.device.type or wanted.index not in (None, x.device.index))


def _copy_to_device(source: Any, request: Request) -> Any:
    if source.device.type == "meta":
        raise WrongDeviceError(
            f"cannot copy a tensor on device meta to {request.device}",
            why="a meta tensor has a shape and no data",
            fix="make the data first, as with torch.empty_like(x, device=...)",
        )
    if request.dtype not in (None, name_of_torch(source.dtype)):
        source = copy_tensor(source, request._replace(device=None))
    return _on_place(source.to(request.device, copy=True), request)


def _convert_sparse(source: Any, name: str, request: Request) -> Any:
    """*source*, which is not strided, with another dtype; its stored values are checked."""
    torch, target = load("torch"), request.dtype or name
    if can_lose(name, target, request.casting):
        values = (source.coalesce() if source.layout is torch.sparse_coo else source).values().detach()
        refuse_loss(values, values.to(torch_dtype(target)), name, target, request.casting)
    return source.to(torch_dtype(target), copy=True)


def _copy_array(x: Any, request: Request) -> Any:
    numpy = load("numpy")
    if x.dtype.hasobject and x.dtype.kind != "T":
        return deepcopy(x)
    source = x.view(numpy.ndarray) if isinstance(x, numpy.memmap) else x
    name = name_of_numpy(x.dtype)
    if request.dtype is None or (request.dtype == name and x.dtype.isnative):
        result = source.copy(order="K") if _needs_numpy(numpy, source, name) else array_from_array(source, request)
    else:
        result = _convert_array(numpy, source, name, request)
    return result


def _needs_numpy(numpy: Any, x: Any, name: str) -> bool:
    """Whether only NumPy's own copy keeps everything: class, mask, byte order, fields, text."""
    return type(x) is not numpy.ndarray or not x.dtype.isnative or name not in DTYPES or x.dtype.names is not None


def _convert_array(numpy: Any, x: Any, name: str, request: Request) -> Any:
    if name not in DTYPES or x.dtype.names is not None:
        raise UnsupportedDtypeError(
            f"cannot convert an array of {x.dtype} to {request.dtype}",
            why="its elements are not numbers of a type that tensors have too",
            fix="leave dtype= away, or call array.astype on what it holds first",
        )
    masked = isinstance(x, numpy.ma.MaskedArray)
    if not masked:
        result = array_from_array(x.view(numpy.ndarray), request)
        return result if type(x) is numpy.ndarray else result.view(type(x))
    array_from_array(numpy.asarray(x.filled(0)), request)
    with numpy.errstate(all="ignore"):
        result = arrays.for_numpy_cast(x, str(request.dtype)).astype(numpy_dtype(str(request.dtype)), order="K")
    result.mask = x.mask.copy() if x.mask is not numpy.ma.nomask else numpy.ma.nomask
    return result


def changes_nothing(request: Request) -> bool:
    """Whether leaves are to be copied as they are, off the graph."""
    asked = (request.dtype, request.device, request.memory_format, request.requires_grad)
    return bool(request.detach) and all(option is None for option in asked)


def suits(x: Any, dtype: str | None) -> bool:
    """Whether ``dtype=`` for a whole nest concerns the leaf *x*: floating ones, and complex ones if it is complex."""
    if dtype is None:
        return False
    name = name_of_torch(x.dtype) if is_tensor(x) else name_of_numpy(x.dtype)
    kind = DTYPES[name].kind if name in DTYPES else ""
    return kind == "f" or (kind == "c" and DTYPES[dtype].kind == "c")


def for_member(x: Any, request: Request) -> Request:
    """*request* as it concerns one member of a nest: what does not fit the member is left away."""
    if request.dtype is request.device is request.memory_format is request.requires_grad:
        return request
    if is_ndarray(x):
        return request._replace(
            dtype=request.dtype if suits(x, request.dtype) else None,
            device=None,
            memory_format=None,
            requires_grad=None,
        )
    return request._replace(
        dtype=request.dtype if suits(x, request.dtype) else None,
        memory_format=request.memory_format if x.dim() == _RANKS.get(str(request.memory_format), x.dim()) else None,
        requires_grad=request.requires_grad if can_require_grad(x) else None,
    )


_RANKS = {"torch.channels_last": 4, "torch.channels_last_3d": 5}


def refuse_for_array(request: Request) -> None:
    """Raise for what was asked of a single array and only tensors have."""
    asked = {
        "device": request.device is not None and str(request.device) != "cpu",
        "memory_format": request.memory_format is not None,
        "requires_grad": bool(request.requires_grad),
    }
    for name, wanted in asked.items():
        if wanted:
            raise BadArgumentError(
                f"{name}= was passed with a NumPy array",
                why="only a tensor has one",
                fix="convert first, with to_torch",
            )


def at_path(error: TensorcopyError, path: str) -> TensorcopyError:
    """*error* once more, naming the place in the nest."""
    return type(error)(f"{error.what} (at {path})" if path else error.what, why=error.why, fix=error.fix)
