"""Leaves written in place while the graph is recorded."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, lines_of, marked_lines

CODE = "TCY210"
FOUND = cases(
    """
--- loads weights for the constructor
import torch
from torch import nn
class Block(nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.norm = nn.GroupNorm(2, 4)
        self.load_from(weights)
    def load_from(self, weights):
        self.norm.weight.copy_(weights["scale"].view(-1))  # here
--- of another network than the frozen one
import torch
from torch import nn
a, b = nn.Linear(3, 3), nn.Linear(3, 3)
a.requires_grad_(False)
b.weight.zero_()  # here
--- column of a weight
import torch
from torch import nn
class Editor:
    def __init__(self):
        self.dense = nn.Linear(3, 2)
    def suppress(self, pos, emb):
        self.dense.weight[:, pos] -= emb  # here
Editor().suppress(1, torch.ones(2))
--- gradient descent by hand
import torch
w = torch.zeros(3, requires_grad=True)
for x in torch.ones(4, 3):
    (w * x).sum().backward()
    w -= 0.1 * w.grad  # here
--- parameters in a loop
import torch
def step(model, rate):
    for p in model.parameters():
        p.add_(p.grad, alpha=-rate)  # here
--- initialised in a constructor
import torch
from torch import nn
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(2, 2))
        self.w.fill_(1.0)  # here
--- one element
import torch
from torch import nn
layer = nn.Linear(2, 2)
layer.bias[0] = 1.0  # here
--- masked
import torch
from torch import nn
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(4))
    def prune(self, mask):
        self.w[mask] = 0  # here
--- weight initialised
import torch
from torch import nn
layer = nn.Linear(2, 2)
layer.weight.normal_(0, 0.1)  # here
--- view with a name
import torch
w = torch.zeros(3, requires_grad=True)
first = w[:1]
first.zero_()  # here
--- required afterwards
import torch
x = torch.rand(3)
x.requires_grad = True
x.clamp_(0, 1)  # here
--- ema without no_grad
import torch
def update(ema, model, decay):
    for e, p in zip(ema.parameters(), model.parameters()):
        e.mul_(decay).add_(p, alpha=1 - decay)  # here
"""
)
SILENT = cases(
    """
--- loads weights for a caller elsewhere
import torch
from torch import nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.GroupNorm(2, 4)
    def load_from(self, weights):
        self.norm.weight.copy_(weights["scale"].view(-1))
--- of a network that was frozen
import torch
from torch import nn
class Conv(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
def f(x):
    conv = Conv()
    conv.requires_grad_(False)
    conv.lin.weight.zero_()
    conv.lin.weight.fill_diagonal_(1)
    return conv(x)
--- of something that may have been frozen
import copy
def f(make, beta):
    net = make().train().requires_grad_(False)
    ema = copy.deepcopy(net)
    for p, q in zip(ema.parameters(), net.parameters()):
        p.copy_(q.lerp(p, beta))
--- without grad
import torch
w = torch.zeros(3, requires_grad=True)
with torch.no_grad():
    w -= 0.1
    w[0] = 1
--- decorated
import torch
@torch.no_grad()
def step(model):
    for p in model.parameters():
        p.mul_(0.9)
--- data
import torch
layer = torch.nn.Linear(2, 2)
layer.weight.data[0] = 1.0
layer.weight.data.normal_()
--- init functions
import torch
from torch import nn
layer = nn.Linear(2, 2)
nn.init.zeros_(layer.bias)
torch.nn.init.kaiming_uniform_(layer.weight)
--- gradients
import torch
layer = torch.nn.Linear(2, 2)
layer(torch.ones(2)).sum().backward()
layer.weight.grad.zero_()
layer.weight.grad *= 0.5
--- computed
import torch
w = torch.zeros(3, requires_grad=True)
y = w * 2
y += 1
--- called without grad
import torch
def _init(model):
    for p in model.parameters():
        p.uniform_(-1, 1)
def build(model):
    with torch.no_grad():
        _init(model)
--- applied
import torch
from torch import nn
def init(m):
    if isinstance(m, nn.Linear):
        m.weight.fill_(1)
with torch.no_grad():
    nn.Linear(1, 1).apply(init)
--- frozen
import torch
layer = torch.nn.Linear(2, 2)
for p in layer.parameters():
    p.requires_grad = False
    p.zero_()
--- frozen parameter
import torch
from torch import nn
w = nn.Parameter(torch.zeros(3), requires_grad=False)
w.fill_(1)
--- buffer
import torch
from torch import nn
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))
    def forward(self, x):
        self.mean.mul_(0.9).add_(x.mean(0).detach())
        return x
--- replaced
import torch
from torch import nn
layer = nn.Linear(2, 2)
layer.weight = nn.Parameter(layer.weight * 0.5)
--- detached
import torch
layer = torch.nn.Linear(2, 2)
layer.weight.detach().mul_(0.5)
--- detached in place
import torch
def soft_update(target, source, mix):
    for t, p in zip(target.parameters(), source.parameters()):
        t.detach_()
        t.copy_(t * (1.0 - mix) + p * mix)
--- optimizer
import torch
class Mine(torch.optim.Optimizer):
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.add_(p.grad, alpha=-0.1)
--- weights copied by a function that only calls itself
import torch
from torch import nn
def convert(model):
    for name, module in model.named_children():
        if isinstance(module, nn.Linear):
            other = nn.Linear(module.in_features, module.out_features)
            other.weight.copy_(module.weight)
            setattr(model, name, other)
        else:
            convert(module)
--- required only if the caller asks for it
import torch
def rotated(r: torch.Tensor, requires_grad=False):
    r = r.detach().requires_grad_(requires_grad)
    r[0] = 1
    return r
--- switched off
import torch
torch.set_grad_enabled(False)
layer = torch.nn.Linear(2, 2)
layer.weight.fill_(1)
"""
)


@pytest.mark.parametrize("program", FOUND.values(), ids=FOUND)
def test_a_leaf_written_with_grad_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_writes_without_grad_or_to_other_tensors_are_fine(program: str) -> None:
    assert lines_of(CODE, program) == []
