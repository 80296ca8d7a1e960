"""What the members of a nest are: nests again, tensors and arrays, objects that copy themselves, immutable values."""

from __future__ import annotations

import array
import datetime
import decimal
import enum
import fractions
import ipaddress
import re
import types
import uuid
import weakref
from collections.abc import Callable
from copy import copy as shallow_copy
from pathlib import PurePath
from typing import Any

from ..errors import UnsupportedSourceError
from ..live.libraries import class_of
from .containers import OBJECT_ARRAY, kind_of

ATOMS: frozenset[type] = frozenset(
    (
        *(int, float, complex, bool, str, bytes, type(None), type(...), type(NotImplemented), range, slice, type),
        *(datetime.datetime, datetime.date, datetime.timedelta, datetime.time),
        *(types.FunctionType, types.BuiltinFunctionType),
    )
)
"""Classes of values that never change; looked up first."""

_IMMUTABLE: tuple[type, ...] = (
    *(int, float, complex, str, bytes, range, slice, type, enum.Enum, PurePath, re.Pattern, uuid.UUID),
    *(types.FunctionType, types.BuiltinFunctionType, types.GenericAlias, types.UnionType, property, weakref.ref),
    *(datetime.date, datetime.timedelta, datetime.time, datetime.tzinfo, decimal.Decimal, fractions.Fraction),
    *(ipaddress._BaseAddress, ipaddress._BaseNetwork),
)
"""Values that a copy keeps as they are, subclasses included."""

_IMMUTABLE_ELSEWHERE = (
    *(("torch", name) for name in ("dtype", "device", "Size", "layout", "memory_format", "qscheme")),
    *(("numpy", name) for name in ("dtype", "ufunc")),
    *(("pyarrow", name) for name in ("Array", "ChunkedArray", "Table", "RecordBatch", "Scalar")),
    *(("pyarrow", name) for name in ("DataType", "Field", "Schema")),
    *(("pandas", name) for name in ("Period", "Interval")),
    ("pandas.api.extensions", "ExtensionDtype"),
    ("pandas._libs.missing", "NAType"),
    *(("polars", name) for name in ("Expr", "DataType", "LazyFrame")),
    ("jax", "Array"),
)
"""The same in libraries that may not be loaded. Arrow and JAX offer no way to write, so nothing can be changed through
a buffer that a copy shares."""


def _copy_memoryview(x: Any) -> Any:
    """A view of fresh memory with the format, shape and elements of *x*, in row-major order; writable."""
    if x.format.lstrip("@") not in _NATIVE_FORMATS or (x.ndim > 1 and 0 in x.shape):
        raise UnsupportedSourceError(
            f"cannot copy a memoryview of format {x.format!r} and shape {x.shape}",
            why="Python makes views of native single elements only, and none of several dimensions without elements",
            fix="copy the object that it looks at, or numpy.asarray(view)",
        )
    flat: Any = memoryview(bytearray(x.tobytes()))
    return flat.cast(x.format) if x.ndim == 1 else flat.cast(x.format, list(x.shape))


_NATIVE_FORMATS = frozenset("cbB?hHiIlLqQnNfdP")


def _copy_deeply(x: Any) -> Any:
    return x.copy(deep=True)


def _copy_itself(x: Any) -> Any:
    return x.copy()


def _clone(x: Any) -> Any:
    return x.clone()


_OWNED: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (bytearray, shallow_copy),
    (array.array, shallow_copy),
    (memoryview, _copy_memoryview),
)
_OWNED_ELSEWHERE: tuple[tuple[str, str, Callable[[Any], Any]], ...] = (
    ("pandas", "DataFrame", _copy_deeply),
    ("pandas", "Series", _copy_deeply),
    ("pandas", "Index", _copy_deeply),
    ("pandas.api.extensions", "ExtensionArray", _copy_itself),
    ("polars", "DataFrame", _clone),
    ("polars", "Series", _clone),
    ("PIL.Image", "Image", _copy_itself),
    ("cupy", "ndarray", _copy_itself),
    ("numpy", "void", _copy_itself),
)

