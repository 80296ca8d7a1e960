"""`inspect_file`: what a file of tensors or arrays holds, whatever its format."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from types import ModuleType

from ..._discovery import modules_of
from ...errors import BadFileError
from . import formats
from .contents import Contents
from .reading import opened

_HEAD = 512


def inspect_file(path: str | Path) -> Contents:
    """What the file holds, which of it lies on the same bytes, and what it drags along.

    Reads headers, directories and the steps of pickles; never the data, and never runs or imports anything that the
    file names. Time and memory depend on the number of tensors, not on their size. Loads neither torch nor NumPy.

    Raises:
        BadArgumentError: it is no regular file, or it may not be read.
        BadFileError: it is of no known format, damaged, contradicts itself, or would run code when loaded.
    """
    shown = os.fspath(path)
    with opened(path) as file:
        head = file.read(_HEAD)
        for module in _formats():
            if module.recognises(head):
                found: Contents = module.read(file, shown)
                return found
    if head.startswith(b"version https://git-lfs"):
        raise BadFileError(
            f"{shown} is a pointer of Git LFS",
            why="the file itself was not fetched with the repository",
            fix="git lfs pull, and ask again",
        )
    known = ", ".join(module.NAME for module in _formats())
    raise BadFileError(
        f"{shown} is no file of tensors",
        why=f"its first bytes are {head[:8]!r}" if head else "it is empty",
        fix=f"the formats that can be read are: {known}",
    )


@cache
def _formats() -> tuple[ModuleType, ...]:
    return tuple(sorted(modules_of(formats), key=lambda module: int(module.ORDER)))
