"""What a traced run leaves behind: plain, versioned values, that JSON holds and later releases read."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..errors import BadArgumentError

FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Spot:
    """A line of the program, with its text; `message` says what happens there."""

    file: str
    line: int
    function: str = ""
    code: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A mistake that the run showed, at `place`; `count` is how often. `related` are the other lines that it takes."""

    code: str
    name: str
    level: str
    message: str
    place: Spot
    related: tuple[Spot, ...] = ()
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyLine:
    """All copies of one kind that one line made. `avoidable` says how to do without them, empty if that isn't known."""

    operation: str
    phase: str
    place: Spot
    count: int
    bytes: int
    seconds: float
    avoidable: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """One traced run. `ended` is how the program ended; `limits` are what the tracer could not see."""

    command: tuple[str, ...]
    steps: int = 0
    rank: int = 0
    ended: str = "normally"
    findings: tuple[Finding, ...] = ()
    copies: tuple[CopyLine, ...] = ()
    limits: tuple[str, ...] = ()
    releases: dict[str, str] = field(default_factory=dict)


def written(capture: Capture) -> str:
    """The capture as text that `read` understands."""
    return json.dumps({"tensorcopy": "capture", "format": FORMAT, **asdict(capture)}, indent=1)


def read(path: str | Path) -> Capture:
    """The capture in a file.

    Raises:
        BadArgumentError: it can't be read, is no capture, or is of a newer format.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _unreadable(path, str(error)) from error
    if not isinstance(data, dict) or data.get("tensorcopy") != "capture":
        raise _unreadable(path, "it is not a capture of tensorcopy run")
    if data.get("format") != FORMAT:
        raise _unreadable(path, f"its format is {data.get('format')!r}, and this release reads {FORMAT}")
    try:
        return _capture(data)
    except (KeyError, TypeError, AttributeError) as error:
        raise _unreadable(path, f"a part of it is missing or of the wrong kind ({error})") from error


def _capture(data: dict[str, Any]) -> Capture:
    return Capture(
        command=tuple(data["command"]),
        steps=int(data["steps"]),
        rank=int(data["rank"]),
        ended=str(data["ended"]),
        findings=tuple(_finding(f) for f in data["findings"]),
        copies=tuple(CopyLine(**c | {"place": Spot(**c["place"])}) for c in data["copies"]),
        limits=tuple(data["limits"]),
        releases=dict(data["releases"]),
    )


def _finding(data: dict[str, Any]) -> Finding:
    return Finding(**data | {"place": Spot(**data["place"]), "related": tuple(Spot(**s) for s in data["related"])})


def _unreadable(path: str | Path, why: str) -> BadArgumentError:
    return BadArgumentError(
        f"cannot read the capture {str(path)!r}", why=why, fix="make one with: tensorcopy run --output FILE script.py"
    )
