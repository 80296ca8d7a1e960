"""``bytes``, ``bytearray``, ``memoryview``, ``array.array``, ``mmap`` and ctypes arrays: the buffer protocol.

The view is made by NumPy, which holds the buffer locked for as long as the result lives; `torch.frombuffer` does not,
and its tensor reads foreign memory once a bytearray has grown.
"""

from __future__ import annotations

import array
import ctypes
import mmap
import pickle
from typing import Any

from ...errors import UnsupportedSourceError, UnusableBufferError
from ...live.dtypes import DTYPES, name_of_numpy
from ...live.libraries import load
from ..plan import Exposure, Request

ORDER = 30

_KINDS = (bytes, bytearray, memoryview, array.array, mmap.mmap, ctypes.Array, pickle.PickleBuffer)


def recognises(cls: type) -> bool:
    """The buffer types of the standard library, and their subclasses."""
    return issubclass(cls, _KINDS)


def expose(obj: Any, request: Request) -> Exposure:
    """The elements that the buffer's own format names: bytes are uint8, ``array('d')`` is float64."""
    view = _locked(obj)
    if view.ndim and not view.nbytes and type(obj) is not memoryview:
        seen = load("numpy").empty(0, dtype=_element_name(obj, view))
    else:
        seen = _seen(obj, view)
    name = name_of_numpy(seen.dtype)
    if name not in DTYPES:
        raise _not_numbers(obj, view.format)
    return Exposure(
        kind=type(obj).__name__,
        form="array",
        open=lambda: seen,
        dtype=name,
        shape=tuple(seen.shape),
        writable=not view.readonly,
        why_readonly=f"{type(obj).__name__} memory is read-only" if view.readonly else "",
    )


def _seen(obj: Any, view: memoryview) -> Any:
    try:
        return load("numpy").asarray(view)
    except ValueError as error:  # a format that NumPy does not know
        raise _not_numbers(obj, view.format) from error


def _locked(obj: Any) -> memoryview:
    try:
        return memoryview(obj)
    except (ValueError, BufferError) as error:
        raise UnusableBufferError(
            f"cannot read {type(obj).__name__}: {error}",
            why="its memory was released, or cannot be locked while a result looks at it",
            fix="convert it before it is closed or released",
        ) from error


def _element_name(obj: Any, view: memoryview) -> str:
    name = str(load("numpy").dtype(view.format).name) if view.format != "w" and view.format != "u" else ""
    if name not in DTYPES:
        raise _not_numbers(obj, view.format)
    return name


def _not_numbers(obj: Any, form: str) -> UnsupportedSourceError:
    text = form.lstrip("<>@=!") in ("u", "w")
    return UnsupportedSourceError(
        f"cannot convert {type(obj).__name__} of format {form!r}",
        why="text has no numeric meaning" if text else "its elements are not numbers of a type that tensors have",
        fix="pass list(map(ord, buffer)), its code points" if text else "take the numbers out of it first, as a list",
    )
