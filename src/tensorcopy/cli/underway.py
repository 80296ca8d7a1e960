"""What a program that still runs has shown so far, now and then, in a line among its own output on the error stream.

The program writes to the same terminal. So these are whole lines: one that is written over and over, as `progress` does
it for commands that are alone there, would mix with what the program writes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from ..reporting.escaping import visible
from ..reporting.quantities import bytes_text
from ..tracing.captures.capture import Capture

_FIRST, _LONGEST = 10.0, 300.0


class UnderWay:
    """Called with what has been recorded so far. Writes a line after ten seconds, and then ever more seldom.

    A new error or warning is told after ten seconds at the latest; without any, five minutes pass between two lines.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._clock = stream, clock
        self._began = self._last = clock()
        self._pause = _FIRST
        self._found = 0

    def __call__(self, capture: Capture) -> None:
        """Write a line, if it is time to; of several ranks the first one does."""
        now, found = self._clock(), len(capture.findings)
        if capture.rank or now - self._last < (_FIRST if found > self._found else self._pause):
            return
        self._last, self._found = now, found
        self._pause = min(2 * self._pause, _LONGEST)
        with suppress(OSError, ValueError):  # the program may have closed it
            _write(line_about(capture, now - self._began), self._stream)


def line_about(capture: Capture, seconds: float) -> str:
    """What was recorded in so many seconds, on one line."""
    copies = sum(line.count for line in capture.copies)
    errors = sum(finding.level == "error" for finding in capture.findings)
    parts = [
        _duration(seconds),
        counted(capture.steps, "step"),
        f"{bytes_text(capture.copied)} in {copies:,} {'copy' if copies == 1 else 'copies'}",
        counted(errors, "error"),
        counted(len(capture.findings) - errors, "warning"),
    ]
    newest = max(capture.findings, key=lambda finding: finding.seconds, default=None)
    if newest is not None:
        parts[-1] += f", the newest {newest.name} at {Path(newest.place.file).name}:{newest.place.line}"
    return visible(f"tensorcopy, so far: {', '.join(parts)}")


def counted(number: int, what: str) -> str:
    """``1 error``, ``2 errors``."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def _write(line: str, stream: TextIO) -> None:
    """Bars of tqdm are drawn again below the line."""
    bars: Any = getattr(sys.modules.get("tqdm"), "tqdm", None)
    if bars is not None and len(getattr(bars, "_instances", ())):
        bars.write(line, file=stream)
    else:
        stream.write(line + "\n")
    stream.flush()
