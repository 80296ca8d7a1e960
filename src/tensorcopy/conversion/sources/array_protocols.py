"""Objects that turn themselves into an array: ``__array_interface__``, ``__array_struct__``, ``__array__``, buffers.

What such an object says is compared with what it gives, and nothing is called twice: an object may give another array
each time. An array that nobody else holds was made for this call, so it is the result's own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import prod
from operator import index
from typing import Any

from ...errors import LossyConversionError, ProducerError, WrongDeviceError
from ...live.dtypes import name_of_torch
from ...live.libraries import defines, is_ndarray, load
from ..plan import Exposure, Request
from . import masked, ndarray
from .dlpack import name_of_class, require_shape

ORDER = 75


def recognises(cls: type) -> bool:
    """Classes with one of the protocols."""
    return any(defines(cls, name) for name in (*_METHODS, "__cuda_array_interface__"))


def recognises_instance(obj: object) -> bool:
    """Objects that carry a protocol themselves where their class does not, as wrappers made on the fly do."""
    return any(name in getattr(obj, "__dict__", ()) for name in _METHODS)


def expose(obj: Any, request: Request) -> Exposure:
    """The array that the object gives; fresh if it was made for this call."""
    if _offers(obj, "__cuda_array_interface__"):
        return _on_device(obj)
    method = next(name for name in _METHODS if _offers(obj, name))
    seen, ours = _READERS[method](obj)
    require_shape(obj, tuple(seen.shape), f"{type(obj).__name__}.{method}")
    shown = masked.expose(seen, request) if masked.recognises(type(seen)) else ndarray.expose(seen, request)
    return shown._replace(
        kind=name_of_class(obj),
        fresh=shown.fresh or ours,
        why_copy=shown.why_copy or ("the object makes a new array each time it is asked" if ours else ""),
    )


def _offers(obj: Any, name: str) -> bool:
    """Whether *obj* has the attribute *name*, without reading it; it is read once, when it is used."""
    return defines(type(obj), name) or name in getattr(obj, "__dict__", ())


_Read = tuple[Any, bool]
"""An array, and whether it was made for this call."""


def _from_interface(obj: Any) -> _Read:
    offer = _Offer("__array_interface__", _interface_of(obj), obj)
    return _asked(obj, "__array_interface__", lambda: load("numpy").asarray(offer)), False


def _from_struct(obj: Any) -> _Read:
    capsule = _asked(obj, "__array_struct__", lambda: obj.__array_struct__)
    offer = _Offer("__array_struct__", capsule, obj)
    seen = _asked(obj, "__array_struct__", lambda: load("numpy").asarray(offer))
    if seen.size and not seen.__array_interface__["data"][0]:
        raise _untrue(obj, "__array_struct__", f"no address for {seen.size} elements")
    return seen, False


def _from_buffer(obj: Any) -> _Read:
    return _asked(obj, "__buffer__", lambda: load("numpy").asarray(memoryview(obj))), False


def _from_method(obj: Any) -> _Read:
    seen, holders = _asked(obj, "__array__", lambda: _counted(obj.__array__))
    if not is_ndarray(seen):
        raise _untrue(obj, "__array__", f"a {type(seen).__name__} instead of an array")
    return seen, holders <= _LONE and _owns_alone(seen)


def _counted(make: Callable[[], Any]) -> tuple[Any, int]:
    """What *make* gives, and how many hold it."""
    result = make()
    return result, sys.getrefcount(result)


class _Held:
    """Something that holds another as its base, as a view does."""

    def __init__(self) -> None:
        self.base = object()


_held = _Held()
_LONE = _counted(object)[1]
_LONE_BASE = sys.getrefcount(_held.base)
"""What the interpreter counts for an object, and for the base of a view, that nobody else holds."""


def _owns_alone(array: Any) -> bool:
    """Whether *array* owns its memory, or is the only view of an array that does."""
    if array.base is None:
        return bool(array.flags.owndata)
    return is_ndarray(array.base) and sys.getrefcount(array.base) <= _LONE_BASE and _owns_alone(array.base)


_READERS: dict[str, Callable[[Any], _Read]] = {
    "__array_interface__": _from_interface,
    "__array_struct__": _from_struct,
    "__array__": _from_method,
    "__buffer__": _from_buffer,
}
_METHODS = tuple(_READERS)
"""In the order in which they are preferred, which is NumPy's but for the buffer."""


class _Offer:
    """One protocol of an object and nothing else of it, so that NumPy reads what was checked; keeps it alive."""

    def __init__(self, method: str, value: Any, owner: Any) -> None:
        setattr(self, method, value)
        self.owner = owner


