"""Pictures, as the array of height by width by channels that Pillow gives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...live.libraries import load

SUFFIXES = (".png", ".jpg", ".jpeg")


def read(path: Path) -> Mapping[str, Any]:
    """The one picture, without a name. Loads Pillow and NumPy."""
    with load("PIL.Image").open(path) as picture:
        return {"": load("numpy").asarray(picture)}
