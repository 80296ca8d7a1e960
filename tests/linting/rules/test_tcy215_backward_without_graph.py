"""Gradients of what has no graph."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, lines_of, marked_lines, printed_by

CODE = "TCY215"
FOUND = cases(
    """
--- detached output
import torch
import torch.nn.functional as F
net = torch.nn.Linear(2, 1)
out = net(torch.ones(1, 2)).detach()  # here
F.mse_loss(out, torch.zeros(1, 1)).backward()
--- data
import torch
net = torch.nn.Linear(2, 1)
loss = net(torch.ones(1, 2)).pow(2).mean().data  # here
loss.backward()
--- number
import torch
net = torch.nn.Linear(2, 1)
loss = net(torch.ones(1, 2)).mean().item()  # here
torch.tensor(loss).backward()
--- through NumPy
import torch
net = torch.nn.Linear(2, 1)
out = torch.from_numpy(net(torch.ones(1, 2)).detach().numpy())  # here
(out - 1).pow(2).mean().backward()
--- in a function
import torch
net = torch.nn.Linear(2, 1)
def loss_of(x):
    out = net(x).detach()  # here
    return out.mean()
loss_of(torch.ones(1, 2)).backward()
"""
)
SILENT = cases(
    """
--- on the graph
import torch
net = torch.nn.Linear(2, 1)
(net(torch.ones(1, 2)) - net(torch.ones(1, 2)).detach()).pow(2).mean().backward()
--- required again
import torch
net = torch.nn.Linear(2, 1)
h = net(torch.ones(1, 2)).detach().requires_grad_()
h.sum().backward()
print(h.grad)
--- mixed with a parameter
import torch
net, w = torch.nn.Linear(2, 1), torch.nn.Parameter(torch.ones(1))
(net(torch.ones(1, 2)).detach() * w).sum().backward()
--- made a leaf by assignment in the constructor
import torch
class Policy(torch.nn.Module):
    def __init__(self, initial):
        super().__init__()
        self.fc = torch.nn.Linear(3, 1)
        self.log_alpha = torch.tensor(initial)
        self.log_alpha.requires_grad = True

    def step(self, x):
        log_prob = self.fc(x)
        loss = -(self.log_alpha.exp() * (log_prob + 1.0).detach()).mean()
        loss.backward()
--- unknown
def step(loss):
    loss.backward()
--- other head
import torch
body, head = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
head(body(torch.ones(1, 2)).detach()).sum().backward()
"""
)


@pytest.mark.parametrize("program", FOUND.values(), ids=FOUND)
def test_backward_of_a_value_off_the_graph_is_found_and_raises(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)
    with pytest.raises(RuntimeError, match="does not require grad"):
        printed_by(program)


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_backward_of_a_value_on_the_graph_is_fine(program: str) -> None:
    assert lines_of(CODE, program) == []
