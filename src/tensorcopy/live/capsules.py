"""What a DLPack capsule says about the memory that it hands over, checked before anything looks at that memory.

``torch.from_dlpack`` believes a capsule: one negative stride ends the process. Here a capsule is read as the C
structure that it is, and what makes no sense is refused. A capsule that nobody has taken frees its memory when it is
dropped, so the view holds the capsule itself, and nothing has to be called.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from math import prod
from typing import Any

from .dtypes import ML_DTYPES, numpy_dtype
from .libraries import load

NEWEST = (1, 0)
"""The version of the protocol that is asked for, and the newest major version that is understood."""

CPU = 1
"""The number of the CPU among the types of device."""

_DEVICES = {1: "cpu", 2: "cuda", 3: "cuda_host", 4: "opencl", 7: "vulkan", 8: "metal", 10: "rocm", 11: "rocm_host"}
_DEVICES |= {13: "cuda_managed", 14: "oneapi"}
_READ_ONLY = 1

_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool"}
_FLOAT8 = {10: "float8_e4m3fn", 11: "float8_e4m3fnuz", 12: "float8_e5m2", 13: "float8_e5m2fnuz"}


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """A capsule, and what it says."""

    capsule: Any
    device_type: int
    device: str
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    """In bytes."""
    address: int
    read_only: bool | None
    """None where the protocol in use (before version 1) cannot say."""


class Untrue(ValueError):
    """A capsule that makes no sense; the text says what."""


def read(capsule: Any) -> Handover:
    """What *capsule* says; `Untrue` if it is none, was taken already, or contradicts itself. Reads no element."""
    tensor, flags = _tensor_in(capsule)
    if not 0 <= tensor.ndim <= 64:
        raise Untrue(f"it claims {tensor.ndim} dimensions")
    if tensor.ndim and not tensor.shape:
        raise Untrue("it gives no shape")
    shape = tuple(tensor.shape[: tensor.ndim])
    if any(size < 0 for size in shape):
        raise Untrue(f"it claims the shape {shape}")
    dtype, itemsize = _dtype_of(tensor)
    address = (tensor.data or 0) + tensor.byte_offset
    if prod(shape) and not tensor.data:
        raise Untrue(f"it gives no address for {prod(shape)} elements")
    if prod(shape) * itemsize >= 2**63:
        raise Untrue(f"it claims {prod(shape)} elements")
    return Handover(
        capsule=capsule,
        device_type=tensor.device_type,
        device=device_name(tensor.device_type, tensor.device_id),
        dtype=dtype,
        shape=shape,
        strides=_strides_of(tensor, shape, itemsize),
        address=address,
        read_only=None if flags is None else bool(flags & _READ_ONLY),
    )


def _tensor_in(capsule: Any) -> tuple[_Tensor, int | None]:
    name = _name_of(capsule)
    if name == b"dltensor":
        return _Tensor.from_address(_pointer_in(capsule, name)), None
    if name != b"dltensor_versioned":
        raise Untrue("it was taken by somebody else" if name.startswith(b"used_dltensor") else f"it is called {name!r}")
    versioned = _Versioned.from_address(_pointer_in(capsule, name))
    if versioned.major > NEWEST[0]:
        raise Untrue(f"it speaks version {versioned.major}.{versioned.minor} of the protocol, asked for {NEWEST[0]}")
    return versioned.tensor, versioned.flags


def _name_of(capsule: Any) -> bytes:
    if type(capsule).__name__ != "PyCapsule":
        raise Untrue(f"it is a {type(capsule).__name__}, not a capsule")
    get_name = ctypes.pythonapi.PyCapsule_GetName
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return get_name(capsule) or b""


def _pointer_in(capsule: Any, name: bytes) -> int:
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get_pointer(capsule, name) or 0


def _dtype_of(tensor: _Tensor) -> tuple[str, int]:
    if tensor.lanes != 1 or tensor.bits % 8:
        raise Untrue(f"its elements are of {tensor.bits} bits in {tensor.lanes} lanes")
    kind = _KINDS.get(tensor.code)
    name = _FLOAT8.get(tensor.code) if kind is None else "bool" if kind == "bool" else f"{kind}{tensor.bits}"
    if name is None:
        raise Untrue(f"its elements are of type code {tensor.code} with {tensor.bits} bits")
    return name, tensor.bits // 8


def device_name(device_type: int, device_id: int) -> str:
    """The device in torch's words, such as ``cpu`` and ``cuda:0``."""
    name = _DEVICES.get(device_type, f"device type {device_type}")
    return name if device_type == CPU else f"{name}:{device_id}"


def _strides_of(tensor: _Tensor, shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    if tensor.strides:
        return tuple(step * itemsize for step in tensor.strides[: tensor.ndim])
    steps = [itemsize]
    for size in reversed(shape[1:]):
        steps.append(steps[-1] * max(size, 1))
    return tuple(reversed(steps[: len(shape)]))


class _View:
    """The memory of a capsule, offered to NumPy; keeps the capsule, and so the memory, alive."""

    __slots__ = ("__array_interface__", "capsule")

    def __init__(self, handover: Handover, typestr: str) -> None:
        self.capsule = handover.capsule
        self.__array_interface__ = {
            "version": 3,
            "data": (handover.address, handover.read_only is not False),
            "shape": handover.shape,
            "strides": handover.strides,
            "typestr": typestr,
        }


def array_over(handover: Handover) -> Any:
    """A NumPy array on the memory of a capsule on the CPU: shares; read-only unless the capsule says that it is not."""
    numpy, dtype = load("numpy"), numpy_dtype(handover.dtype)
    if not prod(handover.shape):
        return numpy.empty(handover.shape, dtype)
    carried = f"u{dtype.itemsize}" if handover.dtype in ML_DTYPES else dtype.str
    seen = numpy.asarray(_View(handover, numpy.dtype(carried).str))
    return seen.view(dtype) if handover.dtype in ML_DTYPES else seen
