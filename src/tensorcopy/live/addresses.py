"""Read where an object's elements lie through the protocols that objects offer: buffer, array interface, DLPack.

Nothing is copied and no library is loaded: the C structures are read with ctypes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import cache
from typing import Any

from ..errors import ProducerError, UnusableBufferError
from . import capsules
from .dtypes import DTYPES
from .memory import Region, contiguous_strides

_ANY_LAYOUT_READ_ONLY = 0x11C
"""CPython's ``PyBUF_FULL_RO``: whatever strides and format the exporter has, without asking to write."""


class _Buffer(ctypes.Structure):
    """CPython's ``Py_buffer``."""

    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.POINTER(ctypes.c_ssize_t)),
        ("internal", ctypes.c_void_p),
    )


@cache
def _python_api(name: str, result: Any, *arguments: Any) -> Any:
    """A function of CPython with its own signature; the ones that ``ctypes.pythonapi`` keeps are everybody's."""
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


def buffer_region(exporter: Any) -> Region:
    """The region of an object with the buffer protocol. It is locked only while it is being asked.

    Raises:
        UnusableBufferError: it was released or closed, or has no plain strided memory.
    """
    acquire = _python_api("PyObject_GetBuffer", ctypes.c_int, ctypes.py_object, ctypes.POINTER(_Buffer), ctypes.c_int)
    release = _python_api("PyBuffer_Release", None, ctypes.POINTER(_Buffer))
    view = _Buffer()
    try:
        acquire(exporter, view, _ANY_LAYOUT_READ_ONLY)
    except (ValueError, BufferError, TypeError) as error:
        raise _unusable(exporter, error) from error
    try:
        return _region_of_view(exporter, view)
    finally:
        release(view)


def _region_of_view(exporter: Any, view: _Buffer) -> Region:
    if view.suboffsets and any(view.suboffsets[k] >= 0 for k in range(view.ndim)):
        raise _unusable(exporter, "its rows are reached through pointers (suboffsets)")
    shape = tuple(view.shape[: view.ndim]) if view.ndim and view.shape else (view.len // (view.itemsize or 1),)
    if view.ndim == 0:
        shape = ()
    strides = tuple(view.strides[: view.ndim]) if view.strides else contiguous_strides(shape, view.itemsize)
    return Region(view.buf or 0, shape, strides, view.itemsize)


def _unusable(exporter: Any, reason: object) -> UnusableBufferError:
    return UnusableBufferError(
        f"cannot look into the {type(exporter).__name__}: {reason}",
        why="only a buffer that is open and lies in one piece has an address",
        fix="pass it before it is released or closed, or pass what it was made from",
    )


def interface_region(interface: Mapping[str, Any], space: str = "host") -> tuple[Region, bool] | None:
    """The region in an ``__array_interface__`` or ``__cuda_array_interface__``, and whether it may be written.

    None where the interface carries its data as an object instead of an address.
    """
    data, shape, size = interface.get("data"), tuple(interface["shape"]), int(interface["typestr"][2:])
    if not isinstance(data, tuple):
        return None
    itemsize = size * 4 if interface["typestr"][1] == "U" else size
    strides = interface.get("strides") or contiguous_strides(shape, itemsize)
    return Region(int(data[0]), shape, tuple(strides), itemsize, space), not data[1]


_HOST_DEVICES = frozenset((1, 2, 3, 10, 11, 13))
"""DLPack device types whose addresses belong to the processor's own numbering: CPU, CUDA, ROCm, pinned and managed."""
_IS_COPIED = 2


def dlpack_region(producer: Any) -> tuple[Region, bool] | None:
    """The region that an object's ``__dlpack__`` exports, and whether it may be written. The capsule is not consumed.

    None where the producer made a copy for the export, so that the address is not its own.

    Raises:
        ProducerError: ``__dlpack__`` raised, or returned something untrue.
    """
    try:
        capsule = _export(producer)
    except Exception as error:
        raise _refused(producer, f"raised {type(error).__name__}: {error}") from error
    try:
        return capsule_region(capsule)
    except capsules.Untrue as error:
        raise _refused(producer, f"returned something untrue: {error}") from error


def capsule_region(capsule: Any) -> tuple[Region, bool] | None:
    """The region that a DLPack capsule hands over, and whether it may be written; None if it is a copy. Not consumed.

    Raises:
        Untrue: it is no such capsule, was taken already, or contradicts itself.
    """
    told = capsules.read(capsule)
    if (capsules._tensor_in(capsule)[1] or 0) & _IS_COPIED:
        return None
    space = "host" if told.device_type in _HOST_DEVICES else f"dlpack {told.device}"
    itemsize = DTYPES[told.dtype].bytes if told.dtype in DTYPES else 1
    return Region(told.address, told.shape, told.strides, itemsize, space), told.read_only is not True


def _export(producer: Any) -> Any:
    try:
        return producer.__dlpack__(max_version=capsules.NEWEST)
    except TypeError:
        return producer.__dlpack__()


def _refused(producer: Any, happened: str) -> ProducerError:
    return ProducerError(
        f"__dlpack__ of {type(producer).__name__} {happened}",
        why="its memory can only be found through that method",
        fix="ask about the array that it was made from",
    )
