"""Deep copies of what is no leaf."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, lines_of, marked_lines

CODE = "TCY212"
FOUND = cases(
    """
--- weight norm in a class
import copy
from torch import nn
from torch.nn.utils import weight_norm
class Vocoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = weight_norm(nn.Conv1d(1, 1, 3))  # here
ema = copy.deepcopy(Vocoder())
--- weight norm in a sequence
from copy import deepcopy
import torch.nn as nn
import torch.nn.utils as utils
net = nn.Sequential(
    utils.weight_norm(nn.Linear(1, 1)),  # here
    nn.ReLU(),
)
twin = deepcopy(net)
--- weight norm, direct
import copy
import torch
layer = torch.nn.utils.weight_norm(torch.nn.Linear(1, 1))  # here
twins = [copy.deepcopy(layer) for _ in range(2)]
--- weight norm in a nested module
import copy
from torch import nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.utils.weight_norm(nn.Conv1d(1, 1, 3))  # here
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
    def twin(self):
        return copy.deepcopy(self.block)
--- computed
import copy
import torch
x = torch.ones(2, requires_grad=True)
y = copy.deepcopy(x * 2)  # here
--- output of a net
import copy
import torch
net = torch.nn.Linear(2, 2)
def step(x):
    out = net(x)
    kept = copy.deepcopy(out)  # here
    return out, kept
--- in a dict
import copy
import torch
net = torch.nn.Linear(2, 2)
out = {"loss": net(torch.ones(2)).sum(), "n": 1}
kept = copy.deepcopy(out)  # here
"""
)
SILENT = cases(
    """
--- an instance of a class that is handed over, whatever its annotation says
import copy, torch
class Net(torch.nn.Module):
    def __init__(self, n=2):
        super().__init__()
        self.l = torch.nn.Linear(n, n)
    def forward(self, x):
        return self.l(x)
class Estimator:
    def __init__(self, network_type: Net = Net):
        self.network_type = network_type
    def train(self):
        net = self.network_type(3)
        return copy.deepcopy(net)
--- leaf
import copy
import torch
x = torch.ones(2, requires_grad=True)
y = copy.deepcopy(x)
z = copy.deepcopy(torch.ones(3))
--- module
import copy
import torch
net = copy.deepcopy(torch.nn.Linear(2, 2))
w = copy.deepcopy(net.weight)
--- parametrization
import copy
from torch import nn
from torch.nn.utils.parametrizations import weight_norm
net = copy.deepcopy(weight_norm(nn.Linear(2, 2)))
--- without grad
import copy
import torch
net = torch.nn.Linear(2, 2)
with torch.no_grad():
    y = copy.deepcopy(net(torch.ones(2)))
--- detached
import copy
import torch
net = torch.nn.Linear(2, 2)
y = copy.deepcopy(net(torch.ones(2)).detach())
--- own copy
import copy
from torch import nn
class Vocoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.utils.weight_norm(nn.Conv1d(1, 1, 3))
    def __deepcopy__(self, memo):
        return Vocoder()
twin = copy.deepcopy(Vocoder())
--- copied before
import copy
from torch import nn
plain = nn.Linear(1, 1)
twin = nn.utils.weight_norm(copy.deepcopy(plain))
"""
)


@pytest.mark.parametrize("program", FOUND.values(), ids=FOUND)
def test_a_deep_copy_of_what_is_no_leaf_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_a_deep_copy_of_leaves_is_fine(program: str) -> None:
    assert lines_of(CODE, program) == []
