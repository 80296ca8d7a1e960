"""Hear what functions return, in bursts: the interpreter's hooks for it cost as much as the program itself."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from types import CodeType, FrameType
from typing import Any, Protocol

Heard = Callable[[FrameType, Any], None]
IsLibrary = Callable[[str], bool]


class Listener(Protocol):
    """Between `begin` and `end`, and for so many events at most, returns are heard."""

    def begin(self) -> None:
        """Hear returns from now on, unless they are heard already or the program itself uses the hook."""

    def end(self) -> None:
        """Hear no more."""


def listener(kinds: tuple[type, ...], is_library: IsLibrary, heard: Heard, *, events: int) -> Listener:
    """What calls ``heard(frame, value)`` for each value of exactly these *kinds* that a function returns or yields.

    Functions of files that *is_library* knows are passed over. A burst is over after so many *events*. *heard* must not
    raise.
    """
    if sys.version_info >= (3, 12):
        return Monitored(kinds, is_library, heard, events)
    return Profiled(kinds, is_library, heard, events)


class Profiled:
    """By the profiling hook of the thread that begins, in C where it was built, else in Python."""

    def __init__(self, kinds: tuple[type, ...], is_library: IsLibrary, heard: Heard, events: int) -> None:
        self.arguments = kinds, is_library, heard, events
        self.hook: object = None

    def begin(self) -> None:
        """Hear this thread's returns, unless it is being profiled."""
        if sys.getprofile() is None:
            self.hook = _profile(*self.arguments)

    def end(self) -> None:
        """Hear no more."""
        if self.hook is not None and sys.getprofile() is self.hook:
            sys.setprofile(None)
        self.hook = None


def _profile(kinds: tuple[type, ...], is_library: IsLibrary, heard: Heard, events: int) -> object:
    """Set the hook; gives what ``sys.getprofile()`` gives from then on, until the events are used up."""
    with suppress(ImportError):  # built without a compiler
        from .. import _frames

        return _frames.listen(kinds, is_library, heard, events)
    left = [events]

    def hook(frame: FrameType, event: str, value: Any) -> None:
        left[0] -= 1
        if left[0] < 0:
            sys.setprofile(None)
        elif event == "return" and type(value) in kinds and not is_library(frame.f_code.co_filename):
            heard(frame, value)

    sys.setprofile(hook)
    return hook


if sys.version_info >= (3, 12):

    class Monitored:
        """By ``sys.monitoring``, in all threads: code of libraries costs nothing once it has been met."""

        def __init__(self, kinds: tuple[type, ...], is_library: IsLibrary, heard: Heard, events: int) -> None:
            self.kinds, self.is_library, self.heard, self.events = kinds, is_library, heard, events
            self.left, self.tool = 0, -1

        def begin(self) -> None:
            """Hear all returns, unless they are heard or other tools have taken the places for them."""
            if self.tool < 0:
                self.tool = next((n for n in (3, 4) if sys.monitoring.get_tool(n) is None), -1)
                if self.tool < 0:
                    return
                sys.monitoring.use_tool_id(self.tool, "tensorcopy")
                for event in (sys.monitoring.events.PY_RETURN, sys.monitoring.events.PY_YIELD):
                    sys.monitoring.register_callback(self.tool, event, self._returned)
            self.left = self.events
            events = sys.monitoring.events
            sys.monitoring.set_events(self.tool, events.PY_RETURN | events.PY_YIELD)

        def end(self) -> None:
            """Hear no more, and give the tool's place back."""
            if self.tool >= 0:
                sys.monitoring.set_events(self.tool, 0)
                sys.monitoring.free_tool_id(self.tool)
                self.tool = -1

        def _returned(self, code: CodeType, offset: int, value: Any) -> object:
            if self.is_library(code.co_filename):
                return sys.monitoring.DISABLE
            self.left -= 1
            if self.left < 0:
                sys.monitoring.set_events(self.tool, 0)
            elif type(value) in self.kinds:
                self.heard(sys._getframe(1), value)
            return None
