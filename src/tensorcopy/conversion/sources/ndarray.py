"""``numpy.ndarray`` and its subclasses: plain, memory-mapped, read-only, strided, byte-swapped, of objects."""

from __future__ import annotations

from typing import Any

from ...errors import UnsupportedSourceError
from ...live.arrays import is_numeric, why_read_only, without_warning
from ...live.dtypes import name_of_numpy
from ...live.libraries import class_of, load
from ..nulls import filled
from ..plan import Exposure, Request

ORDER = 20


def recognises(cls: type) -> bool:
    """Arrays of any subclass; masked arrays are taken by their own module before."""
    ndarray = class_of("numpy", "ndarray")
    return ndarray is not None and issubclass(cls, ndarray)


def expose(obj: Any, request: Request) -> Exposure:
    """The array itself where its elements are numbers; its elements as values where they are Python objects."""
    if obj.dtype.kind == "O":
        return _objects(obj, request)
    if not is_numeric(obj):
        raise _not_numbers(obj)
    numpy = load("numpy")
    why_readonly = why_read_only(obj)
    plain = without_warning(obj if type(obj) is numpy.ndarray else obj.view(numpy.ndarray))
    return Exposure(
        kind="NumPy array" if type(obj) is numpy.ndarray else f"NumPy {type(obj).__name__}",
        form="array",
        open=lambda: plain,
        dtype=name_of_numpy(obj.dtype),
        shape=tuple(obj.shape),
        writable=not why_readonly,
        why_readonly=why_readonly,
    )


def _objects(obj: Any, request: Request) -> Exposure:
    return Exposure(
        kind="NumPy array of objects",
        form="values",
        open=lambda: filled(obj.tolist(), request.null),
        shape=tuple(obj.shape),
        why_copy="it holds pointers to Python objects, not numbers",
    )


def _not_numbers(obj: Any) -> UnsupportedSourceError:
    why, fix = _EXPLAINED.get(
        obj.dtype.kind, ("its elements are not numbers of a type that tensors have", "convert it")
    )
    if obj.dtype.names:
        why = "one tensor holds one element type, and this array holds records"
        fix = f"convert a field, such as array[{obj.dtype.names[0]!r}], or each of {', '.join(obj.dtype.names)}"
    elif obj.dtype.type.__module__ == "ml_dtypes":
        why = "neither torch nor ordinary NumPy has this type"
        fix = f"widen it first, with array.astype({'int8' if 'int' in obj.dtype.name else 'float32'!r})"
    elif obj.dtype.kind in "fc":
        why = "extended precision exists in NumPy only"
        fix = "round it yourself with array.astype('float64' or 'complex128') first"
    return UnsupportedSourceError(f"cannot convert NumPy array of {obj.dtype}", why=why, fix=fix)


_EXPLAINED = {
    "U": ("text has no numeric meaning", "map each string to a number first, or parse it with array.astype('float64')"),
    "S": ("text has no numeric meaning", "for raw bytes use array.view('uint8'), for digits array.astype('int64')"),
    "T": ("text has no numeric meaning", "map each string to a number first, or parse it with array.astype('float64')"),
    "M": (
        "a date is a count of some unit, and NaT is none",
        "choose the unit: array.astype('datetime64[ns]').view('int64')",
    ),
    "m": ("a duration is a count of some unit, and NaT is none", "choose the unit: array / numpy.timedelta64(1, 's')"),
    "V": ("raw bytes have no element type", "give them one with array.view(dtype)"),
}
