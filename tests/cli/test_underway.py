"""A program that runs for long has its findings told now and then, in lines of their own, and only to a terminal."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import tensorcopy
from tensorcopy.cli.underway import UnderWay, line_about
from tensorcopy.tracing.captures.capture import Capture, CopyLine, Finding, Spot

PLACE = Spot(file="/home/someone/train.py", line=31)
COPY = CopyLine(operation="clone", phase="forward", place=PLACE, count=1200, bytes=3_200_000_000, seconds=1.0)


def found(number: int, name: str = "changing-snapshot", level: str = "error") -> Finding:
    place = Spot(file="/home/someone/train.py", line=number)
    return Finding(code="TCY601", name=name, level=level, message="m", place=place, seconds=float(number))


def capture(findings: int = 0, rank: int = 0) -> Capture:
    return Capture(command=("x",), steps=4100, copies=(COPY,), findings=tuple(map(found, range(findings))), rank=rank)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def told_at(times: list[tuple[float, int]], rank: int = 0) -> list[float]:
    """At which of the times, given with how much is found by then, a line was written."""
    clock, told = Clock(), []
    stream = io.StringIO()
    under_way = UnderWay(stream, clock)
    for now, findings in times:
        clock.now = now
        before = stream.tell()
        under_way(capture(findings, rank))
        if stream.tell() > before:
            told.append(now)
    return told


def test_lines_come_ever_more_seldom() -> None:
    assert told_at([(float(now), 0) for now in range(0, 1500, 3)]) == [12, 33, 75, 156, 318, 618, 918, 1218]


def test_what_is_new_is_told_after_ten_seconds() -> None:
    assert told_at([(float(now), now // 50) for now in range(0, 130, 3)]) == [12, 33, 51, 102]


def test_only_the_first_rank_tells() -> None:
    assert told_at([(100.0, 5)], rank=1) == []


@pytest.mark.parametrize(
    ("seconds", "findings", "line"),
    [
        (
            12.3,
            (),
            "tensorcopy, so far: 12 s, 4,100 steps, 3.20 GB in 1,200 copies, 0 errors, 0 warnings",
        ),
        (
            80.0,
            (found(31), found(7, "avoidable-copy", "warning")),
            "tensorcopy, so far: 1 min 20 s, 4,100 steps, 3.20 GB in 1,200 copies, 1 error, 1 warning, "
            "the newest changing-snapshot at train.py:31",
        ),
        (
            7500.0,
            (),
            "tensorcopy, so far: 2 h 05 min, 4,100 steps, 3.20 GB in 1,200 copies, 0 errors, 0 warnings",
        ),
    ],
)
def test_a_line_tells_time_steps_copies_and_the_newest_finding(
    seconds: float, findings: tuple[Finding, ...], line: str
) -> None:
    assert line_about(Capture(command=("x",), steps=4100, copies=(COPY,), findings=findings), seconds) == line


def test_a_name_of_a_file_cannot_act_on_the_terminal() -> None:
    place = Spot(file="a\x1b[2J.py", line=1)
    finding = Finding(code="C", name="n", level="error", message="m", place=place)

    assert "\x1b" not in line_about(Capture(command=("x",), findings=(finding,)), 1.0)


def test_bars_of_tqdm_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[tuple[str, Any]] = []
    bars = SimpleNamespace(_instances=[1], write=lambda line, file: written.append((line, file)))
    module = ModuleType("tqdm")
    module.tqdm = bars  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tqdm", module)
    clock, stream = Clock(), io.StringIO()
    under_way = UnderWay(stream, clock)
    clock.now = 60.0
    under_way(capture())

    ((line, file),) = written
    assert (line.startswith("tensorcopy, so far: 1 min 00 s, "), file is stream, stream.getvalue()) == (True, True, "")


def test_a_closed_stream_ends_nothing() -> None:
    clock, stream = Clock(), io.StringIO()
    under_way = UnderWay(stream, clock)
    stream.close()
    clock.now = 60.0

    under_way(capture())


PROGRAM = """
import torch
for n in range(30):
    x = torch.ones(10).clone()
print("done")
"""
# Everything is due at once, so that nobody has to wait.
DRIVER = """
import sys
import tensorcopy.cli.underway as underway
import tensorcopy.tracing.captures.timeline as timeline
underway._FIRST = 0.0
begin = timeline.Recorder.__init__
def hurried(recorder):
    begin(recorder)
    recorder.pause = 0
timeline.Recorder.__init__ = hurried
from tensorcopy.cli.main import main
sys.exit(main(["run", *sys.argv[1:], "program.py"]))
"""


def run(folder: Path, *options: str, terminal: bool) -> tuple[str, str]:
    """What the program printed, and what came out on the error stream."""
    (folder / "program.py").write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": str(Path(tensorcopy.__path__[0]).parent)}
    command = [sys.executable, "-c", DRIVER, *options]
    if not terminal:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
        return done.stdout, done.stderr
    pty = pytest.importorskip("pty")
    outer, inner = pty.openpty()
    process = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=inner, text=True, timeout=300
    )
    os.close(inner)
    told = os.read(outer, 1 << 16).decode()
    os.close(outer)
    return process.stdout, told


@pytest.mark.parametrize(
    ("options", "terminal", "tells"),
    [
        ((), False, False),
        (("--progress",), False, True),
        ((), True, True),
        (("--no-progress",), True, False),
    ],
)
def test_lines_go_to_terminals_and_to_those_who_ask(
    options: tuple[str, ...], terminal: bool, tells: bool, tmp_path: Path
) -> None:
    printed, told = run(tmp_path, *options, terminal=terminal)

    assert printed == "done\n"
    assert bool(re.search(r"^tensorcopy, so far: \d+ s, 0 steps, [\d.]+ k?B in \d+ cop", told, re.M)) is tells, told
