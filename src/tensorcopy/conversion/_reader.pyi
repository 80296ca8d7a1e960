"""What `_reader.c` gives; see `reading`, which is its only caller."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

DTYPES: tuple[str, ...]

def outline(nested: Any, /) -> tuple[tuple[int, ...], int, Any] | None: ...
def survey(nested: Any, shape: tuple[int, ...], /) -> int | None: ...
def fill(nested: Any, shape: tuple[int, ...], address: int, dtype: str, casting: str, /) -> int | None: ...
def read(
    nested: Any,
    rooms: tuple[
        tuple[Callable[..., Any] | None, ...], bytes, Callable[[Any], int], int, tuple[Callable[[], object], ...]
    ],
    /,
) -> Any: ...
def holds(scalar: Any, raw: bytes, /) -> bool: ...
def configure(proven: dict[type, int], classify: Callable[[type], int], /) -> None: ...
