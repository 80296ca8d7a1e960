"""Tensors whose storage was emptied under them: torch reads where no memory is, and the process ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import UnusableBufferError
from ..live import tensors


def have_memory(torch: Any, found: Sequence[Any]) -> bool:
    """Whether no storage of these tensors was emptied under them; quicker than to ask each."""
    try:
        if tensors.are_addresses(found, list(map(torch.Tensor.data_ptr, found))):
            return True
    except RuntimeError:
        pass  # transformed, sparse or fake: each is asked in its own way
    return not any(map(tensors.is_freed, found))


def require_memory(tensor: Any) -> None:
    """Raise for a tensor whose storage was emptied under it; torch reads address 0 there, and the process ends."""
    if tensors.is_freed(tensor):
        raise UnusableBufferError(
            f"cannot copy a tensor of shape {tuple(tensor.shape)}: its storage is empty",
            why="its memory was freed under it, as sharded training and storage.resize_(0) do it",
            fix="gather its values first, as with FSDP.summon_full_params",
        )
