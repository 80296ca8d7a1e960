"""Write elements into memory that is there already, converted and checked: the last step of every copying route.

What `kernels` can cast is converted and checked in one pass. Everything else (complex to real, float8, tensors that are
no plain memory) is converted by torch or NumPy and checked afterwards by `casting.find_loss`. Both refuse the same
values with the same words: after a loss the second way runs again, to say which value it was.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from ..live import arrays, tensors
from ..live.dtypes import DTYPES
from ..live.libraries import load
from . import kernels
from .casting import can_lose, find_loss, loss_error
from .moving import LARGE, moved
from .places import path_at

Where = Callable[[tuple[int, ...]], tuple[int, ...]] | None

_CHECK_BLOCK = 1 << 18
"""Elements cast and checked at a time: small enough that the check reads from cache what the cast has just written."""

_PARTS = {"complex64": "float32", "complex128": "float64"}
"""The type of the two numbers that an element consists of."""


_ROUNDED_TWICE = "float64", "float16"
"""The types between which torch goes through float32, and NumPy does not."""


def fill_tensor(result: Any, source: Any, name: str, target: str, casting: str, where: Where = None) -> None:
    """Write *source* into *result*, checked where a value could be lost. Both are tensors off the graph, of one shape.

    *result* is plain CPU memory, and no two of its elements share any; after an error it may be half written.
    *where* gives the index that a message names for an index of *source*.
    """
    if not _for_kernels(name, target, casting) or not _is_plain(source):
        _fill_by_torch(result, source, name, target, casting, where)
    elif source.is_contiguous() and result.is_contiguous():
        _fill_flat(result, source, name, target, casting, where)
    elif kernels.any_lost(_memory_of_tensor(source, name), _memory_of_tensor(result, target), casting):
        _fill_by_torch(result, source, name, target, casting, where)


@cache
def _for_kernels(name: str, target: str, casting: str) -> bool:
    """Whether the kernels cast these types and have something to give: a check, or a bool's own kind of truth."""
    if name == target or not (name == "bool" or can_lose(name, target, casting)):
        return False
    return kernels.casts(_PARTS.get(name, name), _PARTS.get(target, target)) and (name in _PARTS) == (target in _PARTS)


def _is_plain(tensor: Any) -> bool:
    """Whether the memory of *tensor* holds its values as they are."""
    return tensors.is_dense_cpu(tensor) and not tensor.is_neg() and not tensor.is_conj()


