"""Misspelt ``requires_grad``."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, lines_of, marked_lines

CODE = "TCY211"
FOUND = cases(
    """
--- computed value
from torch import nn
model = nn.Sequential(nn.Linear(1, 1))
for name, param in model.named_parameters():
    param.require_grad = name.startswith("1.")  # here
--- of an unknown model
def freeze(model):
    for p in model.parameters():
        p.requires_gard = False  # here
--- in an attribute
import torch
class M(torch.nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net
        for p in self.net.parameters():
            p.required_grad = False  # here
--- weight
import torch
layer = torch.nn.Linear(1, 1)
layer.weight.require_grad = False  # here
--- weight of something unknown
def tie(encoder):
    encoder.embed.weight.requires_grads = False  # here
--- tensor
import torch
x = torch.zeros(3)
x.requires_gradient = True  # here
--- method replaced
import torch
for p in torch.nn.Linear(1, 1).parameters():
    p.requires_grad_ = False  # here
--- module
import torch
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = torch.nn.Linear(1, 1)
        self.backbone.requires_grad = False  # here
--- module of a library, by name
from torch import nn
net = nn.Sequential(nn.Linear(1, 1))
net.require_grad = False  # here
--- called
import torch
x = torch.zeros(3)
x.requires_grad(True)  # here
--- parameter called
def freeze(model):
    for p in model.parameters():
        p.requires_grad(False)  # here
--- keyword
import torch
x = torch.zeros(3, require_grad=True)  # here
--- element of a list of parameters
import torch
layer = torch.nn.Linear(1, 1)
list(layer.parameters())[0].require_grad = False  # here
"""
)
SILENT = cases(
    """
--- right
import torch
for p in torch.nn.Linear(1, 1).parameters():
    p.requires_grad = False
    p.requires_grad_(False)
torch.nn.Linear(1, 1).requires_grad_(False)
--- own attribute
class Node:
    def __init__(self, require_grad):
        self.require_grad = require_grad
def f(options):
    options.require_grad = True
    return options.require_grad
--- module with the attribute
import torch
class Frozen(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.requires_grad = False
frozen = Frozen()
frozen.requires_grad = True
--- property
import torch
class Frozen(torch.nn.Module):
    @property
    def requires_grad(self):
        return False
    @requires_grad.setter
    def requires_grad(self, value):
        pass
frozen = Frozen()
frozen.requires_grad = True
--- unknown
def f(x):
    x.requires_grad = False
"""
)


@pytest.mark.parametrize("program", FOUND.values(), ids=FOUND)
def test_a_misspelt_requires_grad_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_other_attributes_are_fine(program: str) -> None:
    assert lines_of(CODE, program) == []
