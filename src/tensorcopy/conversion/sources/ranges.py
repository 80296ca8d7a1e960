"""``range``: computed into fresh memory, without a Python number for each element."""

from __future__ import annotations

from typing import Any

from ...errors import LossyConversionError
from ...live.dtypes import DTYPES
from ...live.libraries import load
from ..plan import Exposure, Request

ORDER = 85


def recognises(cls: type) -> bool:
    """Ranges alone; nothing can derive from them."""
    return issubclass(cls, range)


def expose(obj: range, request: Request) -> Exposure:
    """Its elements as int64, or as uint64 where only that holds them."""
    dtype = _dtype_of(obj)
    return Exposure(
        kind="range",
        form="array",
        open=lambda: _computed(obj, dtype),
        dtype=dtype,
        shape=(len(obj),),
        fresh=True,
        why_copy="a range computes its elements and stores none",
    )


def _computed(obj: range, dtype: str) -> Any:
    """A fresh array of the elements; NumPy counts them in floating point, so large ends go another way."""
    numpy = load("numpy")
    if max(abs(obj.start), abs(obj.stop)) <= DTYPES["float64"].exact:
        return numpy.arange(obj.start, obj.stop, obj.step, dtype)
    elements = numpy.arange(len(obj), dtype="uint64")
    elements *= numpy.uint64(obj.step % 2**64)
    elements += numpy.uint64(obj.start % 2**64)
    return elements.view(dtype)


def _dtype_of(obj: range) -> str:
    ends: list[Any] = [obj[0], obj[-1]] if obj else [0]
    for name in ("int64", "uint64"):
        if DTYPES[name].low <= min(ends) and max(ends) <= DTYPES[name].high:
            return name
    raise LossyConversionError(
        f"{obj!r} cannot become a tensor",
        why="no integer type holds both its first and its last element",
        fix="shift it, or pass [float(i) for i in it] to accept rounding",
    )
