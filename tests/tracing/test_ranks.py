"""Each rank of a distributed program writes a capture of its own, and they are shown as one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import tensorcopy
from tensorcopy.tracing.captures.merging import read_all
from tensorcopy.tracing.processes.launching import files_of_ranks, is_launcher, own_file, traced

TRAINING = """
import sys
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
net = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1)))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
losses = []
for step in range(3):
    x = torch.rand(6, 4, generator=torch.Generator().manual_seed(rank + step))
    loss = net(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
if rank == 1:
    mean, history = torch.zeros(2), []
    for _ in range(3):
        mean += 1
        history.append(mean.numpy())
    losses.append(float(sum(h.sum() for h in history)))
with open(f"{sys.argv[1]}.{rank}", "w") as file:
    print(losses, file=file)
dist.destroy_process_group()
"""
# The ranks talk over the loopback interface: a name of the machine that no server knows, or one that leads elsewhere,
# stops the launcher itself.
LAUNCH = ["-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone", "--local-addr", "127.0.0.1"]
LOOPBACK = next(name for _, name in socket.if_nameindex() if name.startswith("lo"))
RUN = ["-m", "tensorcopy", "run"]


def launched(folder: Path, *command: str) -> tuple[list[str], str]:
    """The losses of both ranks, and what went to the terminal."""
    (folder / "train.py").write_text(TRAINING)
    env = os.environ | {
        "PYTHONPATH": str(Path(tensorcopy.__file__).parents[1]),
        "OMP_NUM_THREADS": "1",
        "GLOO_SOCKET_IFNAME": LOOPBACK,
    }
    done = subprocess.run([sys.executable, *command], cwd=folder, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return [(folder / f"{command[-1]}.{rank}").read_text() for rank in (0, 1)], done.stderr


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The losses without tensorcopy. A machine on which torch's own launcher fails can't try the rest."""
    try:
        return launched(tmp_path_factory.mktemp("alone"), *LAUNCH, "train.py", "plain")[0]
    except (AssertionError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"torch.distributed.run fails here without tensorcopy: {str(error)[-500:]}")


def test_ranks_are_recorded_where_the_launcher_is_run(tmp_path: Path, alone: list[str]) -> None:
    (tmp_path / "tensorcopy.capture").write_text("of an earlier run, of one process")
    losses, told = launched(tmp_path, *RUN, *LAUNCH, "train.py", "over")

    _shows_both_ranks(tmp_path)
    assert losses == alone
    assert told.count("TCY601") == told.count("tensorcopy view") == 1


def test_ranks_are_recorded_where_the_launcher_runs_the_recording(tmp_path: Path, alone: list[str]) -> None:
    for earlier in ("tensorcopy.rank7.capture", "tensorcopy.capture"):
        (tmp_path / earlier).write_text("of an earlier run")
    losses, told = launched(tmp_path, *LAUNCH, *RUN, "train.py", "under")

    _shows_both_ranks(tmp_path)
    assert losses == alone
    assert told.count("tensorcopy view") == 2


def _shows_both_ranks(folder: Path) -> None:
    capture = read_all([folder / "tensorcopy.capture"])
    (finding,) = capture.findings
    assert [p.label for p in capture.processes] == ["rank 0", "rank 1"]
    assert (capture.steps, capture.ended, capture.limits) == (3, "normally", ())
    assert (finding.name, finding.place.line, finding.only) == ("changing-snapshot", 24, ("rank 1",))


OPTIONS = ["--nproc-per-node", "2"]


@pytest.mark.parametrize(
    ("given", "made"),
    [
        (["train.py", "--lr", "1"], ["-m", "tensorcopy", "run", "--quiet", "train.py", "--lr", "1"]),
        (["-m", "pack.train", "x"], ["-m", "tensorcopy", "run", "--quiet", "-m", "pack.train", "x"]),
        (["--no-python", "bash", "x"], ["--no-python", "bash", "x"]),
    ],
)
def test_the_program_of_a_launcher_becomes_a_recorded_one(given: list[str], made: list[str]) -> None:
    assert traced([*OPTIONS, *given], ["--quiet"]) == [*OPTIONS, *made]


@pytest.mark.parametrize(
    ("module", "script", "launches"),
    [
        ("torch.distributed.run", None, True),
        ("", "/usr/bin/torchrun", True),
        ("package.train", None, False),
        ("", "train.py", False),
    ],
)
def test_the_launcher_is_known_as_module_and_as_command(module: str, script: str | None, launches: bool) -> None:
    assert is_launcher(module, script) is launches


def test_without_ranks_the_file_is_the_one_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "3")
    monkeypatch.setenv("WORLD_SIZE", "1")
    assert own_file(tmp_path / "x.capture") == tmp_path / "x.capture"

    monkeypatch.setenv("WORLD_SIZE", "12")
    assert own_file(tmp_path / "x.capture") == tmp_path / "x.rank3.capture"


def test_captures_of_ranks_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for name in ("x.rank10.capture", "x.rank9.capture", "x.rankings.capture", "y.rank0.capture"):
        (tmp_path / name).touch()

    assert [file.name for file in files_of_ranks(tmp_path / "x.capture")] == ["x.rank9.capture", "x.rank10.capture"]
