"""Captures of several processes become one, which says what only some of them have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tensorcopy.errors import BadArgumentError
from tensorcopy.tracing.captures.capture import Capture, CopyLine, Events, Finding, Spot, Timeline, written
from tensorcopy.tracing.captures.merging import merged, read_all


def copied(line: int, size: int) -> CopyLine:
    place = Spot(file="a.py", line=line)
    return CopyLine(operation="clone", phase="forward", place=place, count=1, bytes=size, seconds=0.5)


def found(line: int, *, level: str = "error", names: tuple[str, ...] = ()) -> Finding:
    place = Spot(file="a.py", line=line)
    return Finding(code="TCY601", name="n", level=level, message="m", place=place, seconds=float(line), names=names)


def on(rank: int, *, role: str = "", copies: tuple[CopyLine, ...] = (), findings: tuple[Finding, ...] = ()) -> Capture:
    events = Events(at=(1,) * len(copies), took=(1,) * len(copies), bytes=(1,) * len(copies),
                    line=tuple(range(len(copies))), thread=(1,) * len(copies))  # fmt: skip
    return Capture(
        command=("a.py",),
        steps=rank + 1,
        rank=rank,
        role=role or f"rank {rank}",
        pid=100 + rank,
        copies=copies,
        findings=findings,
        timeline=Timeline(events=events),
    )


def test_a_single_capture_stays_as_it_is() -> None:
    one = on(0, copies=(copied(1, 1),))

    assert merged([one]) is one


def test_copies_of_one_line_are_summed_and_events_follow_them() -> None:
    both = merged([on(0, copies=(copied(1, 5), copied(2, 4))), on(1, copies=(copied(2, 4),))])

    assert both.copies == (replace(copied(2, 8), count=2, seconds=1.0), copied(1, 5))
    assert [p.timeline.events.line for p in both.merged] == [(1, 0), (0,)]
    assert (both.steps, [p.label for p in both.merged]) == (2, ["rank 0", "rank 1"])


def test_a_finding_of_every_rank_is_told_once() -> None:
    both = merged([on(0, findings=(found(1, names=("a",)),)), on(1, findings=(found(1, names=("b",)),))])

    assert both.findings == (replace(found(1, names=("a", "b")), count=2),)


def test_a_finding_that_one_rank_has_is_marked() -> None:
    both = merged([on(0), on(1, findings=(found(1),))])

    assert both.findings == (replace(found(1), only=("rank 1",)),)


def test_the_mark_stays_when_merged_captures_are_merged_again() -> None:
    both = merged([merged([on(0), on(1, findings=(found(1),))]), on(2)])

    assert both.findings == (replace(found(1), only=("rank 1",)),)


def test_a_finding_in_a_worker_is_marked_and_one_that_its_rank_has_too_is_not() -> None:
    main, worker = on(0, role="main", findings=(found(1),)), on(0, role="worker 0", findings=(found(1), found(2)))

    assert [(f.place.line, f.only) for f in merged([worker, main]).findings] == [(1, ()), (2, ("worker 0",))]
    assert merged([worker, main]).role == "main"


def test_errors_come_before_warnings() -> None:
    both = merged([on(0, findings=(found(1, level="warning"),)), on(1, findings=(found(2),))])

    assert [f.level for f in both.findings] == ["error", "warning"]


def test_the_end_of_the_odd_one_out_is_told() -> None:
    assert merged([on(0), replace(on(1), ended="with ValueError")]).ended == "rank 1: with ValueError"
    assert merged([on(0), on(1)]).ended == "normally"


def test_the_captures_of_a_folder_are_merged(tmp_path: Path) -> None:
    for rank in range(2):
        (tmp_path / f"{rank}.capture").write_text(written(on(rank, copies=(copied(1, 1),))))
    (tmp_path / "other.txt").write_text("x")

    assert read_all([tmp_path]) == merged([on(0, copies=(copied(1, 1),)), on(1, copies=(copied(1, 1),))])


def test_a_folder_without_captures_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadArgumentError, match="no capture in the folder"):
        read_all([tmp_path])
