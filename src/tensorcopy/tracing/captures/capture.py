"""What a traced run leaves behind: plain, versioned, bounded values, that JSON holds and later releases read."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import BadArgumentError
from .decoding import decoded

FORMAT = 2
_READ = (1, 2)
_LARGEST = 128 << 20
UNFINISHED = "not yet: it was still running, or was killed, when this was written"
"""How a program ended of which only what was written underway is left."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Spot:
    """A line of the program, with its text; `message` says what happens there."""

    file: str
    line: int
    function: str = ""
    code: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The bytes ``[lo, hi)`` of an allocation that something lies on, and what that is.

    line: at which line of the finding it is seen so: 0 its own, 1 the first related one.
    counts, strides: how its bytes lie from `lo` on: so many pieces, so many bytes apart, for each dimension, the
        innermost, of single bytes, last. Empty if it is all of ``[lo, hi)``.
    """

    what: str
    lo: int
    hi: int
    line: int = 0
    counts: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if len(self.counts) != len(self.strides):
            raise ValueError("the counts and strides of a part differ in length")
        reach = 1 + sum((n - 1) * step for n, step in zip(self.counts, self.strides, strict=True))
        if self.counts and (min(self.counts) < 1 or reach != self.hi - self.lo):
            raise ValueError("the pieces of a part don't fill its bytes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """The allocation that a hazard is about, and who lies where on it."""

    bytes: int
    parts: tuple[Part, ...] = ()

    def __post_init__(self) -> None:
        if any(not 0 <= part.lo <= part.hi <= self.bytes for part in self.parts):
            raise ValueError(f"a part lies outside of {self.bytes} bytes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A mistake that the run showed, at `place`; `count` is how often. `related` are the other lines that it takes.

    variant: which of several mistakes of that name it is, for whoever writes the line to put in its place.
    names: what it is about, such as the parameters that get no gradient.
    memory: who lies where on the memory that it is about, if that is known.
    seconds: when it was seen first, from the start of its process.
    only: the processes that have it, where others of their kind don't.
    """

    code: str
    name: str
    level: str
    message: str
    place: Spot
    related: tuple[Spot, ...] = ()
    count: int = 1
    variant: str = ""
    names: tuple[str, ...] = ()
    memory: Extent | None = None
    seconds: float = 0.0
    only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyLine:
    """All copies of one kind that one line made in one phase.

    operation: what torch calls it. kind: what it is in the field's words, like ``cast`` or ``inside matmul``.
    avoidable: how to do without them, empty if that isn't known; `saved` bytes would not be copied then, and `variant`
        says which way out it is, for whoever writes the line to put in its place.
    """

    operation: str
    phase: str
    place: Spot
    count: int
    bytes: int
    seconds: float
    avoidable: str = ""
    kind: str = ""
    saved: int = 0
    variant: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    """Single copies, as columns: one in `every`, in the order in which they ended.

    at, took: microseconds, from the start of the process. line: the index among the copies of the capture.
    """

    every: int = 1
    at: tuple[int, ...] = ()
    took: tuple[int, ...] = ()
    bytes: tuple[int, ...] = ()
    line: tuple[int, ...] = ()
    thread: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if len({len(c) for c in (self.at, self.took, self.bytes, self.line, self.thread)}) != 1:
            raise ValueError("the columns of the events differ in length")


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """What was copied when. `copied` has the bytes of each phase in each stretch of `width` seconds, all counted.

    began: when the process began to be watched, in seconds of Unix time; `seconds` is for how long it was.
    steps: when optimizer steps ended, one in `steps_every`, in seconds from the start.
    """

    began: float = 0.0
    seconds: float = 0.0
    width: float = 0.0
    copied: dict[str, tuple[int, ...]] = field(default_factory=dict)
    events: Events = field(default_factory=Events)
    steps: tuple[float, ...] = ()
    steps_every: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One of the processes of a merged capture."""

    role: str
    rank: int
    pid: int
    ended: str
    steps: int
    timeline: Timeline = field(default_factory=Timeline)

    @property
    def label(self) -> str:
        """What it is called: ``main``, ``rank 1``, ``worker 0``, ``worker 0 of rank 1``."""
        if self.role.startswith("worker"):
            return f"{self.role} of rank {self.rank}" if self.rank else self.role
        return self.role


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The text of a file of the program, as it was when it ran."""

    file: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """One traced run. `ended` is how the program ended; `limits` are what the tracer could not see.

    rank: the number of the process in a distributed run. role: ``main``, ``rank 1``, ``worker 0``.
    merged: the processes of which it was merged, empty if it is of one.
    """

    command: tuple[str, ...]
    steps: int = 0
    rank: int = 0
    ended: str = "normally"
    findings: tuple[Finding, ...] = ()
    copies: tuple[CopyLine, ...] = ()
    limits: tuple[str, ...] = ()
    releases: dict[str, str] = field(default_factory=dict)
    pid: int = 0
    role: str = "main"
    timeline: Timeline = field(default_factory=Timeline)
    sources: tuple[Source, ...] = ()
    merged: tuple[Process, ...] = ()

    def __post_init__(self) -> None:
        for timeline in (self.timeline, *(process.timeline for process in self.merged)):
            if any(line >= len(self.copies) for line in timeline.events.line):
                raise ValueError("an event belongs to no copy")

    @property
    def processes(self) -> tuple[Process, ...]:
        """The processes that were watched, one or several."""
        return self.merged or (
            Process(
                role=self.role, rank=self.rank, pid=self.pid, ended=self.ended, steps=self.steps, timeline=self.timeline
            ),
        )

    @property
    def copied(self) -> int:
        """The bytes of all its copies."""
        return sum(copy.bytes for copy in self.copies)


def written(capture: Capture) -> str:
    """The capture as text that `read` understands."""
    head = {"tensorcopy": "capture", "format": FORMAT}
    return json.dumps(head | _fields(capture), default=_fields, separators=(",", ":")) + "\n"


def _fields(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in type(value).__dataclass_fields__}


def read(path: str | Path) -> Capture:
    """The capture in a file, of this format or an older one.

    Raises:
        BadArgumentError: it can't be read, is no capture, is damaged, or is of a newer format.
    """
    data = _data(Path(path))
    if not isinstance(data, dict) or data.get("tensorcopy") != "capture":
        raise _unreadable(path, "it is not a capture of tensorcopy run")
    if data.get("format") not in _READ:
        known = " and ".join(map(str, _READ))
        raise _unreadable(path, f"its format is {str(data.get('format'))[:40]!r}, and this release reads {known}")
    try:
        return decoded(Capture, data)
    except ValueError as error:
        raise _unreadable(path, f"it is damaged: {error}") from error


def _data(path: Path) -> Any:
    try:
        size = path.stat().st_size
        if size > _LARGEST:
            raise _unreadable(path, f"it has {size:,} bytes, and no capture has more than {_LARGEST:,}")
        return json.loads(path.read_bytes())
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from error
    except ValueError as error:
        raise _unreadable(path, f"it is not a capture of tensorcopy run: {str(error)[:200]}") from error
    except RecursionError as error:
        raise _unreadable(path, "it is nested too deeply for a capture") from error


def _unreadable(path: str | Path, why: str) -> BadArgumentError:
    return BadArgumentError(
        f"cannot read the capture {str(path)!r}", why=why, fix="make one with: tensorcopy run --output FILE script.py"
    )
