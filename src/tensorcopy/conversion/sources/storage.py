"""Torch storages: an untyped one as its bytes (uint8), a typed one as its elements. Shares, and has no graph.

``torch.tensor(storage)`` shares as well, despite its name, and reads the bytes as int64.
"""

from __future__ import annotations

import warnings
from typing import Any

from ...live.dtypes import name_of_torch
from ...live.libraries import class_of, load
from ..plan import Exposure, Request

ORDER = 5


def recognises(cls: type) -> bool:
    """``torch.UntypedStorage``, ``torch.TypedStorage`` and what derives from them, such as ``torch.FloatStorage``."""
    classes = (class_of("torch", name) for name in ("UntypedStorage", "TypedStorage"))
    return any(found is not None and issubclass(cls, found) for found in classes)


def expose(obj: Any, request: Request) -> Exposure:
    """A tensor of one dimension over all of the storage."""
    torch = load("torch")
    typed = isinstance(obj, torch.TypedStorage)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        untyped, dtype = (obj.untyped(), obj.dtype) if typed else (obj, torch.uint8)
    seen = torch.empty(0, dtype=dtype, device=untyped.device).set_(untyped)
    return Exposure(
        kind=f"torch {type(obj).__name__}",
        form="tensor",
        open=lambda: seen,
        dtype=name_of_torch(dtype),
        shape=tuple(seen.shape),
    )
