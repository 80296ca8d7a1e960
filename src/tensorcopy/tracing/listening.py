"""Hear what functions return: through a small C hook, or Python's own, which is slower and does the same."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

Heard = Callable[[FrameType, Any], None]


def listen(kinds: tuple[type, ...], is_library: Callable[[str], bool], heard: Heard) -> object:
    """Call ``heard(frame, value)`` for each value of exactly these *kinds* that a function returns on this thread.

    Functions of files that *is_library* knows are passed over. Gives what ``sys.getprofile()`` then returns; end it
    with ``sys.setprofile(None)``. *heard* must not raise.
    """
    with suppress(ImportError):  # built without a compiler
        from . import _returns

        return _returns.listen(kinds, is_library, heard)
    hook = _hook(kinds, is_library, heard)
    sys.setprofile(hook)
    return hook


def _hook(kinds: tuple[type, ...], is_library: Callable[[str], bool], heard: Heard) -> Callable[..., None]:
    def hook(frame: FrameType, event: str, value: Any) -> None:
        if event == "return" and type(value) in kinds and not is_library(frame.f_code.co_filename):
            heard(frame, value)

    return hook
