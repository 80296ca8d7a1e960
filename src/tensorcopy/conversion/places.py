"""Where an element sits in a nest or an array, as an index and as it would be written in code."""

from __future__ import annotations

from collections.abc import Sequence

Path = tuple[int, ...]


def path_at(position: int, shape: Sequence[int]) -> Path:
    """The index of the element at *position* in row-major order of *shape*."""
    path = []
    for length in reversed(shape):
        position, index = divmod(position, length)
        path.append(index)
    return tuple(reversed(path))


def place(path: Path) -> str:
    """*path* as it would be written in code, ``[3][1]``; empty for the whole."""
    return "".join(f"[{i}]" for i in path)
