"""Threads that start while a session records: their copies and writes are heard, too."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from ..sites import is_library
from .dispatching import DISPATCH


class Threads:
    """Switches the dispatcher's hooks on in each thread that starts, and says which threads ran before.

    The interpreter's profiling is what tells of a thread; it is given back at once to whom it belongs.
    """

    def __init__(self, limits: list[str]) -> None:
        self.limits = limits
        self._before: Any = None
        self._hook: Callable[..., None] | None = None

    def start(self) -> None:
        """Begin to follow threads."""
        names = [thread.name for thread in threading.enumerate() if _may_copy(thread)]
        if names:
            shown = ", ".join(names[:4]) + (" and others" if len(names) > 4 else "")
            self.limits.append(f"threads that ran before the recording began were not followed: {shown}")
        self._before, self._hook = threading.getprofile(), self._begun
        threading.setprofile(self._hook)

    def stop(self) -> None:
        """Follow no more of them."""
        if self._hook is not None and threading.getprofile() == self._hook:
            threading.setprofile(self._before)
        self._hook = None

    def _begun(self, *event: Any) -> None:
        """Called once in each thread that starts."""
        if self._hook is not None:
            DISPATCH.resume()
        sys.setprofile(self._before)


def _may_copy(thread: threading.Thread) -> bool:
    """Whether another thread than this one does, or waits for, work of the program."""
    if thread is threading.current_thread() or not thread.is_alive():
        return False
    frame = sys._current_frames().get(thread.ident or 0)
    while frame is not None and is_library(frame.f_code.co_filename):
        frame = frame.f_back
    return frame is not None or not thread.daemon
