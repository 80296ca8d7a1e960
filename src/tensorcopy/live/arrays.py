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
    strides, size = array.strides, array.itemsize
    if strides and min(strides) < 0:
        return "it has a negative stride, and tensors have none"
    for stride in strides:
        if stride % size:
            return "a stride is no multiple of the element size"
    return ""


def why_read_only(array: Any) -> str:
    """Why *array* must not be written, or empty when it may be."""
    if array.flags.num & _WARNS_ON_WRITE:
        return "NumPy warns of every write to what broadcast_arrays gives, and torch would not"
    if array.flags.writeable:
        return ""
    return "the memory is read-only, and torch would write it all the same"


_WARNS_ON_WRITE = 1 << 31
"""NumPy's flag for arrays that will be read-only in a future release; even asking whether they are warns."""


def without_warning(array: Any) -> Any:
    """*array*, or a read-only view of it where NumPy would warn of asking for its address or its permission."""
    if not array.flags.num & _WARNS_ON_WRITE:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


def for_numpy_cast(array: Any, target: str) -> Any:
    """*array*, or the same values in other memory where NumPy would mistake them on their way to *target*.

    ml_dtypes takes a byte of 2 in an array of bools, which is true, for the number 2.
    """
    mistaken = array.dtype.kind == "b" and target in ML_DTYPES
    return load("numpy").logical_and(array, True) if mistaken else array


class _Window:
    """Memory that somebody owns, offered to NumPy's array interface protocol as memory that may be written."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner: Any, interface: dict[str, Any]) -> None:
        self.__array_interface__ = interface
        self.owner = owner


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
    if not array.size:
        return numpy.empty(array.shape, array.dtype)
    interface = dict(array.__array_interface__)
    return numpy.asarray(_Window(array, interface | {"data": (interface["data"][0], False)}))


def array_over(tensor: Any) -> Any:
    """A NumPy array on the memory of a strided CPU *tensor* that has no graph, conj or neg bit: shares."""
    name = name_of_torch(tensor.dtype)
    if name not in ML_DTYPES:
        return tensor.numpy()
    carrier = torch_dtype(_CARRIERS[tensor.element_size()])
    return tensor.view(carrier).numpy().view(numpy_dtype(name))


def array_at(tensor: Any) -> Any:
    """As `array_over`, for an array that is dropped when the call ends.

    ``Tensor.numpy`` marks the storage for good: it can neither be resized nor moved to shared memory any more. This
    reads the address, and leaves no mark.
    """
    name = name_of_torch(tensor.dtype)
    numpy, dtype = load("numpy"), numpy_dtype(name)
    if not tensor.numel():
        return numpy.empty(tuple(tensor.shape), dtype)
    interface = {
        "version": 3,
        "data": (tensor.data_ptr(), False),
        "shape": tuple(tensor.shape),
        "strides": tuple([step * dtype.itemsize for step in tensor.stride()]),
        "typestr": f"|V{dtype.itemsize}" if name in ML_DTYPES else dtype.str,
    }
    seen = numpy.asarray(_Window(tensor, interface))
    return seen.view(dtype) if name in ML_DTYPES else seen
