"""Writes that autograd sees, to values that it saved."""

from __future__ import annotations

import pytest
import torch

from tensorcopy.linting.rules._saving import OPERAND_NEEDED, PRODUCTS, RESULT_NEEDED
from tests.linting.programs import cases, lines_of, marked_lines, printed_by

CODE = "TCY209"
FOUND = cases(
    """
--- slices of a buffer
import torch
def tree(x, y, z, op):
    buf = torch.zeros(5)
    buf[0], buf[1], buf[3] = x, y, z
    buf[2] = op(buf[0], buf[1])  # here
    buf[4] = op(buf[2], buf[3])
    return buf[4]
leaves = [torch.tensor(float(v), requires_grad=True) for v in (1, 2, 3)]
tree(*leaves, op=torch.mul).backward()
--- result of sigmoid
import torch
x = torch.zeros(2, requires_grad=True)
y = torch.sigmoid(x)
y += 1  # here
y.sum().backward()
--- mask in a forward
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(2, 2)
    def forward(self, x):
        h = torch.sigmoid(self.fc(x))
        h[:, 0] = 0  # here
        return h
--- operand of a product
import torch
w = torch.ones(3, requires_grad=True)
h = w + 1
loss = (h * w).sum()
h.add_(1)  # here
loss.backward()
--- residual onto the input of a layer
import torch
import torch.nn as nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 2)
    def forward(self, x):
        h = self.a(x)
        out = self.b(h)
        h += out  # here
        return h
--- residual onto an activation
import torch
import torch.nn.functional as F
net = torch.nn.Linear(2, 2)
def loss(x):
    h = F.relu(net(x))
    h += x  # here
    h.sum().backward()
--- inside no_grad
import torch
x = torch.zeros(2, requires_grad=True)
y = x.exp()
with torch.no_grad():
    y.clamp_(max=0.5)  # here
y.sum().backward()
--- written step by step
import torch
def unroll(w, x):
    states = torch.zeros(5)
    states[0] = x
    for t in range(1, 5):
        states[t] = states[t - 1] * w  # here
    return states
w = torch.ones((), requires_grad=True)
unroll(w, torch.ones(())).sum().backward()
--- detached alias
import torch
x = torch.zeros(2, requires_grad=True)
y = x.exp()
y.detach().clamp_(max=0.5)  # here
y.sum().backward()
"""
)
SILENT = cases(
    """
--- sums save nothing
import torch
x = torch.zeros(2, requires_grad=True)
y = x + 1
y += 1
y.sum().backward()
--- out of place
import torch
x = torch.zeros(2, requires_grad=True)
y = torch.sigmoid(x)
y = y + 1
y.sum().backward()
--- scaled by a number
import torch
w = torch.ones(3, requires_grad=True)
h = w + 1
loss = (h * 2).sum()
h.add_(1)
loss.backward()
--- a fresh copy
import torch
w = torch.ones(3, requires_grad=True)
h = w.exp()
g = h.clone()
g += 1
g.sum().backward()
--- relu in place behind a convolution
import torch
from torch import nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.act = nn.Conv2d(1, 1, 3), nn.ReLU(inplace=True)
    def forward(self, x):
        return self.act(self.conv(x))
--- residual onto a convolution
import torch
from torch import nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.other = nn.Conv2d(1, 1, 1), nn.Conv2d(1, 1, 1)
    def forward(self, x):
        out = self.conv(x)
        out += self.other(x)
        return out
--- after backward
import torch
x = torch.zeros(2, requires_grad=True)
y = x.exp()
y.sum().backward()
with torch.no_grad():
    y.zero_()
--- weights off the graph
import torch
net = torch.nn.Linear(2, 2)
def step(x, mask):
    h = net(x)
    out = h * mask
    out[0] = 0
    out.sum().backward()
--- without grad
import torch
@torch.no_grad()
def ema(x, w):
    h = torch.sigmoid(x)
    h += w
    return h
--- collected in a list
import torch
def unroll(w, x):
    states = [x]
    for t in range(1, 5):
        states.append(states[-1] * w)
    return torch.stack(states)
w = torch.ones((), requires_grad=True)
unroll(w, torch.ones(())).sum().backward()
"""
)


@pytest.mark.parametrize("program", FOUND.values(), ids=FOUND)
def test_a_write_to_a_saved_value_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_writes_to_what_nobody_saved_are_fine(program: str) -> None:
    assert lines_of(CODE, program) == []


@pytest.mark.parametrize("name", [n for n, p in FOUND.items() if "forward" not in p and "def loss" not in p])
def test_what_is_found_raises_in_backward(name: str) -> None:
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        printed_by(FOUND[name])


def saves(function: object, *operands: torch.Tensor) -> tuple[bool, bool]:
    """Whether a function saves its first operand, and its result, as torch does it."""
    saved: list[int] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t.data_ptr()) or t, lambda t: t):
        result = function(*operands)  # type: ignore[operator]
    return operands[0].data_ptr() in saved, result.data_ptr() in saved


def function_named(name: str) -> object:
    return getattr(torch, name, None) or getattr(torch.nn.functional, name)


ARGUMENTS = {"softmax": (0,), "log_softmax": (0,), "pow": (3,), "clamp": (0.1, 0.9)}


@pytest.mark.parametrize("name", sorted(RESULT_NEEDED))
def test_torch_saves_the_result(name: str) -> None:
    x = torch.full((3,), 0.5, requires_grad=True) + 0

    assert saves(lambda t: function_named(name)(t, *ARGUMENTS.get(name, ())), x)[1]  # type: ignore[operator]


@pytest.mark.parametrize("name", sorted(OPERAND_NEEDED))
def test_torch_saves_the_operand(name: str) -> None:
    x = torch.full((3,), 0.5, requires_grad=True) + 0

    assert saves(lambda t: function_named(name)(t, *ARGUMENTS.get(name, ())), x)[0]  # type: ignore[operator]


SHAPES = {
    "dot": ((3,), (3,)),
    "mv": ((3, 3), (3,)),
    "bmm": ((1, 3, 3), (1, 3, 3)),
    "mul": ((3,), (3,)),
    "multiply": ((3,), (3,)),
}
SHAPES |= {f"conv{n}d": ((1, 1) + (3,) * n, (1, 1) + (2,) * n) for n in (1, 2, 3)}


@pytest.mark.parametrize("name", sorted(PRODUCTS))
def test_torch_saves_an_operand_where_the_other_has_a_gradient(name: str) -> None:
    left, right = SHAPES.get(name, ((3, 3), (3, 3)))
    a, b = torch.ones(left), torch.ones(right, requires_grad=True)

    assert saves(function_named(name), a, b)[0]
