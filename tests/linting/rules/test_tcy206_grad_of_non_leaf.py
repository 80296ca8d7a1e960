"""Gradients expected at tensors that are no leaves."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, lines_of, marked_lines

CODE = "TCY206"
FOUND = cases(
    """
--- computed, then given to an optimizer
import torch
def latent(n, device):
    z = torch.randn(n, 64, requires_grad=True) * 0.1  # here
    return torch.optim.Adam([z], lr=0.01)
--- cast
import torch
x = torch.ones(3, requires_grad=True).double()  # here
x.pow(2).sum().backward()
print(x.is_leaf, x.grad)
--- moved
import torch
def probe(device):
    x = torch.randn(3, requires_grad=True).to(device)  # here
    x.sum().backward()
    return x.grad
--- given to an optimizer
import torch
w = torch.zeros(3, requires_grad=True).cuda()  # here
opt = torch.optim.SGD([w], lr=0.1)
--- parameter moved in a module
import torch
from torch import nn
class M(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(3)).to(device)  # here
--- parameter on the accelerator
import torch
from torch import nn
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(3), requires_grad=True).cuda()  # here
--- scaled
import torch
x = (torch.rand(3, requires_grad=True) * 2 - 1)  # here
x.sum().backward()
print(x.grad)
--- reshaped
import torch
x = torch.arange(4.0, requires_grad=True).view(2, 2)  # here
x.sum().backward()
print(x.grad)
--- computed
import torch
x = torch.ones(3, requires_grad=True)
y = x * 2  # here
y.sum().backward()
print(y.grad)
--- variable moved
import torch
from torch.autograd import Variable
x = Variable(torch.ones(3), requires_grad=True).cuda()  # here
x.sum().backward()
print(x.grad.data)
"""
)
SILENT = cases(
    """
--- required last, then given to an optimizer
import torch
def latent(n, device):
    z = (torch.randn(n, 64) * 0.1).requires_grad_()
    w = torch.nn.Parameter(torch.randn(n) * 0.1)
    return torch.optim.Adam([z, w], lr=0.01), torch.optim.SGD(list(torch.nn.Linear(2, 2).parameters()), lr=0.1)
--- dtype given
import torch
x = torch.ones(3, dtype=torch.float64, requires_grad=True)
x.sum().backward()
print(x.grad)
--- required last
import torch
x = torch.ones(3).double().requires_grad_()
x.sum().backward()
print(x.grad)
--- retained
import torch
x = torch.ones(3, requires_grad=True).double()
x.retain_grad()
x.sum().backward()
print(x.grad)
--- nobody asks
import torch
x = torch.ones(3, requires_grad=True).double()
x.sum().backward()
--- same dtype
import torch
x = torch.ones(3, requires_grad=True).float()
x.sum().backward()
print(x.grad)
--- parameter of a moved tensor
import torch
from torch import nn
class M(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(3).to(device))
--- detached and required
import torch
x = torch.ones(3, requires_grad=True).double().detach().requires_grad_()
x.sum().backward()
print(x.grad)
--- asked to be none
import torch
x = torch.ones(3, requires_grad=True)
y = x * 2
y.sum().backward()
assert y.grad is None
--- retained where computed
import torch
x = torch.ones(3, requires_grad=True)
y = x * 2
y.retain_grad()
y.sum().backward()
print(y.grad)
--- parameter
import torch
net = torch.nn.Linear(2, 2).double()
net(torch.ones(2, dtype=torch.float64)).sum().backward()
print(net.weight.grad)
"""
)


@pytest.mark.parametrize("program", FOUND.values(), ids=FOUND)
def test_the_gradient_of_what_is_no_leaf_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_gradients_of_leaves_are_fine(program: str) -> None:
    assert lines_of(CODE, program) == []
