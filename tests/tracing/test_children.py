"""Processes that a recorded program starts record themselves, and hand their captures over."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import tensorcopy
from tensorcopy.tracing.captures.capture import UNFINISHED, Capture, CopyLine, Spot, read
from tensorcopy.tracing.processes.children import Children
from tensorcopy.tracing.session import Session
from tests.tracing.programs import traced

COPY = CopyLine(operation="clone", phase="data", place=Spot(file="x.py", line=1), count=1, bytes=8, seconds=0.0)

LOADING = """
import multiprocessing, sys
import torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return torch.ones(3).clone()

if __name__ == "__main__":
    method, persistent = sys.argv[1:]
    loader = DataLoader(Rows(), batch_size=2, num_workers=2, multiprocessing_context=method,
                        persistent_workers=persistent == "True")
    for epoch in range(2):
        print(sum(batch.sum().item() for batch in loader))
"""


def ran(code: str, folder: Path, *arguments: str) -> tuple[Capture, subprocess.CompletedProcess[str]]:
    """The capture of a program in a process of its own, and what it printed."""
    (folder / "program.py").write_text(code)
    command = [sys.executable, "-m", "tensorcopy", "run", "program.py", *arguments]
    env = os.environ | {"PYTHONPATH": str(Path(tensorcopy.__file__).parents[1])}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120)
    return read(folder / "tensorcopy.capture"), done


@pytest.mark.parametrize(
    ("method", "persistent"),
    [("fork", False), ("fork", True), ("spawn", True), ("forkserver", False)],
)
def test_copies_in_the_workers_of_a_loader_are_counted(method: str, persistent: bool, tmp_path: Path) -> None:
    capture, done = ran(LOADING, tmp_path, method, str(persistent))

    (clones,) = [c for c in capture.copies if c.operation == "clone"]
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (0, "12.0\n12.0\n", 1)
    assert (clones.count, clones.phase, clones.place.line) == (8, "data", 10)
    # The workers collate into memory that is shared already, by torch.stack(..., out=...).
    assert sum(c.count for c in capture.copies if c.kind == "stack") == 4
    assert [p.label for p in capture.processes] == ["main", "worker 0", "worker 1"]
    assert (capture.findings, capture.limits, capture.ended) == ((), (), "normally")


ENDINGS = """
import multiprocessing, os, signal, time
import torch

def work(n):
    torch.ones(n).clone()

def die(n):
    torch.ones(n).clone()
    os.kill(os.getpid(), signal.SIGKILL)

def fail(n):
    torch.ones(n).clone()
    raise ValueError("mine")

def sleep(n):
    torch.ones(n).clone()
    started.set()
    time.sleep(1000)

def keep(n):
    mean, history = torch.zeros(n), []
    for _ in range(3):
        mean += 1
        history.append(mean.numpy())
    assert sum(h.sum() for h in history) == 9 * n

if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    keep(2)
    with context.Pool(2) as pool:
        pool.map(work, range(6))
    for target in (die, fail, keep):
        process = context.Process(target=target, args=(5,), name=target.__name__)
        process.start()
        process.join()
        print(target.__name__, process.exitcode)
    started = context.Event()
    context.Process(target=sleep, args=(5,), name="sleep", daemon=True).start()
    started.wait()
