"""One module a library that results can be made for, besides torch and NumPy: ``NAME``, ``build``, ``plan``."""

from __future__ import annotations

import sys
from typing import Any

from ..._discovery import modules_of
from ...errors import BadArgumentError


def target(name: str) -> Any:
    """The module that makes results for the library *name*; `BadArgumentError` if there is none."""
    known = {module.NAME: module for module in modules_of(sys.modules[__name__])}
    if name not in known:
        raise BadArgumentError(
            f"cannot convert to {name!r}",
            why="there is no such target",
            fix="pass one of " + ", ".join(sorted({"torch", "numpy", *known})),
        )
    return known[name]
