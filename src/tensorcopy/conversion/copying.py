"""The verb `copy`: an object of the same kind that owns its memory and shares with nothing."""

from __future__ import annotations

from typing import Any

from ..errors import BadArgumentError
from ..live import tensors
from ..live.dtypes import name_of, name_of_numpy, name_of_torch
from ..live.libraries import class_of, is_ndarray, is_tensor, load
from . import allocation, nests
from .carry_out import array_from_array, copy_tensor
from .casting import require_casting
from .plan import Request

_plain_tensor: Any = None
_strided: Any = None
_clone: Any = None
_LARGE = allocation.ADVISE_FROM


def copy(
    x: Any,
    *,
    detach: bool = True,
    dtype: Any = None,
    device: Any = None,
    memory_format: Any = None,
    requires_grad: bool | None = None,
    out: Any = None,
    casting: str = "checked",
) -> Any:
    """An object of the same kind as *x* that owns its memory: copies, and cuts the graph unless ``detach=False``.

    Takes tensors, NumPy arrays and any nest of dict, list, tuple, named tuple, set, deque and dataclass (a ``state_dict``, a
    batch). Members of a nest that share memory share it in the copy too, as `copy.deepcopy` keeps them.

    Kept: values, shape, dtype, device, the order of dense strides (an expanded or gapped tensor becomes dense), the class
    and instance attributes of a tensor subclass, ``Parameter`` with its ``requires_grad``. Not kept: ``.grad``, hooks, the
    unused rest of a larger storage; conjugate and negative bits are resolved into values.

    Args:
        x: What to copy.
        detach: False keeps the copy on the graph of *x*, as ``clone`` does.
        dtype: Element type of the copy, converted in the same pass; every floating tensor of a nest gets it.
        device: Device of the copy.
        memory_format: Layout of the copy, as in ``torch.clone``; None preserves the order of strides.
        requires_grad: Whether the copy records gradients as a new leaf; None means no (a ``Parameter`` keeps its own).
        out: Tensor or array of the right shape and dtype to write the copy into; it is what is returned.
        casting: As for `to_torch`.

    Raises:
        UnsupportedSourceError: *x*, or a member of the nest, is nothing that can be copied; names its path.
        NestError: a nest contains itself. LossyConversionError: a value would change.

    Example:
        >>> import torch, tensorcopy as tc
        >>> x = torch.ones(2, requires_grad=True)
        >>> tc.copy(x)
        tensor([1., 1.])
    """
    if (
        x.__class__ is _plain_tensor
        and dtype is None
        and out is None
        and detach is True
        and memory_format is None
        and device is None
        and requires_grad is None
        and x.layout is _strided
        and x.nbytes < _LARGE
    ):
        return x.detach().clone()
    return _copy_slowly(x, _request(detach, dtype, device, memory_format, requires_grad, casting), out)


def _request(
    detach: bool, dtype: Any, device: Any, memory_format: Any, requires_grad: bool | None, casting: str
) -> Request:
    if requires_grad is False and not detach:
        raise BadArgumentError(
            "detach=False contradicts requires_grad=False",
            why="a copy on the graph records gradients",
            fix="drop one of the two",
        )
    return Request(
        to="same",
        copy=True,
        dtype=None if dtype is None else name_of(dtype),
        device=device,
        detach=detach,
        requires_grad=requires_grad,
        memory_format=None if str(memory_format) == "torch.preserve_format" else memory_format,
        casting=require_casting(casting),
    )


def _copy_slowly(x: Any, request: Request, out: Any) -> Any:
    if _plain_tensor is None:
        _learn_torch()
    if out is not None:
        return _copy_into(out, x, request)
    if is_tensor(x) or is_ndarray(x):
        return copy_leaf(x, request)
    return nests.copy_nest(x, request, copy_leaf)


def _learn_torch() -> None:
    """Remember what the fast path compares with, once torch is there."""
    global _plain_tensor, _strided
    if class_of("torch", "Tensor") is not None:
        torch = load("torch")
        _plain_tensor, _strided = torch.Tensor, torch.strided


def copy_leaf(x: Any, request: Request) -> Any:
    """A copy of one tensor or array."""
    if is_ndarray(x):
        return _copy_array(x, request)
    result = _copy_one_tensor(x, request)
    if request.requires_grad is not None and result.requires_grad != request.requires_grad:
        return result.requires_grad_(request.requires_grad)
    return result


def _copy_one_tensor(x: Any, request: Request) -> Any:
    torch = load("torch")
    if isinstance(x, torch.nn.Parameter) and request.detach:
        return _copy_parameter(torch, x, request)
    result = copy_tensor(x, request)
    if type(x) is torch.Tensor or type(x) is torch.nn.Parameter:
        return result
    return _as_subclass(x, result)


def _copy_parameter(torch: Any, x: Any, request: Request) -> Any:
    data = copy_tensor(x.detach(), request)
    wants = x.requires_grad if request.requires_grad is None else request.requires_grad
    result = torch.nn.Parameter(data, requires_grad=wants)
    if type(x) is not torch.nn.Parameter:
        result.__class__ = type(x)
    result.__dict__.update(_copied_attributes(x))
    return result


def _as_subclass(x: Any, result: Any) -> Any:
    """*result* with the class and instance attributes of *x*."""
    if tensors.is_wrapper(x):
        return result
    if type(result) is not type(x):
        result = result.as_subclass(type(x))
    result.__dict__.update(_copied_attributes(x))
    return result


def _copied_attributes(x: Any) -> dict[str, Any]:
    """The instance attributes of *x*: arrays and tensors copied, everything else as it is."""
    plain = Request(to="same", copy=True, detach=True)
    return {k: copy_leaf(v, plain) if is_tensor(v) or is_ndarray(v) else v for k, v in x.__dict__.items()}


def _copy_array(x: Any, request: Request) -> Any:
    numpy = load("numpy")
    if x.dtype.hasobject:
        return _deep(x)
    if request.dtype is None and (x.dtype.fields or name_of_numpy(x.dtype) not in _numbers() or numpy.ma.isMaskedArray(x)):
        return x.copy(order="K")
    result = array_from_array(x if type(x) is numpy.ndarray else x.view(numpy.ndarray), request)
    keeps_class = type(x) is not numpy.ndarray and not isinstance(x, numpy.memmap)
    return result.view(type(x)) if keeps_class else result


def _numbers() -> Any:
    from ..live.dtypes import DTYPES

    return DTYPES


def _deep(x: Any) -> Any:
    from copy import deepcopy

    return deepcopy(x)


def _copy_into(out: Any, x: Any, request: Request) -> Any:
    """Write a copy of *x* into *out*; nothing is written if anything is refused."""
    if type(out).__module__.partition(".")[0] != type(x).__module__.partition(".")[0] or not (is_tensor(x) or is_ndarray(x)):
        raise BadArgumentError(
            f"cannot copy {type(x).__name__} into out={type(out).__name__}",
            why="out must be of the same library as the source",
            fix="convert the source first, or leave out= away",
        )
    if tuple(out.shape) != tuple(x.shape):
        raise BadArgumentError(
            f"out has shape {tuple(out.shape)}, the source {tuple(x.shape)}",
            why="the copy is written as it is, without broadcasting",
            fix="pass an out of the shape of the source",
        )
    name = name_of_torch(out.dtype) if is_tensor(out) else name_of_numpy(out.dtype)
    if request.dtype not in (None, name):
        raise BadArgumentError(f"out is {name}, dtype={request.dtype}", why="they contradict each other", fix="drop dtype=")
    return nests.write_into(out, x, request, name)
