"""Tensors whose storage was emptied or cut short: torch reads where no memory of theirs is, or the process ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import UnusableBufferError
from ..live import tensors

ASKED_FROM = 1 << 16
"""Bytes from which a copy takes so long that to ask how much its storage holds costs nothing."""


def have_memory(torch: Any, found: Sequence[Any]) -> bool:
    """Whether no storage of these tensors was emptied under them; quicker than to ask each.

    Whether a storage was cut short is asked only where the first of them is large.
    """
    try:
        if tensors.are_addresses(found, list(map(torch.Tensor.data_ptr, found))):
            return not found or found[0].nbytes < ASKED_FROM or not any(map(tensors.is_freed, found))
    except RuntimeError:
        pass  # transformed, sparse or fake: each is asked in its own way
    return not any(map(tensors.is_freed, found))


def require_memory(tensor: Any) -> None:
    """Raise for a tensor whose storage was emptied or cut short: torch reads beyond it, or the process ends."""
    if tensors.is_freed(tensor):
        held = tensor.untyped_storage().nbytes()
        raise UnusableBufferError(
            f"cannot copy a tensor of shape {tuple(tensor.shape)}: its storage "
            + (f"ends after {held} bytes, before its last element" if held else "is empty"),
            why="its memory was freed under it, as sharded training and storage.resize_(0) do it",
            fix="gather its values first, as with FSDP.summon_full_params",
        )


def require_whole(tensor: Any) -> None:
    """As `require_memory`, quicker, for a tensor that is known to be strided memory of the CPU."""
    held = tensor.untyped_storage().nbytes()
    if not tensor.is_contiguous() or held < tensor.storage_offset() * tensor.element_size() + tensor.nbytes:
        require_memory(tensor)
