"""Single numbers: Python's bool, int, float and complex, and NumPy's scalars."""

from __future__ import annotations

from typing import Any

from ...errors import UnsupportedSourceError
from ...live.libraries import class_of, load
from ..plan import Exposure, Request
from . import ndarray

ORDER = 40


def recognises(cls: type) -> bool:
    """Numbers, and text so that it can be refused with a reason."""
    return issubclass(cls, (bool, int, float, complex, str)) or _is_numpy_scalar(cls)


def _is_numpy_scalar(cls: type) -> bool:
    generic = class_of("numpy", "generic")
    return generic is not None and issubclass(cls, generic)


def expose(obj: Any, request: Request) -> Exposure:
    """The number as a nest of depth zero; a NumPy scalar as the 0-d array that it is."""
    if _is_numpy_scalar(type(obj)):
        return _from_numpy(load("numpy").asarray(obj), request)
    if isinstance(obj, str):
        raise UnsupportedSourceError(
            f"cannot convert str {obj[:40]!r}",
            why="text has no numeric meaning",
            fix="parse it first, as with float(text)",
        )
    return Exposure(
        kind=type(obj).__name__,
        form="values",
        open=lambda: obj,
        shape=(),
        why_copy="a Python number is an object, not a buffer",
    )


def _from_numpy(seen: Any, request: Request) -> Exposure:
    shown = ndarray.expose(seen, request)
    return Exposure(
        kind=f"NumPy scalar {shown.dtype}",
        form=shown.form,
        open=shown.open,
        dtype=shown.dtype,
        shape=(),
        fresh=True,
        why_copy="a NumPy scalar has no memory to look at",
    )
