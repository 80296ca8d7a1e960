"""Whose work a thread is doing: the program's, or the session's own, which is not recorded."""

from __future__ import annotations

import threading
from types import TracebackType

_MOST_NOTES = 20


class Attention(threading.local):
    """Under ``with``, this thread looks on behalf of the session; what goes wrong in that is noted and stays in it.

    `away` counts how deep it is in the session's own work: 0 while the program itself is at work.
    """

    def __init__(self, notes: list[str]) -> None:
        self.away = 0
        self.notes = notes

    def __enter__(self) -> None:
        self.away += 1

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> bool:
        self.away -= 1
        if not isinstance(error, Exception):
            return False
        self.failed(error)
        return True

    def failed(self, error: Exception) -> None:
        """Note that looking failed, so that the report can say what was not seen."""
        note = f"the tracer failed at one place and went on: {type(error).__name__}: {str(error)[:200]}"
        if note not in self.notes and len(self.notes) < _MOST_NOTES:
            self.notes.append(note)
