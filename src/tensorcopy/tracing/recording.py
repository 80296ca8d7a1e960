"""Recordings of this process: one at a time, and one that begins inside another takes its part of that one's record."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..errors import BadArgumentError
from .capture import Capture, CopyLine, Finding, Spot, Timeline
from .holding import Holding
from .session import Session

_BEGINNING = threading.Lock()
_UNDER_WAY: list[Session] = []
_PART = (
    "recorded by the recording around this block: what is judged at its end (avoidable copies, kept memory, gradients "
    "that never came) is in the report of that one"
)


class Recording:
    """A recording of the code between `start` and `stop`: a session of its own, or a part of the one under way.

    function: whose call that code is, so that what its variables hold can be judged when it has returned.
    """

    def __init__(self, *, steps: int, command: tuple[str, ...], function: Callable[..., Any] | None = None) -> None:
        self.command, self._function = command, function
        self._holding: Holding | None = None
        self._session = Session(steps=steps, command=command)
        self._outer: Session | None = None
        self._before = Capture(command=command)

    def start(self) -> None:
        """Begin to record."""
        with _BEGINNING:
            self._outer = _UNDER_WAY[-1] if _UNDER_WAY else None
            if self._outer is None:
                _UNDER_WAY.append(self._session)
        if self._outer is None:
            _start(self._session)
            self._holding = Holding(self._function) if self._function is not None else None
        else:
            self._before = self._outer.capture()

    def stop(self, ended: str) -> Capture:
        """End, and give what was recorded meanwhile. *ended* says how the code did."""
        if self._outer is None:
            self._session.ended = ended
            try:
                return end(self._session)
            finally:
                if self._holding is not None:
                    self._holding.release()
        part = since(self._before, self._outer.capture())
        return replace(part, command=self.command, ended=ended, limits=(*part.limits, _PART))


def begin(session: Session) -> None:
    """Start *session*.

    Raises:
        BadArgumentError: another one is under way.
    """
    with _BEGINNING:
        if _UNDER_WAY:
            raise BadArgumentError(
                "cannot begin a second recording of this process",
                why=f"one of {' '.join(_UNDER_WAY[-1].command)} is under way",
                fix="end that one first",
            )
        _UNDER_WAY.append(session)
    _start(session)


def end(session: Session) -> Capture:
    """Stop *session*, and make way for the next."""
    try:
        return session.stop()
    finally:
        _UNDER_WAY.remove(session)


def _start(session: Session) -> None:
    try:
        session.start()
    except BaseException:
        _UNDER_WAY.remove(session)
        raise


def since(before: Capture, after: Capture) -> Capture:
    """What *after* has and *before* had not yet, both of one session."""
    copied = {_kind_of(c): c for c in before.copies}
    found = {(f.name, f.place): f.count for f in before.findings}
    return replace(
        after,
        steps=after.steps - before.steps,
        copies=tuple(c for line in after.copies if (c := _less(line, copied.get(_kind_of(line)))).count),
        findings=tuple(f for finding in after.findings if (f := _newly(finding, found)).count),
        timeline=Timeline(),
    )


def _kind_of(line: CopyLine) -> tuple[object, ...]:
    return line.operation, line.phase, line.place


def _less(line: CopyLine, before: CopyLine | None) -> CopyLine:
    if before is None:
        return line
    return replace(
        line,
        count=line.count - before.count,
        bytes=line.bytes - before.bytes,
        seconds=line.seconds - before.seconds,
        saved=line.saved - before.saved,
    )


def _newly(finding: Finding, before: dict[tuple[str, Spot], int]) -> Finding:
    return replace(finding, count=finding.count - before.get((finding.name, finding.place), 0))
