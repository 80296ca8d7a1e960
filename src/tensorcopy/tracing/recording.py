"""Recordings of this process: one at a time, and one that begins inside another takes its part of that one's record."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..errors import BadArgumentError
from .captures.capture import Capture, CopyLine, Finding, Spot
from .captures.merging import merged
from .explaining import explain
from .holding import Holding
from .hooks.strictness import Strictness
from .processes.children import Children
from .reports import sources_of
from .session import Session

_BEGINNING = threading.Lock()
_UNDER_WAY: list[Session] = []
_STRICT: dict[Session, Strictness] = {}
_FOLLOWED: list[Children] = []
_PART = (
    "recorded by the recording around this block: what is judged at its end (avoidable copies, kept memory, gradients "
    "that never came) is in the report of that one"
)


class Recording:
    """A recording of the code between `start` and `stop`: a session of its own, or a part of the one under way.

    function: whose call that code is, so that what its variables hold can be judged when it has returned.
    strict: arrays that share memory with a tensor are read-only meanwhile.
    """

    def __init__(
        self,
        *,
        steps: int,
        command: tuple[str, ...],
        strict: bool = False,
        function: Callable[..., Any] | None = None,
    ) -> None:
        self.command, self._strict, self._function = command, strict, function
        self._session = Session(steps=steps, command=command, strict=strict)
        self._outer: Session | None = None
        self._before = Capture(command=command)
        self._holding: Holding | None = None
        self._strictness: Strictness | None = None

    def start(self) -> None:
        """Begin to record."""
        self._outer = _join(self._session)
        if self._outer is None:
            _start(self._session)
            self._holding = Holding(self._function) if self._function is not None else None
            return
        self._before = self._outer.so_far()
        if self._strict and self._outer not in _STRICT:
            self._strictness = Strictness(self._outer.attention)
            self._strictness.start()

    def stop(self, ended: str, error: BaseException | None = None) -> Capture:
        """End, and give what was recorded meanwhile. *ended* says how the code did, *error* what it raised."""
        if self._outer is not None:
            return self._end_part(self._outer, ended, error)
        self._session.ended = ended
        try:
            return end(self._session, error)
        finally:
            if self._holding is not None:
                self._holding.release()

    def _end_part(self, outer: Session, ended: str, error: BaseException | None) -> Capture:
        if error is not None:
            _explain(outer, error, self._strictness or _STRICT.get(outer))
        if self._strictness is not None:
            self._strictness.stop()
        part = since(self._before, outer.so_far())
        sources = sources_of(part.findings, part.copies)
        return replace(part, command=self.command, ended=ended, limits=(*part.limits, _PART), sources=sources)


def begin(session: Session) -> None:
    """Start *session*.

    Raises:
        BadArgumentError: another one is under way.
    """
    outer = _join(session)
    if outer is not None:
        raise BadArgumentError(
            "cannot begin a second recording of this process",
            why=f"one of {' '.join(outer.command)} is under way",
            fix="end that one first",
        )
    _start(session)


def end(session: Session, error: BaseException | None = None) -> Capture:
    """Stop *session*, and make way for the next. *error* is what the program ended with.

    The capture holds what the processes have recorded that were started meanwhile.
    """
    if session not in _UNDER_WAY:
        return session.so_far()  # A fork of the process that began it, which records itself by now.
    try:
        children = _FOLLOWED.pop()
        children.leave()
        strictness = _STRICT.pop(session, None)
        if error is not None:
            _explain(session, error, strictness)
        if strictness is not None:
            strictness.stop()
        own, others = session.stop(), children.collect()
        return merged([replace(own, limits=tuple(session.limits)), *others])
    finally:
        _UNDER_WAY.remove(session)


def _join(session: Session) -> Session | None:
    """The session that is under way; if there is none, *session* is from now on."""
    with _BEGINNING:
        if _UNDER_WAY:
            return _UNDER_WAY[-1]
        _UNDER_WAY.append(session)
        return None


def take_over(session: Session, folder: str) -> bool:
    """Start *session* in the place of one that came with a fork; False if this process has begun one itself.

    folder: where the captures of the processes go that it starts.
    """
    if any(known.process == os.getpid() for known in _FOLLOWED):
        return False
    while _FOLLOWED:
        _FOLLOWED.pop().leave()
    for came in _STRICT.values():
        came.stop()
    while _UNDER_WAY:
        _UNDER_WAY.pop().leave()
    _STRICT.clear()
    _UNDER_WAY.append(session)
    _start(session, folder)
    return True


def _start(session: Session, folder: str = "") -> None:
    try:
        session.start()
        if session.strict:
            _STRICT[session] = Strictness(session.attention)
            _STRICT[session].start()
        _FOLLOWED.append(Children(session, folder))
        _FOLLOWED[-1].follow()
    except BaseException:
        _UNDER_WAY.remove(session)
        raise


def _explain(session: Session, error: BaseException, strictness: Strictness | None) -> None:
    if isinstance(error, Exception):
        with session.attention:
            explain(session, error, strictness)


def since(before: Capture, after: Capture) -> Capture:
    """What *after* has and *before* had not yet, both what one session had so far."""
    copied = {_kind_of(c): c for c in before.copies}
    found = {(f.name, f.place): f.count for f in before.findings}
    return replace(
        after,
        steps=after.steps - before.steps,
        copies=tuple(c for line in after.copies if (c := _less(line, copied.get(_kind_of(line)))).count),
        findings=tuple(f for finding in after.findings if (f := _newly(finding, found)).count),
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
