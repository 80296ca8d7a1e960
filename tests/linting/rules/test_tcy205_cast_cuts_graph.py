"""Casts to integers inside a differentiable computation."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, lines_of, marked_lines

CODE = "TCY205"
FOUND = cases(
    """
--- quantised and scaled back
import torch
scale = torch.tensor(0.5, requires_grad=True)
def fake_quant(x):
    q = (x / scale).to(torch.int32)  # here
    return q.float() * scale.detach()
out = fake_quant(torch.tensor([1.2, 2.6]))
--- rounded by long
import torch
net = torch.nn.Linear(2, 2)
def rounded(x):
    y = net(x).round().long()  # here
    return y.float().mean()
--- a term of a loss
import torch
net, other = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
x = torch.ones(1, 2)
count = other(x).int().float().mean()  # here
loss = net(x).mean() + count
loss.backward()
--- in a forward
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(2, 2)
    def forward(self, x):
        steps = self.fc(x).to(dtype=torch.int64)  # here
        return steps.to(torch.float32) / 10
--- typed
import torch
w = torch.ones(3, requires_grad=True)
def level(x):
    return (x * w).type(torch.int16).float() / 4  # here
"""
)
SILENT = cases(
    """
--- straight through
import torch
scale = torch.tensor(0.5, requires_grad=True)
def fake_quant(x):
    q = x / scale
    return q + (q.long().float() - q).detach()
--- corner of a cell
import torch
net = torch.nn.Linear(2, 2)
def weights(x):
    at = net(x)
    corner = at.floor().long()
    return at - corner.float()
--- index
import torch
net = torch.nn.Linear(2, 2)
def pick(x, table):
    i = net(x).round().long()
    return table[i]
--- labels
import torch
net = torch.nn.Linear(2, 2)
def accuracy(x, y):
    return (net(x).argmax(-1) == y).float().mean()
--- mask
import torch
net = torch.nn.Linear(2, 2)
def masked(x):
    out = net(x)
    return out * (out > 0).float()
--- image to show
import torch
net = torch.nn.Linear(2, 2)
def image(x):
    return (net(x) * 255).to(torch.uint8)
--- without grad
import torch
net = torch.nn.Linear(2, 2)
@torch.no_grad()
def rounded(x):
    return net(x).round().long().float().mean()
--- integers from the start
import torch
def f(x):
    return torch.arange(3).long().float() * 2
"""
)


@pytest.mark.parametrize("program", FOUND.values(), ids=FOUND)
def test_a_cast_to_integers_and_back_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_indices_masks_and_estimators_are_fine(program: str) -> None:
    assert lines_of(CODE, program) == []