def _interface_of(obj: Any) -> dict[str, Any]:
    """What ``__array_interface__`` says, with everything checked that can be."""
    method = "__array_interface__"
    said = _asked(obj, method, lambda: obj.__array_interface__)
    try:
        dtype = load("numpy").dtype(str(said["typestr"]))
        shape: tuple[int, ...] = tuple(index(size) for size in said["shape"])
        strides = None if said.get("strides") is None else tuple(index(step) for step in said["strides"])
        data: Any = said.get("data")
        address = index(data[0]) if isinstance(data, tuple) else None
        data = data if isinstance(data, tuple) else memoryview(obj if data is None else data)
    except Exception as error:
        raise _untrue(obj, method, f"{type(error).__name__}: {error}") from error
    if dtype.hasobject or min(shape, default=0) < 0 or len(strides or shape) != len(shape) or len(shape) > 64:
        raise _untrue(obj, method, f"elements {said['typestr']!r} of shape {shape} and strides {strides}")
    count = prod(shape)
    if said.get("mask") is not None:
        raise _has_mask(obj)
    if address is None:
        _require_room(obj, data, shape, strides, dtype.itemsize)
    elif count:
        _require_addresses(obj, address, count, _reach(shape, strides, dtype.itemsize))
    return {"version": 3, "data": data, "shape": shape, "strides": strides, "typestr": dtype.str}


def _require_room(obj: Any, data: memoryview, shape: tuple[int, ...], strides: Any, itemsize: int) -> None:
    """Raise if elements would lie outside of the buffer, which NumPy does not look at."""
    if not prod(shape):
        return
    low, high = _reach(shape, strides, itemsize)
    if low < 0 or high > data.nbytes:
        raise _untrue(obj, "__array_interface__", f"{data.nbytes} bytes of data for elements from {low} to {high}")


def _require_addresses(obj: Any, address: int, count: int, reach: tuple[int, int]) -> None:
    """Raise where no program has such addresses; whether it has these is not for anybody to know."""
    if address <= 0:
        raise _untrue(obj, "__array_interface__", f"address {address} for {count} elements")
    low, high = reach
    if address + low <= 0 or address + high > _ADDRESSES:
        raise _untrue(obj, "__array_interface__", f"address {address} for elements from {low} to {high}")


def _reach(shape: tuple[int, ...], strides: Any, itemsize: int) -> tuple[int, int]:
    """Where the lowest element begins and the highest one ends, from the first one."""
    steps = strides or [itemsize * prod(shape[axis + 1 :]) for axis in range(len(shape))]
    reach = [step * (size - 1) for step, size in zip(steps, shape, strict=True)]
    return sum(r for r in reach if r < 0), sum(r for r in reach if r > 0) + itemsize


_ADDRESSES = 1 << 56
"""Addresses that a program has at most, on any machine that Python runs on."""


def _asked(obj: Any, method: str, ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except Exception as error:
        raise ProducerError(
            f"{type(obj).__name__}.{method} raised {type(error).__name__}: {error}",
            why="the object itself cannot say what its elements are",
            fix="see its own documentation, or take the numbers out of it by other means first",
        ) from error


def _untrue(obj: Any, method: str, what: str) -> ProducerError:
    return ProducerError(
        f"{type(obj).__name__}.{method} gave {what}",
        why="that describes no array, and reading it would show what is not there",
        fix="repair the object, or take the numbers out of it by other means first",
    )


def _has_mask(obj: Any) -> LossyConversionError:
    return LossyConversionError(
        f"{type(obj).__name__}.__array_interface__ has a mask",
        why="a tensor has no mask, and the hidden values would show",
        fix="fill or drop the masked elements first",
    )


def _on_device(obj: Any) -> Exposure:
    """A tensor over memory of a GPU, as Numba's device arrays offer it."""
    torch = load("torch")
    if not torch.cuda.is_available():
        raise WrongDeviceError(
            f"cannot convert {type(obj).__name__}, which lies on a GPU",
            why=f"torch {torch.__version__} cannot address one here",
            fix="bring it to the CPU first, with the means of its library",
        )
    seen = _asked(obj, "__cuda_array_interface__", lambda: torch.as_tensor(obj, device="cuda"))
    return Exposure(
        kind=name_of_class(obj),
        form="tensor",
        open=lambda: seen,
        dtype=name_of_torch(seen.dtype),
        shape=tuple(seen.shape),
    )
