"""Interpreters that the program starts as commands of their own: they are not recorded, and the report says so."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from ..patches import Patches
from ..sites import Site, is_library, site_of

_MOST_NOTES = 5
_AS_COMMAND = "as a command"


def note_commands(patches: Patches, limits: list[str]) -> None:
    """Wrap ``subprocess``: a Python that the program's own code starts with it is noted in *limits*."""

    def noting(original: Callable[..., Any]) -> Callable[..., Any]:
        def start(popen: Any, args: Any, *more: Any, **kwargs: Any) -> Any:
            site = _caller() if _is_python(args) else None
            noted = f"Python was started {_AS_COMMAND} at {site}, and is not recorded: put `tensorcopy run` in there"
            if site is not None and noted not in limits and sum(_AS_COMMAND in n for n in limits) < _MOST_NOTES:
                limits.append(noted)
            return original(popen, args, *more, **kwargs)

        return start

    patches.wrap(subprocess.Popen, "__init__", noting)


def _is_python(args: Any) -> bool:
    """Whether a command, as a text or as a list, is a Python that isn't recorded already."""
    words = args.split() if isinstance(args, str) else list(args) if type(args) in (list, tuple) else []
    first = os.fspath(words[0]) if words and isinstance(words[0], (str, os.PathLike)) else ""
    named = isinstance(first, str) and (first == sys.executable or Path(first).name.startswith("python"))
    return named and "tensorcopy" not in words


def _caller() -> Site | None:
    """The line that started a command, if it is of the program itself and not of a library."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__") == "subprocess":
        frame = frame.f_back
    return site_of(frame) if frame is not None and not is_library(frame.f_code.co_filename) else None
