"""Writes that autograd does not see, under values that it saved."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, lines_of, marked_lines

CODE = "TCY208"
FOUND = cases(
    """
--- result of exp
import torch
x = torch.zeros(2, requires_grad=True)
y = x.exp()
y.data.clamp_(max=0.5)  # here
y.sum().backward()
--- operand of a product
import torch
def step(net, x):
    w = torch.ones(3, requires_grad=True)
    h = w * 2
    loss = (h * w).sum()
    h.data.mul_(0.5)  # here
    loss.backward()
--- through a name
import torch
net = torch.nn.Linear(2, 2)
def step(x):
    h = torch.sigmoid(net(x))
    raw = h.data
    raw[raw < 0.5] = 0.0  # here
    h.sum().backward()
--- through NumPy
import torch
net = torch.nn.Linear(2, 2)
def step(x):
    h = torch.tanh(net(x))
    view = h.detach().numpy()
    view[:] = 0  # here
    h.sum().backward()
--- input of a layer
import torch
first, second = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
def step(x):
    h = first(x)
    out = second(h)
    h.data.zero_()  # here
    out.sum().backward()
--- augmented
import torch
net = torch.nn.Linear(2, 2)
def step(x):
    y = net(x).softmax(-1)
    y.data += 1e-6  # here
    y.log().sum().backward()
"""
)
SILENT = cases(
    """
--- nothing saved
import torch
x = torch.zeros(2, requires_grad=True)
y = x + 1
y.data.clamp_(max=0.5)
y.sum().backward()
--- after backward
import torch
x = torch.zeros(2, requires_grad=True)
y = x.exp()
y.sum().backward()
y.data.zero_()
--- before it is saved
import torch
net = torch.nn.Linear(2, 2)
h = net(torch.ones(2))
h.data.clamp_(min=0)
h.exp().sum().backward()
--- parameters after the step
import torch
net = torch.nn.Linear(2, 1)
for x in torch.ones(3, 2):
    net(x).exp().sum().backward()
    for p in net.parameters():
        p.data.add_(p.grad, alpha=-0.1)
--- a copy
import torch
x = torch.zeros(2, requires_grad=True)
y = x.exp()
shown = y.detach().clone()
shown.clamp_(max=0.5)
y.sum().backward()
--- never back-propagated
import torch
x = torch.zeros(2, requires_grad=True)
y = x.exp()
y.data.zero_()
"""
)


@pytest.mark.parametrize("program", FOUND.values(), ids=FOUND)
def test_a_hidden_write_under_a_saved_value_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_writes_to_what_nobody_saved_are_fine(program: str) -> None:
    assert lines_of(CODE, program) == []
