"""A recording steps aside for compiled code: same results, same graphs, nothing compiled again because of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import tensorcopy
from tensorcopy.tracing.captures.capture import read

PROGRAM = """
import sys
import torch
from torch import nn
from torch._dynamo.utils import counters

def train(backend):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 1))

    class Scaled(nn.Module):
        def forward(self, x):
            return net(x.clone() * torch.tensor([1.0, 2.0, 3.0, 4.0]) + torch.as_tensor(2.0))

    @torch.compile(backend=backend)
    def mixed(x):
        y = x.data * 2
        print("between two graphs", end=" ")
        return y.reshape(-1).t().contiguous() + x.detach().numpy().sum()

    model = torch.compile(Scaled(), backend=backend)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for i in range(4):
        loss = model(torch.full((3, 4), float(i))).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item(), mixed(torch.ones(3)).sum().item())

for backend in sys.argv[1:]:
    train(backend)
print({name: dict(counts) for name, counts in counters.items() if name in ("frames", "stats", "recompiles")})
print(len(counters["graph_break"]), counters["stats"]["unique_graphs"])
"""

BEFORE = """
import torch
import tensorcopy as tc
from torch._dynamo.utils import counters

@torch.compile(backend="eager")
def f(x):
    return torch.tensor([1.0]) + x.clone().numpy().sum()

first, compiled = f(torch.ones(3)), dict(counters["frames"])
with tc.trace() as traced:
    second = f(torch.ones(3))
    y = torch.ones(2).clone()
third = f(torch.ones(3))
assert first.item() == second.item() == third.item() == 4.0
assert dict(counters["frames"]) == compiled, counters
assert [c.bytes for c in traced.capture.copies] == [8], traced.capture.copies
"""

WITHOUT = """
import sys
import torch
import tensorcopy as tc
before = "torch._dynamo" in sys.modules
with tc.trace():
    torch.ones(2).clone()
assert ("torch._dynamo" in sys.modules) is before
assert not any("tensorcopy" in type(finder).__module__ for finder in sys.meta_path)
"""


def ran(folder: Path, code: str, *command: str) -> str:
    (folder / "program.py").write_text(code)
    env = os.environ | {"PYTHONPATH": str(Path(tensorcopy.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_compiled_program_gives_the_same_values_of_the_same_graphs(tmp_path: Path) -> None:
    alone = ran(tmp_path, PROGRAM, "program.py", "eager", "aot_eager")
    traced = ran(tmp_path, PROGRAM, "-m", "tensorcopy", "run", "program.py", "eager", "aot_eager")
    capture = read(tmp_path / "tensorcopy.capture")

    assert traced == alone
    assert (capture.ended, capture.steps, capture.findings) == ("normally", 8, ())
    assert [limit.partition(":")[0] for limit in capture.limits] == ["compiled code was not looked into"]


def test_what_was_compiled_before_a_recording_is_not_compiled_again(tmp_path: Path) -> None:
    ran(tmp_path, BEFORE, "program.py")


def test_the_compiler_is_not_loaded_for_a_program_that_does_without(tmp_path: Path) -> None:
    ran(tmp_path, WITHOUT, "program.py")
