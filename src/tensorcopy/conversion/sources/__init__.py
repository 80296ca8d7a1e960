"""One module a kind of source. A module offers ``ORDER``, ``recognises(cls)`` and ``expose(obj, request)``.

``recognises`` looks at the type only, through ``sys.modules``; the first module in ``ORDER`` that says yes serves all
objects of that type. A module may also offer ``recognises_instance(obj)``, for objects of a type that no module knows.
``expose`` says how the object can be seen as an array, and moves no data while doing so. Where a look is enough, a
module may offer ``glance(obj)``: the NumPy array on the memory of an object that is one run of numbers with nothing
missing, and None for any other.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ..._discovery import modules_of
from ...errors import UnsupportedSourceError
from ..plan import Exposure, Request

_modules: list[Any] = []
_by_type: dict[type, Any] = {}


def source_of(obj: object) -> Any | None:
    """The source module that serves objects like *obj*, or None."""
    cls = type(obj)
    found = _by_type.get(cls)
    if found is None:
        if not _modules:
            _modules.extend(sorted(modules_of(sys.modules[__name__]), key=lambda module: module.ORDER))
        found = next((module for module in _modules if module.recognises(cls)), None)
        if found is None:
            return next((m for m in _modules if hasattr(m, "recognises_instance") and m.recognises_instance(obj)), None)
        _by_type[cls] = found
    return found


def glance_at(cls: type) -> Callable[[Any], Any] | None:
    """What gives the array on the memory of plain objects of *cls*, if its source module has it."""
    glance: Callable[[Any], Any] | None = getattr(_by_type.get(cls), "glance", None)
    return glance


def expose(obj: object, request: Request) -> Exposure:
    """How *obj* can be seen as one array; `UnsupportedSourceError` if no module knows its type."""
    source = source_of(obj)
    if source is None:
        raise unsupported(obj)
    exposure: Exposure = source.expose(obj, request)
    return exposure


def unsupported(obj: object, where: str = "") -> UnsupportedSourceError:
    """The refusal of an object that no source module knows."""
    cls = type(obj)
    return UnsupportedSourceError(
        f"cannot convert {cls.__module__}.{cls.__qualname__}{where}".replace("builtins.", ""),
        why="it is no array, tensor, buffer, column or nest of numbers, and offers no __array__ or __dlpack__",
        fix="take the numbers out of it first, as a list or an array",
    )
