"""Tensors copied through the constructor for numbers."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, lines_of, marked_lines, mended

CODE = "TCY202"
FOUND = cases(
    """
--- what a loader collates
import torch
from torch.utils.data import DataLoader
def train(net, data):
    for step, (x, y) in enumerate(DataLoader(data, batch_size=4)):
        target = torch.tensor(y, dtype=torch.long)  # here
        net(x, target)
--- an entry of what a loader collates
import torch
def train(net, data):
    loader = torch.utils.data.DataLoader(data, shuffle=True)
    for batch in loader:
        net(torch.tensor(batch["x"]))  # here
--- of a tensor
import torch
x = torch.ones(3)
y = torch.tensor(x)  # here
--- with a dtype
import torch
def energy(coord):
    return torch.tensor(coord, dtype=torch.float64).sum()  # here
energy(torch.ones(3))
--- annotated
import torch
def double(x: torch.Tensor) -> torch.Tensor:
    return torch.tensor(x) * 2  # here
--- new_tensor
import torch
x = torch.ones(3)
y = x.new_tensor(x * 2)  # here
--- new_tensor of itself
def copied(x):
    return x.new_tensor(x)  # here
--- on the graph, moved
import torch
net = torch.nn.Linear(2, 2)
def step(x, device):
    out = net(x)
    return torch.tensor(out).to(device) + 1  # here
--- twice
import torch
def steps(n):
    t = torch.tensor(n / 2)
    return torch.tensor(t, dtype=torch.float32).repeat(4)  # here
--- imported
from torch import tensor, zeros
both = tensor(zeros(2)) + 1  # here
--- converted before
import torch
import numpy as np
def f(a: np.ndarray):
    t = torch.from_numpy(a)
    return torch.tensor(t, dtype=torch.float32)  # here
"""
)
SILENT = cases(
    """
--- what a function of the program collates, and what comes from elsewhere
import torch
from torch.utils.data import DataLoader
def train(net, data, collate, loader):
    for x, y in DataLoader(data, collate_fn=collate):
        net(x, torch.tensor(y))
    for x, y in loader:
        net(x, torch.tensor(y), torch.as_tensor(x))
    for x, y in DataLoader(data):
        net(torch.as_tensor(x), y.to("cpu"))
--- what a file gives
import torch
class A(torch.nn.Module):
    def update(self, statistics):
        self.mean.data = torch.tensor(statistics["mean"])
    def start(self, path):
        self.update(torch.load(path))
--- guarded by isinstance
import torch
def f(x):
    if isinstance(x, torch.Tensor):
        return x
    return torch.tensor(x)
f(torch.ones(2))
--- guarded by is_tensor
import torch
def f(x):
    if not torch.is_tensor(x):
        x = torch.tensor(x)
    return x
f(torch.ones(2))
--- guarded in an expression
import torch
def f(x: torch.Tensor):
    return x if isinstance(x, torch.Tensor) else torch.tensor(x)
--- guarded by a name
import numpy as np
import torch
def f(x):
    is_array = isinstance(x, np.ndarray)
    if is_array:
        x = torch.tensor(x)
    return x
f(torch.ones(2))
--- guarded by another class
import torch
def f(size: torch.Tensor):
    if isinstance(size, torch.Size):
        size = torch.tensor(size)
    return size
--- arrays and tensors by a flag
import torch
class Model:
    def gradient(self, utility, as_array=False):
        if as_array:
            utility = torch.tensor(utility)
        return utility * 2
    def run(self):
        return self.gradient(torch.ones(2))
--- numbers
import torch
x = torch.ones(3)
torch.tensor(x.item() if x.numel() == 1 else x.tolist())
torch.tensor(x.sum().item())
torch.tensor(x.shape)
--- only logged
import torch
class Meter:
    def __init__(self):
        self.values = []
    def log(self, value):
        self.values.append(torch.tensor(value, dtype=torch.float))
net, meter = torch.nn.Linear(1, 1), Meter()
loss = net(torch.ones(2, 1)).mean()
meter.log(loss)
loss.backward()
--- an annotation that callers do not keep
import torch
def _scaled(x: torch.Tensor, mean: torch.Tensor):
    return x - torch.tensor(mean)
def run(x, config):
    return _scaled(x, config.mean)
--- unknown
import torch
def f(x):
    return torch.tensor(x)
--- an array
import numpy as np
import torch
torch.tensor(np.zeros(3))
--- what a loader hands on as it comes
import torch
from torch.utils.data import DataLoader
def train(net, rows):
    for batch in DataLoader(rows, batch_size=None):
        net(torch.tensor(batch["target"]))
--- a storage
import torch
def f(x: torch.Tensor):
    return torch.tensor(x.untyped_storage())
"""
)


@pytest.mark.parametrize("program", FOUND.values(), ids=FOUND)
def test_a_tensor_of_a_tensor_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_a_tensor_of_anything_else_is_fine(program: str) -> None:
    assert lines_of(CODE, program) == []


def test_the_fix_is_safe_where_the_clone_is_the_same() -> None:
    assert mended("import torch\nx = torch.ones(3)\ny = torch.tensor(x)\n", CODE).endswith("y = x.detach().clone()\n")


def test_a_value_on_the_graph_is_left_to_its_author() -> None:
    program = "import torch\nx = torch.ones(3, requires_grad=True) * 2\ny = torch.tensor(x)\n"

    assert lines_of(CODE, program) == [3]
    assert mended(program, CODE) == program
