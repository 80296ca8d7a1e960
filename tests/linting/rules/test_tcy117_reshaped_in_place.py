"""Tensors of somebody else that are given another shape."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, codes_in, lines_of, marked_lines

CODE = "TCY117"
WRONG = cases(
    """
--- an argument
def f(x):
    x.squeeze_(0) # here
    return x + 1
--- an argument under another name
def f(x):
    y = x
    y.unsqueeze_(-1) # here
    return y * x
--- an annotated argument of a method
import torch
class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        x.t_() # here
        return x @ x
--- on one branch only
class Factors(dict):
    def total(self, wanted):
        for key, value in self.items():
            if key not in wanted:
                value = value.sum(0)
            value.squeeze_(0) # here
--- an ordered dict
from collections import OrderedDict
class Factors(OrderedDict):
    def flat(self):
        return [value.unsqueeze_(0) for value in self.values()] # here
"""
)
RIGHT = cases(
    """
--- entries of a dict that a function without an object is handed
class Outputs(dict):
    pass
def widen(outputs: Outputs):
    for value in outputs.values():
        if not value.shape:
            value.unsqueeze_(-1)
--- bound anew
def f(x):
    x = x.squeeze(0)
    x = x.unsqueeze(-1).transpose(0, 1)
    x.squeeze_(0)
    return x
--- made here
import torch
def f(x):
    y = torch.zeros(1, 3)
    y.squeeze_(0)
    z = x + 1
    z.unsqueeze_(0)
    w = x[None]
    w.squeeze_(0)
    return y, z, w
--- said in the name, in the docstring, of an attribute
import torch
class A:
    def __init__(self):
        self.x = torch.zeros(1, 3)
    def flatten(self):
        self.x.squeeze_(0)
def squeeze_all_(x):
    x.squeeze_(0)
def drop(x):
    '''Modifies x.'''
    x.squeeze_(0)
--- flags of the object
def f(x):
    x.requires_grad_()
    x.detach_()
    return x
--- a mapping of its own making
class Bag:
    def items(self):
        return [(1, 2)]
    def f(self):
        for k, v in self.items():
            v.squeeze_(0)
"""
)


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG)
def test_another_shape_for_somebody_elses_tensor_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", RIGHT.values(), ids=RIGHT)
def test_own_tensors_and_views_may_be_reshaped(program: str) -> None:
    assert codes_in(program, notes=False) == []
