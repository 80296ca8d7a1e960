"""``torch.Tensor`` and its subclasses, on any device and in any layout."""

from __future__ import annotations

from typing import Any

from ...live.dtypes import name_of_torch
from ...live.libraries import class_of
from ..plan import Exposure, Request

ORDER = 0


def recognises(cls: type) -> bool:
    """Tensors, Parameters and subclasses."""
    tensor = class_of("torch", "Tensor")
    return tensor is not None and issubclass(cls, tensor)


def expose(obj: Any, request: Request) -> Exposure:
    """The tensor itself."""
    return Exposure(
        kind="tensor" if type(obj).__name__ == "Tensor" else type(obj).__name__,
        form="tensor",
        open=lambda: obj,
        dtype=name_of_torch(obj.dtype),
        shape=tuple(obj.shape),
    )
