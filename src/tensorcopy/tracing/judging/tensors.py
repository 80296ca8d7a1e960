"""The tensors and arrays that are judged by their memory, and where that is."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ...live.memory import overlaps_itself
from ...live.regions import footprint

# The types whose memory and graph are torch's own; subclasses may do as they like.
PLAIN = (torch.Tensor, torch.nn.Parameter)
KINDS = (torch.Tensor, np.ndarray)


def address_of(obj: Any) -> int:
    """The start of the memory behind a tensor or an array; 0 if there is none."""
    if isinstance(obj, np.ndarray):
        return int(obj.__array_interface__["data"][0])
    try:
        return int(obj.untyped_storage().data_ptr())
    except (RuntimeError, NotImplementedError, AttributeError):
        return 0


def has_memory(tensor: Any) -> bool:
    """Whether it is a tensor whose elements lie in memory of their own kind, as those of sparse ones don't."""
    return (
        isinstance(tensor, torch.Tensor)
        and tensor.layout is torch.strided
        and tensor.device.type in ("cpu", "cuda")
        and not torch._C._functorch.is_functorch_wrapped_tensor(tensor)
    )


def repeats(tensor: Any) -> bool:
    """Whether several of its elements are the same memory."""
    if not any(stride == 0 and size > 1 for stride, size in zip(tensor.stride(), tensor.shape, strict=True)):
        return False
    return bool(overlaps_itself(footprint(tensor).regions[0]))