def _fill_flat(result: Any, source: Any, name: str, target: str, casting: str, where: Where) -> None:
    parts = 2 if name in _PARTS else 1
    names = _PARTS.get(name, name), _PARTS.get(target, target)
    lost = kernels.first_lost(source.data_ptr(), result.data_ptr(), parts * source.numel(), names, casting)
    if lost is not None:
        index = path_at(lost // parts, source.shape)
        raise loss_error(source[index].item(), where(index) if where else index, name, target)


def _memory_of_tensor(tensor: Any, name: str) -> kernels.Memory:
    size = DTYPES[name].bytes
    strides = tuple(step * size for step in tensor.stride())
    return _memory(name, tensor.data_ptr(), tuple(tensor.shape), strides)


def _memory(name: str, address: int, shape: tuple[int, ...], strides: tuple[int, ...], **how: bool) -> kernels.Memory:
    """Memory with complex elements seen as pairs of real ones."""
    if name in _PARTS:
        name, shape, strides = _PARTS[name], (*shape, 2), (*strides, DTYPES[name].bytes // 2)
    return kernels.Memory(dtype=name, address=address, shape=shape, strides=strides, **how)


def _fill_by_torch(result: Any, source: Any, name: str, target: str, casting: str, where: Where) -> None:
    seen = part_for(source, name, target)
    if not can_lose(name, target, casting):
        if name != target or source.nbytes < LARGE or not moved([result], [source]):
            result.copy_(seen)
    elif source.numel() <= _CHECK_BLOCK or not (source.is_contiguous() and result.is_contiguous()):
        result.copy_(seen)
        refuse_loss(source, result, name, target, casting, where=where)
    else:
        flat, out = source.view(-1), result.view(-1)
        for start in range(0, flat.numel(), _CHECK_BLOCK):
            stop = start + _CHECK_BLOCK
            out[start:stop].copy_(part_for(flat[start:stop], name, target))
            block = flat[start:stop], out[start:stop]
            refuse_loss(*block, name, target, casting, whole=source, start=start, where=where)


def part_for(tensor: Any, name: str, target: str) -> Any:
    """*tensor*, or its real part on its way to a real type: torch would drop the other one too, and warn."""
    return tensor.real if _drops_imaginary(name, target) else tensor


def fill_array(result: Any, source: Any, name: str, target: str, casting: str, where: Where = None) -> None:
    """Write the array *source* into the array *result*, checked where a value could be lost; *where* as above.

    float64 becomes float16 as NumPy does it, in one rounding; torch rounds to float32 first (`fill_tensor_from_array`).
    """
    if (name, target) == _ROUNDED_TWICE or not _fill_by_kernels(result, source, name, target, casting):
        _fill_by_numpy(result, source, name, target, casting, where)


def fill_tensor_from_array(result: Any, source: Any, name: str, target: str, casting: str, where: Where = None) -> None:
    """Write the array *source*, whatever its strides and byte order, into the tensor *result*."""
    seen = arrays.array_at(result)
    if _fill_by_kernels(seen, source, name, target, casting):
        return
    if (name, target) == _ROUNDED_TWICE:
        fill_tensor(result, arrays.tensor_over(load("numpy").array(source, "float64")), name, target, casting, where)
    else:
        _fill_by_numpy(seen, source, name, target, casting, where)


def _fill_by_kernels(result: Any, source: Any, name: str, target: str, casting: str) -> bool:
    """False if *result* still has to be filled: there is no kernel, or a value was lost."""
    if not _for_kernels(name, target, casting):
        return False
    return not kernels.any_lost(_memory_of_array(source, name), _memory_of_array(result, target), casting)


def _memory_of_array(array: Any, name: str) -> kernels.Memory:
    address = array.__array_interface__["data"][0]
    how = {"aligned": array.flags.aligned, "native": array.dtype.isnative}
    return _memory(name, address, array.shape, array.strides, **how)


def _fill_by_numpy(result: Any, source: Any, name: str, target: str, casting: str, where: Where) -> None:
    numpy = load("numpy")
    source = arrays.for_numpy_cast(source, target)
    with numpy.errstate(all="ignore"):
        numpy.copyto(result, source.real if _drops_imaginary(name, target) else source, casting="unsafe")
        if can_lose(name, target, casting):
            native = source if source.dtype.isnative else source.astype(source.dtype.newbyteorder("="))
            index = find_loss(numpy, native, result, (name, target), casting)
            if index is not None:
                raise loss_error(source[index].item(), where(index) if where else index, name, target)


def _drops_imaginary(name: str, target: str) -> bool:
    return name != target and DTYPES[name].kind == "c" and DTYPES[target].kind != "c"


def refuse_loss(
    source: Any,
    result: Any,
    name: str,
    target: str,
    casting: str,
    *,
    whole: Any = None,
    start: int = 0,
    where: Where = None,
) -> None:
    """Raise `LossyConversionError` for the first element of *source* that *result* does not hold.

    Both are tensors. A block of a larger tensor passes *whole* and its flat *start*, for the index in the message.
    """
    torch = load("torch")
    if name in _LEFT_TO_NUMPY or target in _LEFT_TO_NUMPY:
        lib = load("numpy")
        index = find_loss(lib, arrays.array_at(source), arrays.array_at(result), (name, target), casting)
    else:
        index = find_loss(torch, source, result, (name, target), casting)
    if index is not None:
        place = index if whole is None else path_at(start + index[0], whole.shape)
        raise loss_error(source[index].item(), where(place) if where else place, name, target)


_LEFT_TO_NUMPY = frozenset({"uint16", "uint32", "uint64"})
"""Types that torch stores but hardly computes with."""
