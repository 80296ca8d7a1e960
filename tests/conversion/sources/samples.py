"""What the contract test needs of each kind of source: an object of it, and what must come out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One object of a kind of source. Values are small whole numbers or halves, so that every dtype holds them."""

    name: str
    build: Callable[[], Any]
    expected: Any
    """Its values as nested lists."""
    dtype: str
    """Name of the dtype of the tensor."""
    numpy_dtype: str = ""
    """Name of the dtype of the array, where it is another one: Python floats become torch's default and NumPy's."""
    shares: str = "no"
    """``yes``: the tensor lies on its memory; ``readonly``: only if the caller promises not to write; ``no``: never."""
    used_up: bool = False
    """It gives its values once, as an iterator does."""
    options: tuple[tuple[str, Any], ...] = ()
    """Arguments without which it is refused, such as ``null=``."""

    def __str__(self) -> str:
        return self.name
