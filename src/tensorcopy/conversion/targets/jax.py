"""JAX arrays.

JAX relies on values that never change, so memory that can still be written is copied unless ``copy=False`` says that
nobody will.

Unless ``jax_enable_x64`` is set, JAX has no 64-bit types: without ``dtype=`` the elements then become the 32-bit type,
checked like every change of type, so an integer that does not fit is refused and never wrapped.
"""

from __future__ import annotations

from typing import Any

from ...errors import CannotShareError, UnsupportedDtypeError
from ...live.arrays import writable_over
from ...live.dtypes import ML_DTYPES, numpy_dtype
from ...live.libraries import class_of, load
from ..carry_out import array_from_array
from ..plan import Plan, Request
from ..stacking import follow
from ._through_numpy import Route, as_it_is, planned, request_of

NAME = "jax"


def build(obj: Any, options: dict[str, Any]) -> Any:
    """*obj* as a ``jax.Array`` on JAX's default device; a JAX array as it is."""
    if _same(obj, options) is not None:
        return obj
    found, exposure, request = planned(obj, _request(options), _ROUTE)
    array = follow(found, exposure, request)
    if found.shares:
        return _over(array)
    wanted = request.dtype or _own_dtype(array.dtype.name)
    if wanted != array.dtype.name:
        array = array_from_array(array, request._replace(dtype=wanted))
    return load("jax.numpy").array(array)


def plan(obj: Any, options: dict[str, Any]) -> Plan:
    """The plan that `build` follows."""
    return _same(obj, options) or planned(obj, _request(options), _ROUTE)[0]


def _same(obj: Any, options: dict[str, Any]) -> Plan | None:
    array = class_of("jax", "Array")
    return as_it_is(obj, options, _TARGET) if array is not None and isinstance(obj, array) else None


def _request(options: dict[str, Any]) -> Request:
    request = request_of(options, _TARGET, readonly=True)
    if request.dtype is not None and _own_dtype(request.dtype) != request.dtype:
        raise UnsupportedDtypeError(
            f"JAX makes no {request.dtype}",
            why="jax_enable_x64 is off, and JAX would silently use half the bits",
            fix=f"pass dtype={_own_dtype(request.dtype)!r}, or jax.config.update('jax_enable_x64', True) first",
        )
    return request


def _own_dtype(name: str) -> str:
    """The type that JAX gives to elements of type *name*, under its present setting."""
    return str(load("jax").dtypes.canonicalize_dtype(numpy_dtype(name)).name)


def _why_new(array: Any) -> str:
    if array.dtype.name in ML_DTYPES:
        return "NumPy cannot hand out memory of this type"
    if not array.flags.c_contiguous or not array.dtype.isnative:
        return "JAX needs the elements in one run, row by row"
    aligned = array.__array_interface__["data"][0] % _ALIGNED == 0
    return "" if aligned and array.size else f"JAX shares only memory that starts at a multiple of {_ALIGNED} bytes"


def _over(array: Any) -> Any:
    """A JAX array on the memory of *array*; checked, because JAX copies in silence where it cannot share."""
    result = load("jax.dlpack").from_dlpack(writable_over(array))
    if result.unsafe_buffer_pointer() != array.__array_interface__["data"][0]:
        raise CannotShareError(
            f"cannot share NumPy array of {array.dtype} as {_TARGET}",
            why="JAX copied it all the same",
            fix="pass copy=None to let it copy",
        )
    return result


_ALIGNED = 64
_TARGET = "JAX array"
_ROUTE = Route(target=_TARGET, why_new=_why_new, dtype=_own_dtype, immutable=True)
