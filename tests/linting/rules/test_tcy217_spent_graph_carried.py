"""States that carry a spent graph into the next turn."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, codes_in, lines_of, marked_lines

CODE = "TCY217"
WRONG = cases(
    """
--- a library network
import torch
from torch import nn
def train(xs):
    net = nn.LSTM(2, 2)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    state = None
    for x, y in xs:
        opt.zero_grad()
        out, state = net(x, state) # here
        loss = (out - y).pow(2).mean()
        loss.backward()
        opt.step()
--- a network of the program, by keyword
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 8)
    def forward(self, x, hidden=None):
        return self.rnn(x, hidden)
def train(net: Net, xs, loss_of):
    h = torch.zeros(1, 4, 8)
    while xs:
        x = xs.pop()
        out, h = net(x, hidden=h) # here
        flat = out.view(-1, 8)
        loss = loss_of(flat, x)
        loss.backward()
"""
)
RIGHT = cases(
    """
--- detached on the way in, or after the step
import torch
from torch import nn
def train(xs):
    net = nn.GRU(2, 2)
    h = g = torch.zeros(1, 1, 2)
    for x in xs:
        out, h = net(x, h.detach())
        loss = out.sum()
        loss.backward()
    for x in xs:
        out, g = net(x, g)
        loss = out.sum()
        loss.backward()
        g = g.detach()
--- repackaged first
import torch
from torch import nn
def train(xs, repackage):
    net = nn.GRU(2, 2)
    h = torch.zeros(1, 1, 2)
    for x in xs:
        h = repackage(h)
        out, h = net(x, h)
        loss = out.sum()
        loss.backward()
--- the whole sequence at once
import torch
from torch import nn
def train(xs):
    net = nn.GRU(2, 2)
    h, total = torch.zeros(1, 1, 2), 0
    for x in xs:
        out, h = net(x, h)
        total = total + out.sum()
    total.backward()
--- gradients kept for all turns, or taken of something else
import torch
from torch import nn
def train(xs, other):
    net = nn.GRU(2, 2)
    h = torch.zeros(1, 1, 2)
    for x in xs:
        out, h = net(x, h)
        loss = out.sum()
        loss.backward(retain_graph=True)
    for x in xs:
        out, h = net(x, h)
        loss = other(x)
        loss.backward()
--- something unknown, which may detach
import torch
def train(net, xs):
    h = torch.zeros(1, 1, 2)
    for x in xs:
        out, h = net(x, h)
        loss = out.sum()
        loss.backward()
"""
)


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG)
def test_a_state_that_goes_on_with_a_spent_graph_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", RIGHT.values(), ids=RIGHT)
def test_states_that_are_cut_or_may_be_are_left_alone(program: str) -> None:
    assert codes_in(program, notes=False) == []
