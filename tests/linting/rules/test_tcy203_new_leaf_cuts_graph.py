"""New leaves where the graph was needed."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, lines_of, marked_lines

CODE = "TCY203"
FOUND = cases(
    """
--- prediction in a loss
import torch
from torch import nn
def loss_fn(pred, target):
    pred = torch.tensor(pred, requires_grad=True)  # here
    return ((pred - target) ** 2).mean()
net = nn.Linear(1, 1)
loss_fn(net(torch.ones(4, 1)), torch.zeros(4, 1)).backward()
--- round trip in a forward
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.dec = nn.Linear(2, 2), nn.Linear(2, 1)
    def forward(self, x):
        h = self.enc(x)
        self.h = torch.tensor(h.detach().numpy(), requires_grad=True)  # here
        return self.dec(self.h)
--- the loss itself
import torch
net = torch.nn.Linear(1, 1)
for x in torch.ones(3, 1):
    loss = net(x).pow(2).mean()
    loss = torch.tensor(loss, requires_grad=True)  # here
    loss.backward()
--- the loss as a number
import torch
net = torch.nn.Linear(1, 1)
def step(x):
    loss = net(x).pow(2).mean().item()
    loss = torch.tensor(loss, requires_grad=True)  # here
    loss.backward()
--- a sum of losses
import torch
net = torch.nn.Linear(1, 1)
def step(xs):
    losses = []
    for x in xs:
        losses.append(net(x).sum().item())
    total = torch.tensor(sum(losses), requires_grad=True)  # here
    total.backward()
--- variable of data
import torch
from torch.autograd import Variable
net = torch.nn.Linear(1, 1)
def step(x):
    loss = net(x).mean()
    loss = Variable(loss.data, requires_grad=True)  # here
    loss.backward()
--- required afterwards
import torch
net = torch.nn.Linear(1, 1)
def step(x, y):
    out = net(x).argmax(1).float()
    loss = (out - y).pow(2).mean()
    loss.requires_grad = True  # here
    loss.backward()
--- required by a method
import torch
net = torch.nn.Linear(1, 1)
def step(x, y):
    loss = (net(x).detach() - y.float()).pow(2).mean()
    loss.requires_grad_(True)  # here
    loss.backward()
--- rebuilt activations
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 1)
    def forward(self, x):
        h = torch.tensor(self.a(x), requires_grad=True)  # here
        return self.b(h)
--- in a list of losses
import torch
net = torch.nn.Linear(1, 1)
def step(xs):
    parts = [net(x).mean() for x in xs]
    loss = torch.tensor(parts, requires_grad=True).sum()
    loss.backward()
"""
)
SILENT = cases(
    """
--- an input
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
x.pow(2).sum().backward()
--- a parameter
import torch
w = torch.tensor(0.5, requires_grad=True)
w.backward()
--- an attack that asks for the gradient of its input
import torch
net = torch.nn.Linear(2, 1)
def attack(x, steps):
    for _ in range(steps):
        x = torch.tensor(x.detach().numpy(), requires_grad=True)
        loss = net(x).sum()
        loss.backward()
        x = x + 0.1 * x.grad.sign()
    return x.detach()
--- penalty
import torch
critic = torch.nn.Linear(2, 1)
def penalty(real, fake):
    mixed = torch.autograd.Variable((real + fake.data) / 2, requires_grad=True)
    out = critic(mixed)
    (grads,) = torch.autograd.grad(out.sum(), mixed, create_graph=True)
    return grads.norm()
--- a loss that needs no rebuilding
import torch
net = torch.nn.Linear(1, 1)
loss = net(torch.ones(1)).mean()
loss.backward()
--- data of no net
import numpy as np
import torch
def leaf(a: np.ndarray):
    return torch.tensor(a, requires_grad=True)
--- steps along the gradient of the leaf itself, through a function that takes outputs and inputs
import torch
def walk(energy, slope, z, rate):
    for _ in range(9):
        z = torch.autograd.Variable(z, requires_grad=True)
        slopes = slope(inputs=z, outputs=energy(z))
        z = z - 0.5 * rate * slopes
    return z
--- truncated in a loop over time
import torch
cell = torch.nn.RNNCell(2, 2)
def unroll(xs, h):
    for x in xs:
        h = torch.autograd.Variable(h.data)
        h = cell(x, h)
    return h
"""
)


@pytest.mark.parametrize("program", FOUND.values(), ids=FOUND)
def test_a_new_leaf_in_the_place_of_a_value_with_a_graph_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_leaves_that_are_meant_are_fine(program: str) -> None:
    assert lines_of(CODE, program) == []
