"""What ``torch.save`` wrote, read without running code from it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...live.libraries import is_tensor, load
from ...live.nests import leaves

SUFFIXES = (".pt", ".pth")


def read(path: Path) -> Mapping[str, Any]:
    """The tensors by their place in the nest. Loads torch."""
    nest = load("torch").load(path, map_location="cpu", weights_only=True)
    return {place: leaf for place, leaf in leaves(nest) if is_tensor(leaf)}
