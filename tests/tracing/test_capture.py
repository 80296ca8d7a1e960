"""A capture is written as text and read back as the same value; what is none is refused."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorcopy.errors import BadArgumentError
from tensorcopy.tracing.captures.capture import (
    FORMAT,
    Capture,
    CopyLine,
    Events,
    Extent,
    Finding,
    Part,
    Process,
    Source,
    Spot,
    Timeline,
    read,
    written,
)

PLACE = Spot(file="train.py", line=3, function="step", code="x.add_(1)", message="<b>here</b>")
FINDING = Finding(
    code="TCY601",
    name="changing-snapshot",
    level="error",
    message="m",
    place=PLACE,
    related=(PLACE,),
    names=("a.weight",),
    memory=Extent(bytes=8, parts=(Part(what="shared", lo=0, hi=8),)),
    seconds=1.5,
    only=("rank 1",),
)
COPY = CopyLine(
    operation="clone", phase="forward", place=PLACE, count=2, bytes=8, seconds=1e-6, avoidable="why", kind="clone",
    saved=4, variant="v",
)  # fmt: skip
TIMELINE = Timeline(
    began=1e9,
    seconds=2.0,
    width=0.5,
    copied={"forward": (0, 8)},
    events=Events(at=(5,), took=(1,), bytes=(8,), line=(0,), thread=(77,)),
    steps=(0.5, 1.0),
)
CAPTURE = Capture(
    command=("train.py", "--lr", "1"),
    steps=3,
    ended="with ValueError",
    findings=(FINDING,),
    copies=(COPY,),
    limits=("something was not seen",),
    releases={"torch": "2.13.0"},
    pid=12,
    role="rank 1",
    rank=1,
    timeline=TIMELINE,
    sources=(Source(file="train.py", text="x = 1\n\udc80"),),
    merged=(Process(role="main", rank=0, pid=1, ended="normally", steps=3, timeline=TIMELINE),),
)
OLD = {
    "tensorcopy": "capture",
    "format": 1,
    "command": ["a.py"],
    "steps": 1,
    "rank": 0,
    "ended": "normally",
    "findings": [],
    "copies": [
        {
            "operation": "clone",
            "phase": "forward",
            "place": {"file": "a.py", "line": 1, "function": "", "code": "c", "message": ""},
            "count": 1,
            "bytes": 2,
            "seconds": 0.5,
            "avoidable": "",
        }
    ],
    "limits": [],
    "releases": {},
}


def as_file(folder: Path, data: Any) -> Path:
    path = folder / "x.capture"
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def test_a_capture_survives_its_file(tmp_path: Path) -> None:
    assert read(as_file(tmp_path, written(CAPTURE))) == CAPTURE


def test_a_capture_of_the_first_format_is_read(tmp_path: Path) -> None:
    copy = CopyLine(
        operation="clone",
        phase="forward",
        place=Spot(file="a.py", line=1, code="c"),
        count=1,
        bytes=2,
        seconds=0.5,
    )

    assert read(as_file(tmp_path, OLD)) == Capture(command=("a.py",), steps=1, copies=(copy,))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "Expecting property name"),
        ("", "it is not a capture"),
        ("[1, 2]", "it is not a capture"),
        ("{}", "it is not a capture"),
        ("[" * 100_000, "nested too deeply"),
        ('{"tensorcopy": "capture", "format": 99}', "its format is '99', and this release reads 1 and 2"),
        (f'{{"tensorcopy": "capture", "format": {FORMAT}}}', "it is damaged: the whole lacks command"),
    ],
)
def test_what_is_no_capture_is_refused_with_the_reason(text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(BadArgumentError, match=why):
        read(as_file(tmp_path, text))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"steps": "3"}, "steps is str, not int"),
        ({"steps": True}, "steps is bool, not int"),
        ({"steps": -1}, "steps is -1, which is no count"),
        ({"steps": 10**30}, "steps is 10000000000000000000, which is no count"),
        ({"command": "a.py"}, "command is str, not list"),
        ({"limits": [1]}, r"limits\[0\] is int, not str"),
        ({"releases": {"torch": 2}}, "releases.torch is int"),
        ({"findings": [{}]}, r"findings\[0\] lacks code"),
        ({"timeline": {"seconds": float("inf")}}, "timeline.seconds is inf"),
        ({"timeline": {"seconds": float("nan")}}, "timeline.seconds is nan"),
        ({"steps": 10**400}, "steps is 10000000000000000000, which"),
        ({"timeline": {"events": {"at": [1]}}}, "the columns of the events differ in length"),
        (
            {"timeline": {"events": {"at": [1], "took": [1], "bytes": [1], "line": [9], "thread": [1]}}},
            "an event belongs to no copy",
        ),
    ],
)
def test_a_damaged_capture_is_refused_with_the_place(change: dict[str, Any], why: str, tmp_path: Path) -> None:
    data = {**json.loads(written(CAPTURE)), **change}

    with pytest.raises(BadArgumentError, match=f"it is damaged: {why}"):
        read(as_file(tmp_path, data))


def test_bytes_outside_of_the_memory_of_a_finding_are_refused(tmp_path: Path) -> None:
    text = written(CAPTURE).replace('"hi":8', '"hi":9')

    with pytest.raises(BadArgumentError, match="a part lies outside of 8 bytes"):
        read(as_file(tmp_path, text))


def test_a_file_larger_than_any_capture_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "huge.capture"
    with path.open("wb") as file:
        file.truncate(1 << 40)

    with pytest.raises(BadArgumentError, match="it has 1,099,511,627,776 bytes, and no capture has more"):
        read(path)


@pytest.mark.parametrize("path", ["missing", "."])
def test_a_path_that_is_no_file_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(BadArgumentError, match="cannot read the capture"):
        read(tmp_path / path)


@given(at=st.integers(0, len(written(CAPTURE)) - 2), junk=st.binary(max_size=3))
def test_damage_anywhere_is_read_or_refused_but_raises_nothing_else(
    at: int, junk: bytes, tmp_path_factory: Any
) -> None:
    path = tmp_path_factory.mktemp("damage") / "x.capture"
    text = written(CAPTURE).encode()
    path.write_bytes(text[:at] + junk + text[at + 1 :])

    with suppress(BadArgumentError):
        assert isinstance(read(path), Capture)


def test_a_capture_of_one_process_says_which_that_was() -> None:
    (process,) = replace(CAPTURE, merged=()).processes

    assert process == Process(role="rank 1", rank=1, pid=12, ended="with ValueError", steps=3, timeline=TIMELINE)


@pytest.mark.parametrize(
    ("role", "rank", "label"),
    [
        ("main", 0, "main"),
        ("rank 1", 1, "rank 1"),
        ("worker 0", 0, "worker 0"),
        ("worker 0", 2, "worker 0 of rank 2"),
    ],
)
def test_a_process_is_named_by_its_role_and_rank(role: str, rank: int, label: str) -> None:
    assert Process(role=role, rank=rank, pid=1, ended="normally", steps=0).label == label
