"""``torch.Tensor`` and its subclasses, on any device and in any layout."""

from __future__ import annotations

from typing import Any

from ...errors import UnsupportedSourceError
from ...live import tensors
from ...live.dtypes import name_of_torch
from ...live.libraries import class_of
from ..plan import Exposure, Request

ORDER = 0


def recognises(cls: type) -> bool:
    """Tensors, Parameters and subclasses."""
    tensor = class_of("torch", "Tensor")
    return tensor is not None and issubclass(cls, tensor)


def expose(obj: Any, request: Request) -> Exposure:
    """The tensor itself; a nested one has no shape."""
    if tensors.is_lazy(obj):
        raise UnsupportedSourceError(
            f"cannot convert an {type(obj).__name__}",
            why="a lazy module has not seen its first input, so it has neither shape nor values",
            fix="run the module once before",
        )
    return Exposure(
        kind="tensor" if type(obj).__name__ == "Tensor" else type(obj).__name__,
        form="tensor",
        open=lambda: obj,
        dtype=name_of_torch(obj.dtype),
        shape=None if obj.is_nested else tuple(obj.shape),
    )
