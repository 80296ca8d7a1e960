"""Writes into expanded tensors."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, codes_in, lines_of, marked_lines

CODE = "TCY105"
WRONG = cases(
    """
--- masked_fill_
import torch
mask = torch.zeros(1, 4)
m = mask.expand(3, 4) # here
m.masked_fill_(torch.ones(3, 4).bool(), 1)
--- aug
import torch
acc = torch.zeros(1).expand(5) # here
acc += torch.arange(5)
--- index put
import torch
idx = torch.tensor([0, 2])
x = torch.zeros(3, 1).expand(3, 4) # here
x[idx] = 1
--- expand_as
import torch
def f(a: torch.Tensor, b: torch.Tensor):
    c = a.expand_as(b) # here
    c[0, 0] = 5
    return c
--- broadcast_to torch
import torch
x = torch.broadcast_to(torch.zeros(3), (2, 3)) # here
x[0] = 1
--- meshgrid torch
import torch
a, b = torch.meshgrid(torch.arange(3), torch.arange(4), indexing='ij') # here
a += 1
--- numpy of expand
import torch
a = torch.zeros(1).expand(4).numpy() # here
a[0] = 1
--- loop
import torch
h = torch.zeros(1, 8).expand(4, -1) # here
for i in range(4):
    h[i] = i
--- as module param
import torch
def init(h0: torch.Tensor, n):
    h = h0.unsqueeze(0).expand(n, -1) # here
    h[0].zero_()
    return h
--- attribute
import torch
class A:
    def __init__(self, n):
        self.acc = torch.zeros(1).expand(n) # here
    def add(self, i):
        self.acc[i] += 1
--- to dtype
import torch
def f(mask: torch.Tensor, n):
    m = mask[None].expand(n, -1).float() # here
    m[0] = 1
    return m
--- function arg name
import torch
def f(x: torch.Tensor, n: int):
    eye = torch.eye(3).expand(n, 3, 3) # here
    eye[:, 0, 0] = x
    return eye
--- unknown arg
def f(bias, n):
    b = bias.unsqueeze(0).expand(n, -1, -1) # here
    b[:, 0] = 0
    return b
--- copy_ into
import torch
x = torch.zeros(1, 3).expand(2, 3) # here
x.copy_(torch.ones(2, 3))
--- scatter_
import torch
x = torch.zeros(1, 3).expand(2, 3) # here
x.scatter_(1, torch.tensor([[0], [1]]), 1.0)
--- grid scaled in place
import torch
def grid(h: int, w: int):
    ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing='ij') # here
    xs /= w
    return torch.stack([xs, ys])
"""
)
RIGHT = cases(
    """
--- masks that are converted after they were expanded
import torch
def weights(masks: torch.Tensor, target: torch.Tensor, valid):
    weight = masks.unsqueeze(2).expand_as(target).float()
    weight *= valid
    return weight
--- repeat
import torch
x = torch.zeros(1).repeat(4)
x[0] = 1
--- clone
import torch
def init(h0: torch.Tensor, n):
    h = h0.unsqueeze(0).expand(n, -1).clone()
    h[0].zero_()
    return h.expand(3, n, -1).contiguous().zero_()
--- read only
import torch
mask = torch.zeros(1, 4).expand(3, 4)
y = mask + 1
y[0] = 5
--- new name for a new value
import torch
x = torch.zeros(1).expand(4)
x = x + 1
x[0] = 1
--- one more dimension
import torch
x = torch.zeros(4).expand(1, -1)
x[0, 1] = 1
--- grid made into one
import torch
ys, xs = torch.meshgrid(torch.arange(3), torch.arange(4), indexing='ij')
grid = torch.stack([ys, xs])
grid[0] = grid[0] / 2
xs = xs / 4
--- buffer cloned
import torch
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer('grid', torch.zeros(1).expand(4).clone())
--- masked out of place
import torch
def f(mask: torch.Tensor, n):
    m = mask[None].expand(n, -1)
    return m.masked_fill(m > 0, 1.0)
"""
)


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG)
def test_a_write_into_repeated_memory_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", RIGHT.values(), ids=RIGHT)
def test_copies_and_readings_of_expanded_tensors_are_left_alone(program: str) -> None:
    assert codes_in(program, notes=False) == []
