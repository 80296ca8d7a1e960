"""Terms of a loss that lost their graph."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, lines_of, marked_lines

CODE = "TCY204"
FOUND = cases(
    """
--- item in a policy loss
import torch
from torch import nn
policy, value = nn.Linear(2, 3), nn.Parameter(torch.zeros(1))
log_probs = policy(torch.ones(1, 2)).log_softmax(-1)
loss = value.sum()
for action, reward in ((0, 1.0), (2, 0.5)):
    loss = loss - log_probs[0, action].item() * reward  # here
loss.backward()
--- data through a loss
import torch
import torch.nn.functional as F
from torch import nn
cls, box = nn.Linear(2, 2), nn.Linear(2, 4)
x = torch.ones(1, 2)
boxes = torch.mul(box(x).data, torch.ones(1, 4))  # here
loss = cls(x).pow(2).mean() + F.smooth_l1_loss(boxes, torch.zeros(1, 4))
loss.backward()
--- added in place
import torch
net, other = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
def step(x):
    loss = net(x).mean()
    loss += 0.1 * other(x).pow(2).mean().item()  # here
    loss.backward()
--- float of a term
import torch
net, other = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
def step(x, scaler):
    penalty = float(other(x).abs().mean())  # here
    loss = net(x).mean() + penalty
    scaler.scale(loss).backward()
--- constructor
import torch
net, other = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
def step(x, accelerator):
    extra = torch.tensor(other(x).mean().item())  # here
    loss = (net(x).mean() + extra) / 2
    accelerator.backward(loss)
--- in a loss function
import torch
import torch.nn.functional as F
net, critic = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
def total(x, y):
    main = F.mse_loss(net(x), y)
    return main + critic(x).mean().item()  # here
total(torch.ones(1, 2), torch.ones(1, 1)).backward()
--- sum of a list
import torch
net, other = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
x = torch.ones(1, 2)
terms = [net(x).mean(), other(x).mean().item()]  # here
sum(terms).backward()
--- in a method
import torch
class Trainer:
    def __init__(self):
        self.net, self.head = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
    def step(self, x):
        h = self.net(x)
        reg = h.pow(2).mean().data  # here
        loss = self.head(h).mean() + reg
        loss.backward()
"""
)
SILENT = cases(
    """
--- weight
import torch
net, gate = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
x = torch.ones(1, 2)
loss = net(x).mean() * gate(x).mean().item()
loss.backward()
--- said with detach
import torch
net, other = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
x = torch.ones(1, 2)
loss = net(x).mean() + other(x).mean().detach()
loss.backward()
--- target
import torch
import torch.nn.functional as F
net, target_net = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
x = torch.ones(1, 2)
target = 1.0 + 0.9 * target_net(x).max().item()
loss = (net(x) - target).pow(2).mean()
loss.backward()
--- target of a function
import torch
import torch.nn.functional as F
net, target_net = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
x = torch.ones(1, 2)
loss = F.mse_loss(net(x), 1.0 + target_net(x).data)
loss.backward()
--- advantage
import torch
policy, critic = torch.nn.Linear(2, 3), torch.nn.Linear(2, 1)
x = torch.ones(1, 2)
advantage = 1.0 - critic(x).item()
loss = -(policy(x).log_softmax(-1)[0, 1] * advantage)
loss.backward()
--- straight through
import torch
net = torch.nn.Linear(2, 2)
x = net(torch.ones(1, 2))
q = x + (x.round() - x).data
q.sum().backward()
--- logging
import torch
net = torch.nn.Linear(2, 1)
total = 0.0
for x in torch.ones(3, 2):
    loss = net(x).mean()
    loss.backward()
    total += loss.item()
    shown = {"loss": float(loss)}
--- normalised by its own size
import torch
net, other = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
x = torch.ones(1, 2)
a, b = net(x).mean(), other(x).mean()
loss = a + b * (a.item() / b.item())
loss.backward()
--- numbers of no graph
import torch
net = torch.nn.Linear(2, 1)
x = torch.ones(1, 2)
loss = net(x).mean() + x.mean().item()
loss.backward()
--- not back-propagated
import torch
net, other = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
def report(x):
    return net(x).mean() + other(x).mean().item()
--- frozen
import torch
net = torch.nn.Linear(2, 1)
teacher = torch.nn.Linear(2, 1)
for p in teacher.parameters():
    p.requires_grad = False
x = torch.ones(1, 2)
loss = net(x).mean() + teacher(x).mean().item()
loss.backward()
"""
)


@pytest.mark.parametrize("program", FOUND.values(), ids=FOUND)
def test_a_term_off_the_graph_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_weights_targets_and_records_are_fine(program: str) -> None:
    assert lines_of(CODE, program) == []
