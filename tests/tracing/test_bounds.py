"""The memory of a recording and the size of its capture do not grow with the number of steps."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import tensorcopy

STEPS = 1500
PROGRAM = """
import gc, json, resource, sys
import numpy as np
import torch
from tensorcopy.tracing import recording

torch.manual_seed(0)
torch.set_num_threads(1)
net = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
memory = []

def step(i):
    rows = np.full((2, 4), i % 7, np.float32)
    x = torch.from_numpy(rows).clone()
    memory.append(x.numpy().copy())
    del memory[:-10]
    loss = net(x.double().float()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()

def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

def entries(session):
    tables = [session.findings._found, session.saving.alive, session.saving.writes, session.saving.lines]
    tables += [session.copies.tallies, session.copies.pending, session.memory.births, session.memory.blocks]
    tables += [session.gradients.carried, session.gradients.leaves, session.gradients.cuts, session.returns.seen]
    return [len(table) for table in tables]

steps, session = int(sys.argv[1]), recording._UNDER_WAY[-1]
marks = {}
for i in range(steps):
    step(i)
    if i + 1 in (steps // 10, steps):
        marks[i + 1] = (resident(), entries(session))
with open("marks.json", "w") as file:
    json.dump(marks, file)
"""


def ran(folder: Path, steps: int, followed: int) -> tuple[list[tuple[int, list[int]]], int]:
    """Resident bytes and entries of the tables after a tenth of the steps and after all; the size of the capture."""
    (folder / "program.py").write_text(PROGRAM)
    env = os.environ | {"PYTHONPATH": str(Path(tensorcopy.__file__).parents[1])}
    command = [sys.executable, "-m", "tensorcopy", "run", "--steps", str(followed), "program.py", str(steps)]
    subprocess.run(command, cwd=folder, env=env, capture_output=True, timeout=3600, check=True)
    marks = json.loads((folder / "marks.json").read_text())
    return [tuple(mark) for mark in marks.values()], (folder / "tensorcopy.capture").stat().st_size


def test_a_recording_in_full_keeps_no_more_after_ten_times_as_many_steps(tmp_path: Path) -> None:
    ((early, few), (late, many)), size = ran(tmp_path, STEPS, STEPS)

    assert max(b - a for a, b in zip(few, many, strict=True)) <= 20, (few, many)
    assert late - early < 16 << 20
    assert size < 1 << 20


if __name__ == "__main__":
    import tempfile

    for followed in (3, int(sys.argv[2])):
        with tempfile.TemporaryDirectory() as folder:
            print(followed, *ran(Path(folder), int(sys.argv[1]), followed))