"""


def test_processes_that_are_killed_fail_or_hang_leave_what_they_recorded(tmp_path: Path) -> None:
    capture, done = ran(ENDINGS, tmp_path)

    lines = {c.place.line: c.count for c in capture.copies if c.operation == "clone"}
    endings = {p.label: p.ended for p in capture.processes if not p.label.startswith("worker ForkPool")}
    assert (done.returncode, done.stdout) == (0, "die -9\nfail 1\nkeep 0\n")
    assert lines == {6: 6, 9: 1, 13: 1, 17: 1}
    # One that still runs is asked for its record, and not waited for if the machine is too busy to answer in time.
    assert endings.pop("worker sleep") in ("normally", UNFINISHED)
    assert endings == {
        "main": "normally",
        "worker die": UNFINISHED,
        "worker fail": "with ValueError",
        "worker keep": "normally",
    }


def test_a_finding_of_a_child_is_told_beside_that_of_its_parent_not_twice(tmp_path: Path) -> None:
    capture, _ = ran(ENDINGS, tmp_path)

    (finding,) = capture.findings
    alone = ran(ENDINGS.replace("(die, fail, keep)", "(die, fail)"), tmp_path)[0].findings[0]
    assert (finding.name, finding.place.line, finding.count) == ("changing-snapshot", 25, 2 * alone.count)


def test_nothing_is_left_in_the_folder_for_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Workers hand tensors over through sockets there, whose path may take about 100 bytes: that of the test is longer.
    with tempfile.TemporaryDirectory(prefix="t") as scratch:
        monkeypatch.setenv("TMPDIR", scratch)
        capture, _ = ran(LOADING, tmp_path, "fork", "False")
        left = [name for name in os.listdir(scratch) if name.startswith("tensorcopy")]

    assert len(capture.processes) == 3
    assert left == []


FORKING = """
import os, sys
import torch
torch.ones(2).clone()
child = os.fork()
if child == 0:
    torch.ones(5).clone()
    if sys.argv[1] == "os._exit":
        os._exit(3)
    if sys.argv[1] == "sys.exit":
        sys.exit(3)
    if sys.argv[1] == "an error":
        raise ValueError("no")
else:
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize(("way", "status"), [("os._exit", 3), ("sys.exit", 3), ("an error", 1), ("its end", 0)])
def test_a_process_made_by_os_fork_is_recorded_however_it_ends(way: str, status: int, tmp_path: Path) -> None:
    capture, done = ran(FORKING, tmp_path, way)

    assert (done.returncode, done.stdout) == (0, f"{status}\n")
    assert sorted((c.place.line, c.count) for c in capture.copies) == [(4, 1), (7, 1)]
    assert [p.label for p in capture.processes] == ["main", "worker of os.fork"]
    assert capture.limits == ()


EXECUTORS = """
import concurrent.futures, multiprocessing, sys
import torch

def work(n):
    return torch.ones(n).clone().sum().item()

if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(sys.argv[1])) as pool:
        print(sum(pool.map(work, range(6))))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        print(sum(pool.map(work, range(6))))
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_executors_of_processes_and_threads_are_recorded_at_one_line(method: str, tmp_path: Path) -> None:
    capture, done = ran(EXECUTORS, tmp_path, method)

    assert (done.returncode, done.stdout) == (0, "15.0\n15.0\n")
    assert [(c.place.line, c.count, c.bytes) for c in capture.copies] == [(6, 12, 120)]
    assert capture.limits == ()


def test_a_python_that_the_program_starts_as_a_command_is_not_recorded_and_the_report_says_so(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys\nfor _ in range(3):\n"
        "    subprocess.run([sys.executable, '-c', 'print(1)'], check=True)\n"
        "subprocess.run(['true'], check=True)\n"
    )
    capture, done = ran(code, tmp_path)

    assert (done.returncode, done.stdout) == (0, "1\n1\n1\n")
    assert capture.limits == (
        "Python was started as a command at program.py:3, and is not recorded: put `tensorcopy run` in there",
    )


def test_processes_of_one_name_are_one_and_names_without_end_are_summed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensorcopy.tracing.processes.children._MOST_ROLES", 1)
    children = Children(Session())
    for role in ("worker 0", "worker 0", "worker 1", "worker 2"):
        children.add(Capture(command=("x",), role=role, copies=(COPY,)))

    assert {role: c.copies[0].count for role, c in children.gathered.items()} == {
        "worker 0": 2,
        "workers beyond these": 2,
    }


def test_a_process_that_cannot_be_recorded_runs_all_the_same_and_the_report_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(session: Session, folder: str) -> bool:
        raise OSError("no room")

    monkeypatch.setattr("tensorcopy.tracing.recording.take_over", broken)
    code = "import multiprocessing\np = multiprocessing.get_context('fork').Process(target=torch.ones, args=(2,))\n"
    capture = traced(code + "p.start()\np.join()\nassert p.exitcode == 0\n", tmp_path)

    assert (capture.ended, capture.limits) == ("normally", ("a process could not be recorded: OSError: no room",))
