"""One field of a batch from tensors or arrays that are alike: one block, in shared memory within a worker process."""

from __future__ import annotations

from math import prod
from operator import attrgetter, countOf
from typing import Any

from ..errors import UnsupportedSourceError
from ..live import arrays
from ..live.dtypes import name_of_numpy, torch_dtype
from ..live.libraries import load, loaded
from ..live.tensors import is_without_memory
from . import allocation
from .collating_errors import Field, called, no_graph_between_processes, refuse_unlike_members
from .freed import have_memory, require_memory
from .moving import LARGE, moved

_LARGE = allocation.ADVISE_FROM // 16
"""Elements from which a batch of tensors may be large enough for advice on its memory."""

_dtype_of = attrgetter("dtype")


def have_one_dtype(values: list[Any]) -> bool:
    """Whether all have the dtype of the first; False if some have none."""
    try:
        return countOf(map(_dtype_of, values), values[0].dtype) == len(values)
    except AttributeError:
        return False


def stack_tensors(values: list[Any], field: Field) -> Any:
    """`torch.stack` of tensors of one dtype, into memory that is there for them; keeps the graph."""
    torch, first = load("torch"), values[0]
    large = len(values) * first.numel() >= _LARGE
    out = _room(torch, values, field) if large or _is_in_worker() else None
    try:
        if not have_memory(torch, values):
            for value in values:
                require_memory(value)
        if out is not None and moved(out.unbind(), values):
            return out
        return torch.stack(values) if out is None else torch.stack(values, out=out)
    except (RuntimeError, TypeError) as error:
        refuse_unlike_members(values, field)
        raise UnsupportedSourceError(
            f"cannot collate {called(field)} of tensors: {str(error).splitlines()[0]}",
            why=f"torch.stack does not take tensors of layout {first.layout}",
            fix="make them dense in the dataset, or pass by_type=",
        ) from error


def _room(torch: Any, values: list[Any], field: Field) -> Any:
    """Where the batch of these tensors is to be written; None where torch has to find its own place."""
    plain = {torch.Tensor, torch.nn.Parameter}
    if not set(map(type, values)) <= plain or not all(v.is_cpu and v.layout is torch.strided for v in values):
        return None
    if any(v.is_quantized or v.is_nested or v.shape != values[0].shape for v in values):
        return None
    if any(map(attrgetter("requires_grad"), values)) and torch.is_grad_enabled():
        if _is_in_worker():
            raise no_graph_between_processes(field)
        return None
    return _empty(torch, (len(values), *values[0].shape), values[0].dtype)


def _empty(torch: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """A fresh tensor: in shared memory within a worker process, else in ordinary memory."""
    if not _is_in_worker():
        return allocation.empty(torch, shape, dtype)
    storage = torch.UntypedStorage._new_shared(prod(shape) * dtype.itemsize, device="cpu")
    return torch.empty(0, dtype=dtype, device="cpu").set_(storage, 0, shape)


def _is_in_worker() -> bool:
    data = loaded("torch.utils.data")
    return data is not None and data.get_worker_info() is not None


def ready_to_leave(result: Any, field: Field) -> Any:
    """*result*, ready to leave a worker process."""
    if result.requires_grad and _is_in_worker():
        raise no_graph_between_processes(field)
    return result


def join_arrays(values: list[Any], field: Field) -> Any:
    """One tensor from plain arrays of one dtype: copies. None for others."""
    first, count = values[0], len(values)
    if first.ndim == 0 or not have_one_dtype(values) or not arrays.is_numeric(first) or is_without_memory():
        return None
    if countOf(map(len, values), len(first)) < count:
        refuse_unlike_members(values, field)
    torch, dtype = load("torch"), torch_dtype(name_of_numpy(first.dtype))
    result = _empty(torch, (count, *first.shape), dtype)
    try:
        _join(torch, values, result)
    except (ValueError, RuntimeError):
        refuse_unlike_members(values, field)
        raise
    return result


def _join(torch: Any, values: list[Any], result: Any) -> None:
    """Write arrays, of as many rows each, into *result*; an error if their shapes differ."""
    if result.nbytes >= LARGE and not any(map(arrays.why_not_tensor_memory, values)):
        tensors = [arrays.tensor_over(value) for value in values]
        if any(tensor.shape != result.shape[1:] for tensor in tensors) or not moved(result.unbind(), tensors):
            torch.stack(tensors, out=result)
    else:
        place = arrays.array_at(result)
        load("numpy").concatenate(values, out=place.reshape(-1, *place.shape[2:]))
