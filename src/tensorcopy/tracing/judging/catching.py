"""Catch a write in the act: after each line of the program, look whether a piece of memory has changed.

This slows the program down while it lasts, so it is done only for memory that is known to change, where the source does
not tell which line writes, and ends with the first write.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from ..sites import NOWHERE, Site, is_library, site_of, user_frame

_MOST_EVENTS = 20_000

Changed = Callable[[], bool]


class Catching:
    """Follows the lines of this thread until *changed* says so, and tells *caught* the line that was running then."""

    def __init__(self, changed: Changed, caught: Callable[[Site], None]) -> None:
        self.changed, self.caught = changed, caught
        self.events, self.line = 0, NOWHERE

    def begin(self) -> bool:
        """Begin; False, and nothing is done, while a debugger or a coverage tool follows the program."""
        frame = user_frame()
        if sys.gettrace() is not None or frame is None:
            return False
        self.line = site_of(frame)
        sys.settrace(self._entered)
        while frame is not None:
            if not is_library(frame.f_code.co_filename):
                frame.f_trace = self._ran
            frame = frame.f_back
        return True

    def end(self) -> None:
        """Follow no longer."""
        if sys.gettrace() == self._entered:
            sys.settrace(None)
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_trace == self._ran:
                frame.f_trace = None
            frame = frame.f_back

    def _entered(self, frame: FrameType, event: str, argument: Any) -> Any:
        return None if is_library(frame.f_code.co_filename) else self._ran

    def _ran(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event not in ("line", "return"):
            return self._ran
        self.events += 1
        if self.changed():
            self.end()
            self.caught(self.line)
            return None
        if self.events > _MOST_EVENTS:
            self.end()
            return None
        outer = frame.f_back if event == "return" else frame
        while outer is not None and is_library(outer.f_code.co_filename):
            outer = outer.f_back
        self.line = site_of(outer) if outer is not None else NOWHERE
        return self._ran