ATOM, LEAF, ARRAY, DRESSED = "atom", "leaf", "array", "leaf that may have attributes"
Role = Any
"""`ATOM`, `LEAF` (a tensor or array), `DRESSED` (the same), a `Kind` of container, or the function that copies it.

`ARRAY` is the role of a class only: its objects are leaves, or containers of Python objects.
"""

ROLES: dict[type, Role] = {}
"""The role of each class met so far; `role_of` fills it."""


def role_of(x: Any) -> Role:
    """What *x* is in a nest; None if nothing that can be copied."""
    cls = type(x)
    role = ROLES.get(cls)
    if role is None:
        role = _role_of_class(cls)
        if role is not None:
            ROLES[cls] = role
    return (OBJECT_ARRAY if x.dtype.kind == "O" else LEAF) if role is ARRAY else role


def is_leaf(x: Any) -> bool:
    """Whether *x* is a tensor, or an array of anything but Python objects."""
    role = role_of(x)
    return role is LEAF or role is DRESSED


def _role_of_class(cls: type) -> Role:
    if _is_one_of(cls, (("torch", "Tensor"), ("numpy", "ndarray"))):
        if cls is class_of("torch", "Tensor"):
            return LEAF
        return ARRAY if cls in (class_of("numpy", "ndarray"), class_of("numpy", "memmap")) else DRESSED
    if cls in ATOMS or issubclass(cls, _IMMUTABLE) or _is_one_of(cls, _IMMUTABLE_ELSEWHERE):
        return ATOM
    copier = _copier_of(cls)
    if copier is not None:
        return copier
    return ATOM if _is_one_of(cls, (("numpy", "generic"),)) else kind_of(cls)


def _is_one_of(cls: type, names: tuple[tuple[str, str], ...]) -> bool:
    candidates = [class_of(module, name) for module, name in names]
    return any(issubclass(cls, found) for found in candidates if isinstance(found, type))


def _copier_of(cls: type) -> Callable[[Any], Any] | None:
    elsewhere = ((class_of(module, name), copier) for module, name, copier in _OWNED_ELSEWHERE)
    for base, copier in (*_OWNED, *elsewhere):
        if isinstance(base, type) and issubclass(cls, base):
            return copier
    return None


def unsupported(x: Any, path: str) -> UnsupportedSourceError:
    """The refusal to copy *x*, which sits at *path* in the nest."""
    cls = type(x)
    what = f"cannot copy {cls.__module__}.{cls.__qualname__}{f' at {path}' if path else ''}".replace("builtins.", "")
    for module, name, why, fix in _KNOWN:
        base = class_of(module, name)
        if base is not None and issubclass(cls, base):
            return UnsupportedSourceError(what, why=why, fix=fix)
    return UnsupportedSourceError(
        what,
        why="it is no tensor, array, container or immutable value, so what a copy of it must own is not known",
        fix="take it out of the nest, or copy it with copy.deepcopy",
    )


_KNOWN = (
    (
        "unittest.mock",
        "NonCallableMock",
        "a mock answers whatever it is asked, and holds nothing that could be copied",
        "give the code under test real tensors, or copy it with copy.deepcopy",
    ),
    (
        "torch.nn",
        "Module",
        "a module is its hooks, buffers and submodules as much as its parameters",
        "use copy.deepcopy(model), or copy(model.state_dict()) for its tensors alone",
    ),
    (
        "torch.optim",
        "Optimizer",
        "an optimizer is tied to the parameters that it updates",
        "use copy(optimizer.state_dict()), and load it into an optimizer of the copied model",
    ),
    (
        "collections.abc",
        "Iterator",
        "reading an iterator uses it up",
        "copy list(iterator) instead",
    ),
)
