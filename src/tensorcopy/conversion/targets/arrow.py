"""PyArrow arrays: one dimension as an array, further ones as fixed-size lists in it, none as a scalar.

Arrow relies on values that never change, so memory that can still be written is copied unless ``copy=False`` says
that nobody will. Booleans are packed into bits, and so always copied.
"""

from __future__ import annotations

from math import prod
from typing import Any

from ...errors import UnsupportedDtypeError
from ...live.libraries import class_of, load
from ..plan import Plan
from ..stacking import follow
from ._through_numpy import Route, as_it_is, planned, request_of

NAME = "arrow"


def build(obj: Any, options: dict[str, Any]) -> Any:
    """*obj* as a ``pyarrow.Array`` (a ``pyarrow.Scalar`` without dimensions); an Arrow array as it is."""
    if _same(obj, options) is not None:
        return obj
    found, exposure, request = planned(obj, request_of(options, _TARGET, readonly=True), _ROUTE)
    _require_type(found.dtype)
    return _wrapped(follow(found, exposure, request))


def plan(obj: Any, options: dict[str, Any]) -> Plan:
    """The plan that `build` follows."""
    same = _same(obj, options)
    if same is not None:
        return same
    found = planned(obj, request_of(options, _TARGET, readonly=True), _ROUTE)[0]
    _require_type(found.dtype)
    return found


def _same(obj: Any, options: dict[str, Any]) -> Plan | None:
    arrays = tuple(found for name in ("Array", "ChunkedArray", "Scalar") if (found := class_of("pyarrow", name)))
    return as_it_is(obj, options, _TARGET) if isinstance(obj, arrays) else None


def _why_new(array: Any) -> str:
    """Why Arrow cannot look at the memory of *array*; empty when it can."""
    if array.dtype.name == "bool":
        return "Arrow packs booleans into bits"
    if not array.ndim:
        return "an Arrow scalar has memory of its own"
    return "" if array.flags.c_contiguous else "Arrow needs the elements in one run, row by row"


_TARGET = "Arrow array"
_ROUTE = Route(target=_TARGET, why_new=_why_new, immutable=True)


def _require_type(dtype: str | None) -> None:
    if dtype is None or not dtype.startswith(("complex", "bfloat", "float8")):
        return
    raise UnsupportedDtypeError(
        f"Arrow has no type {dtype}",
        why="its floating types are float16, float32 and float64, and it has no complex ones",
        fix="pass dtype='float32', or convert the .real and .imag parts on their own",
    )


def _wrapped(array: Any) -> Any:
    """An Arrow array on the memory of *array* where Arrow can look at it, else one with memory of its own."""
    pyarrow, numpy = load("pyarrow"), load("numpy")
    _require_type(array.dtype.name)
    if not array.ndim:
        return pyarrow.scalar(array.item(), pyarrow.from_numpy_dtype(array.dtype))
    flat = numpy.ascontiguousarray(array).reshape(-1)
    if array.dtype.name == "bool":
        values = pyarrow.array(flat)
    else:
        buffers = [None, pyarrow.py_buffer(flat)]
        values = pyarrow.Array.from_buffers(pyarrow.from_numpy_dtype(array.dtype), flat.size, buffers)
    for axis in range(array.ndim - 1, 0, -1):
        kind = pyarrow.list_(values.type, array.shape[axis])
        values = pyarrow.Array.from_buffers(kind, prod(array.shape[:axis]), [None], children=[values])
    return values
