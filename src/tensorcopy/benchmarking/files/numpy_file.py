"""NumPy's own files, one array or several. Objects, which would be unpickled, are refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...live.libraries import load

SUFFIXES = (".npy", ".npz")


def read(path: Path) -> Mapping[str, Any]:
    """The arrays by name; one without a name from ``.npy``. Loads NumPy."""
    found = load("numpy").load(path, allow_pickle=False)
    return dict(found) if hasattr(found, "files") else {"": found}
