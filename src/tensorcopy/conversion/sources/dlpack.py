"""CuPy arrays and every other object that hands out its memory through ``__dlpack__``.

The capsule is read and checked before anybody takes it, so one that lies is an error and never a crash. Memory that its
producer calls read-only, or about which it cannot say (the protocol before version 1), is not written.
"""

from __future__ import annotations

from typing import Any

from ...errors import ProducerError, UnsupportedSourceError, WrongDeviceError
from ...live import capsules
from ...live.dtypes import DTYPES, ML_DTYPES
from ...live.libraries import class_of, defines, load
from ..plan import Exposure, Request

ORDER = 70


def recognises(cls: type) -> bool:
    """Classes with both methods of the protocol."""
    return defines(cls, "__dlpack__") and defines(cls, "__dlpack_device__")


def expose(obj: Any, request: Request) -> Exposure:
    """An array over the producer's memory on the CPU, a tensor over it elsewhere."""
    kind = name_of_class(obj)
    device = _device_of(obj)
    if device[0] != capsules.CPU and request.to == "numpy":
        return _fetched(obj, kind)
    _require_reachable(device, kind)
    handover = _taken(obj, kind, device[0])
    _require_numbers(handover, kind)
    require_shape(obj, handover.shape, f"{kind}.__dlpack__")
    writable = handover.read_only is False or (handover.read_only is None and _is_cupy(obj))
    seen, form = _seen(handover, kind, request)
    return Exposure(
        kind=kind,
        form=form,
        open=lambda: seen,
        dtype=handover.dtype,
        shape=handover.shape,
        writable=writable,
        why_readonly=_SILENT if handover.read_only is None else "its producer calls the memory read-only",
    )


_SILENT = "its producer speaks a DLPack without versions, which cannot say whether the memory may be written"


def _seen(handover: capsules.Handover, kind: str, request: Request) -> tuple[Any, str]:
    """What lies on the memory of the capsule: an array on the CPU; a tensor on a device or of a type only torch has."""
    only_torch = handover.dtype in ML_DTYPES or handover.dtype == "complex32"
    if handover.device == "cpu" and not (only_torch and request.to == "torch"):
        return capsules.array_over(handover), "array"
    if any(step < 0 for step in handover.strides):
        raise ProducerError(
            f"{kind}.__dlpack__ gave the strides {handover.strides}",
            why="torch has no negative strides, and ends the process when it meets one",
            fix="make it contiguous first, with the means of its library",
        )
    return load("torch").from_dlpack(handover.capsule), "tensor"


def _is_cupy(obj: Any) -> bool:
    array = class_of("cupy", "ndarray")
    return array is not None and isinstance(obj, array)


def _device_of(obj: Any) -> tuple[int, int]:
    """The type and the number of the device, as the protocol counts them."""
    try:
        kind, index = obj.__dlpack_device__()
        return int(kind), int(index)
    except Exception as error:
        raise _failed(obj, "__dlpack_device__", error) from error


def _require_reachable(device: tuple[int, int], kind: str) -> None:
    """Raise unless torch can lay a tensor over memory of that device."""
    name = capsules.device_name(*device)
    if device[0] == capsules.CPU or (name.startswith(("cuda:", "rocm:")) and load("torch").cuda.is_available()):
        return
    raise WrongDeviceError(
        f"cannot convert {kind} on device {name}",
        why=f"torch {load('torch').__version__} cannot address that device here",
        fix="bring it to the CPU first, with the means of its library",
    )


def _taken(obj: Any, kind: str, device_type: int) -> capsules.Handover:
    try:
        capsule = _capsule_of(obj, {} if device_type == capsules.CPU else {"stream": _stream()})
    except Exception as error:
        raise _failed(obj, "__dlpack__", error) from error
    try:
        handover = capsules.read(capsule)
    except capsules.Untrue as error:
        raise _untrue(kind, str(error)) from error
    if handover.device_type != device_type:
        raise _untrue(kind, f"it lies on device {handover.device}, not on the one of __dlpack_device__")
    return handover


def _untrue(kind: str, how: str) -> ProducerError:
    return ProducerError(
        f"{kind}.__dlpack__ gave something that cannot be used: {how}",
        why="a tensor over such memory would read or write what is not there",
        fix="convert it to an array with the means of its own library first",
    )


def _capsule_of(obj: Any, options: dict[str, Any]) -> Any:
    """A capsule of the newest protocol that the producer knows."""
    try:
        return obj.__dlpack__(max_version=capsules.NEWEST, **options)
    except TypeError:
        return obj.__dlpack__(**options)


def _stream() -> int:
    """The stream on which torch will read; 1 is the default one."""
    return int(load("torch").cuda.current_stream().cuda_stream or 1)


def _failed(obj: Any, method: str, error: Exception) -> ProducerError:
    return ProducerError(
        f"{type(obj).__name__}.{method}() raised {type(error).__name__}: {error}",
        why="the object itself refuses to hand out its memory",
        fix="see its own documentation, or convert it to an array with the means of its library first",
    )


def _require_numbers(handover: capsules.Handover, kind: str) -> None:
    if handover.dtype not in DTYPES:
        raise UnsupportedSourceError(
            f"cannot convert {kind} of {handover.dtype}",
            why="its elements are not numbers of a type that tensors have",
            fix="cast it to a smaller type first, with the means of its library",
        )


def name_of_class(obj: object) -> str:
    """The class of *obj* as people know it, such as ``cupy.ndarray``."""
    return f"{type(obj).__module__.partition('.')[0]}.{type(obj).__name__}"


def require_shape(obj: Any, shape: tuple[int, ...], method: str) -> None:
    """Raise if *obj* has a ``shape`` of whole numbers that is not *shape*, which *method* gave."""
    claimed = getattr(obj, "shape", None)
    if isinstance(claimed, (tuple, list)) and all(isinstance(n, int) for n in claimed) and tuple(claimed) != shape:
        raise ProducerError(
            f"{method} gave shape {shape}, the object says {tuple(claimed)}",
            why="one of the two is untrue, and a tensor would show the wrong elements",
            fix="repair the object, or convert it to an array with the means of its library first",
        )


def _fetched(obj: Any, kind: str) -> Exposure:
    """The elements of an array on another device, brought to the CPU by CuPy's own ``get``."""
    if not _is_cupy(obj):
        raise WrongDeviceError(
            f"cannot convert {kind} on another device to NumPy",
            why="NumPy addresses the CPU only",
            fix="bring it to the CPU first, with the means of its library, or convert it to torch",
        )
    return Exposure(
        kind=kind,
        form="array",
        open=obj.get,
        dtype=str(obj.dtype),
        shape=tuple(obj.shape),
        fresh=True,
        why_copy="it lies on another device",
    )
