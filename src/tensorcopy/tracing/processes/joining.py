"""How a process that the program starts joins the recording: whatever way it starts, before its work begins.

Loads neither torch nor NumPy: a process that does without them is not recorded, and does not pay for it.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import astuple, dataclass
from multiprocessing import util
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

FAILED = ".failed"
_ARRIVED: list[Joining] = []


@dataclass(frozen=True, kw_only=True)
class Joining:
    """What a process needs to know to record itself. It is handed over with the process object, by fork or by pickle.

    folder: where the capture goes. full: whether the recording of the parent is still one in full.
    """

    folder: str
    steps: int
    command: tuple[str, ...]
    full: bool
    strict: bool

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrived, astuple(self)

    def join(self, *, forked: bool = False) -> None:
        """Record this process, which has just begun. Where that fails, it runs on and the parent is told."""
        if "torch" in sys.modules and os.path.isdir(self.folder):
            try:
                from .children import begin

                begin(self, forked=forked)
            except Exception as error:
                with suppress(OSError):
                    Path(self.folder, f"{os.getpid()}{FAILED}").write_text(f"{type(error).__name__}: {error}")


def _arrived(folder: str, steps: int, command: tuple[str, ...], full: bool, strict: bool) -> Joining:
    """Unpickled in a process that was spawned: it joins once multiprocessing has set it up."""
    joining = Joining(folder=folder, steps=steps, command=command, full=full, strict=strict)
    _ARRIVED.append(joining)
    util.register_after_fork(joining, Joining.join)
    # A spawned process runs none of these: it is no fork.
    SpawnProcess._after_fork = staticmethod(joining.join)  # type: ignore[attr-defined]
    return joining
