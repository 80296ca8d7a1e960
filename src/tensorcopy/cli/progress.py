"""How far a long piece of work is, on one line of the error stream, if that is a terminal."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from types import TracebackType

_PATIENCE, _INTERVAL, _CELLS = 0.7, 0.1, 24


class Progress:
    """Called with how much is done, of how much. Shows nothing in the first moment, and leaves nothing behind."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._next = time.monotonic() + _PATIENCE
        self._width = 0

    def __call__(self, done: int, total: int) -> None:
        """Show it, if it is time to."""
        now = time.monotonic()
        if now >= self._next and sys.stderr.isatty():
            self._next = now + _INTERVAL
            filled = _CELLS * done // max(total, 1)
            self._show(f"{self._what} [{'#' * filled}{'.' * (_CELLS - filled)}] {done:,} of {total:,}")

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._width:
            self._show("")
            print(end="\r", file=sys.stderr, flush=True)

    def _show(self, line: str) -> None:
        """Write over what is there. A line wider than the terminal would go on in the next and stay there."""
        line = line[: _columns() - 1]
        print(f"\r{line:<{self._width}}", end="", file=sys.stderr, flush=True)
        self._width = len(line)


def _columns() -> int:
    with suppress(OSError, ValueError):
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    return 80
