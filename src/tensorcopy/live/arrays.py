"""What a NumPy array's memory allows, and views across the border between NumPy and torch that copy nothing."""

from __future__ import annotations

from typing import Any

from .dtypes import DTYPES, ML_DTYPES, name_of_numpy, name_of_torch, numpy_dtype, torch_dtype
from .libraries import load

_CARRIERS = {1: "uint8", 2: "int16", 4: "int32", 8: "int64"}
"""Integer types of the same width, under which a dtype that one side lacks crosses the border as bits."""


def is_numeric(array: Any) -> bool:
    """Whether the elements are numbers of a type in `DTYPES`, in any byte order."""
    return name_of_numpy(array.dtype) in DTYPES


def why_not_tensor_memory(array: Any) -> str:
    """Why no tensor can lie on the memory of *array*, whatever its permissions; empty when one can."""
    if not array.dtype.isnative:
        return "its byte order is not the machine's, and torch has only that one"
    if not array.flags.aligned:
        return "its elements are not aligned"
    if any(stride < 0 for stride in array.strides):
        return "it has a negative stride, and tensors have none"
    if any(stride % array.itemsize for stride in array.strides):
        return "a stride is no multiple of the element size"
    return ""


def why_read_only(array: Any) -> str:
    """Why *array* must not be written, or empty when it may be."""
    if array.flags.writeable:
        return ""
    return "the memory is read-only, and torch would write it all the same"


def is_internally_overlapping(array: Any) -> bool:
    """Whether several elements of *array* lie on the same bytes (as `numpy.broadcast_to` makes them)."""
    return any(stride == 0 and size > 1 for stride, size in zip(array.strides, array.shape, strict=True))


class _Window:
    """The memory of an array offered again, with write permission, to NumPy's array interface protocol."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, array: Any) -> None:
        interface = dict(array.__array_interface__)
        interface["data"] = (interface["data"][0], False)
        self.__array_interface__ = interface
        self.owner = array


def tensor_over(array: Any) -> Any:
    """A tensor on the memory of *array*: shares, has no graph. The caller answers for read-only memory.

    Only for arrays with an empty `why_not_tensor_memory`. No warning is given for read-only arrays.
    """
    torch, numpy = load("torch"), load("numpy")
    name = name_of_numpy(array.dtype)
    plain = array if type(array) is numpy.ndarray else array.view(numpy.ndarray)
    if name in ML_DTYPES:
        return tensor_over(plain.view(_CARRIERS[plain.itemsize])).view(torch_dtype(name))
    torch_dtype(name)
    if plain.dtype.char in "qQ":
        plain = plain.view(name)
    return torch.from_numpy(writable_over(plain))


def writable_over(array: Any) -> Any:
    """*array* itself if it may be written, else another on its memory that may. The caller answers for the memory."""
    if array.flags.writeable:
        return array
    numpy = load("numpy")
    return numpy.asarray(_Window(array)) if array.size else numpy.empty(array.shape, array.dtype)


def array_over(tensor: Any) -> Any:
    """A NumPy array on the memory of a strided CPU *tensor* that has no graph, conj or neg bit: shares."""
    name = name_of_torch(tensor.dtype)
    if name not in ML_DTYPES:
        return tensor.numpy()
    carrier = torch_dtype(_CARRIERS[tensor.element_size()])
    return tensor.view(carrier).numpy().view(numpy_dtype(name))
