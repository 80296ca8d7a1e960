"""Tensors written from overlapping parts of themselves."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, codes_in, lines_of, marked_lines

CODE = "TCY106"
WRONG = cases(
    """
--- torch 2d
import torch
x = torch.arange(12).view(3, 4)
x[:, 1:] = x[:, :-1] # here
--- ellipsis
import torch
x = torch.arange(12).view(3, 4)
x[..., 1:] = x[..., :-1] # here
--- copy_
import torch
x = torch.arange(12)
x[1:].copy_(x[:-1]) # here
--- self attribute
import torch
class Hist:
    def __init__(self):
        self.buf = torch.zeros(10)
    def push(self, v):
        self.buf[1:] = self.buf[:-1] # here
        self.buf[0] = v
--- self attribute clone late
import torch
class Hist:
    def __init__(self):
        self.buf = torch.zeros(10, 3)
    def push(self, v):
        self.buf[:-1] = self.buf[1:] # here
        self.buf[-1] = v
--- steps
import torch
def f(x: torch.Tensor, n: int):
    x[n:] = x[:-n] # here
    return x
--- names
import torch
x = torch.arange(10)
src = x[:-1]
dst = x[1:]
dst.copy_(src) # here
--- aug
import torch
x = torch.arange(10)
x[1:] += x[:-1] # here
--- add_
import torch
x = torch.arange(10)
x[1:].add_(x[:-1]) # here
--- index both dims
import torch
x = torch.zeros(4, 4)
x[1:, 1:] = x[:-1, :-1] # here
--- constants
import torch
x = torch.arange(10)
x[2:6] = x[0:4] # here
--- transposed
import torch
x = torch.zeros(4, 4)
x[:] = x.T # here
--- copy_ transposed
import torch
x = torch.zeros(4, 4)
x.copy_(x.t()) # here
--- aug transposed
import torch
x = torch.zeros(4, 4)
x += x.T # here
--- aug transposed symm
import torch
def symmetrise(x: torch.Tensor):
    x += x.transpose(0, 1) # here
    x /= 2
    return x
--- unknown kind
def push(buf, v):
    buf[:, 1:].copy_(buf[:, :-1]) # here
    buf[:, 0].copy_(v)
--- annotated loop
import torch
def shift(buf: torch.Tensor):
    for i in range(3):
        buf[i, 1:] = buf[i, :-1] # here
--- divided by its first column
import torch
x = torch.ones(3, 4)
x /= x[:, :1] # here
--- minus its first row
import torch
def relative(points: torch.Tensor):
    points -= points[0] # here
    return points
--- whole from a part
import torch
x = torch.ones(3, 4)
x.sub_(x[:, -1:]) # here
"""
)
RIGHT = cases(
    """
--- filled with one of its own
import torch
def f(t: torch.Tensor):
    t.fill_(t[0])
    return t
--- clone
import torch
x = torch.arange(12).view(3, 4)
x[:, 1:] = x[:, :-1].clone()
x /= x[:, :1].clone()
x.copy_(x.t().reshape(3, 4).clone())
--- NumPy buffers
import numpy as np
x = np.arange(12.0).reshape(3, 4)
x[:, 1:] = x[:, :-1]
x /= x[:, :1]
x += x[0]
--- roll
import torch
x = torch.arange(12)
x[:] = torch.roll(x, 1)
--- disjoint halves
import torch
x = torch.arange(12)
x[:6] = x[6:]
x[0:3] = x[3:6]
--- other rows
import torch
x = torch.zeros(4, 4)
x[0] = x[1]
x[:, 0] += x[:, 1]
--- same place
import torch
x = torch.zeros(4)
x[1:] = x[1:] * 2
x += x
x.add_(x)
--- computed on the way
import torch
x = torch.zeros(4, 4)
x += x.T * 2
x[1:] = x[:-1] + 1
x -= x[0].mean()
--- advanced index copies
import torch
x = torch.zeros(4, 4)
x[1:] = x[[0, 1, 2]]
--- another tensor
import torch
x, y = torch.zeros(4), torch.ones(4)
x[1:] = y[:-1]
--- list
rows = [1, 2, 3]
rows[1:] = rows[:-1]
--- cache rolled by concatenation
import torch
def push(cache: torch.Tensor, v: torch.Tensor):
    return torch.cat([cache[1:], v[None]])
--- unknown kind divided
def normalise(x):
    x /= x[:, :1]
    return x
"""
)


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG)
def test_a_write_from_an_overlapping_part_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", RIGHT.values(), ids=RIGHT)
def test_clones_disjoint_parts_and_arrays_are_left_alone(program: str) -> None:
    assert codes_in(program, notes=False) == []
