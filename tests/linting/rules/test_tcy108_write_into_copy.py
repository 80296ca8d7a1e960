"""Writes into temporary copies."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, codes_in, lines_of, marked_lines

CODE = "TCY108"
WRONG = cases(
    """
--- mask chain
import torch
x = torch.zeros(3, 4)
m = torch.tensor([True, False, True])
x[m][:, 0] = 1 # here
--- idx list
import numpy as np
x = np.zeros((3, 4))
x[[0, 2]][:, 1] = 5 # here
--- np mask
import numpy as np
x = np.zeros((3, 4))
x[x > 0][0] = 5 # here
--- mask add_
import torch
x = torch.zeros(3, 4)
x[x > 0].add_(1) # here
--- mask var
import torch
x = torch.zeros(3, 4)
mask = x > 0
x[mask].fill_(1) # here
--- index arg unknown
import torch
def f(x: torch.Tensor, idx: torch.Tensor):
    x[idx].zero_() # here
--- copy_
import torch
def f(x: torch.Tensor, idx: torch.Tensor, y):
    x[idx].copy_(y) # here
--- annotated mask
import torch
def f(x: torch.Tensor, idx: torch.Tensor, y):
    x[idx][:, 0] = y # here
--- to device
import torch
def f(x: torch.Tensor, device):
    x.to(device)[0] = 1 # here
--- astype
import numpy as np
def f(x: np.ndarray):
    x.astype(np.float32)[0] = 1 # here
--- flatten np
import numpy as np
x = np.zeros((2, 3))
x.flatten()[0] = 1 # here
--- clone
import torch
x = torch.zeros(3)
x.clone()[0] = 1 # here
--- reshape transposed
import torch
x = torch.zeros(2, 3)
x.t().reshape(-1)[0] = 1 # here
--- reshape of arg
import torch
def f(x: torch.Tensor):
    x.reshape(-1)[0] = 1 # here
    return x
--- permute reshape
import torch
def f(x: torch.Tensor):
    x.permute(1, 0).reshape(-1).zero_() # here
    return x
--- index_select
import torch
def f(x: torch.Tensor, i: torch.Tensor):
    torch.index_select(x, 0, i).zero_() # here
    return x
--- masked_select
import torch
def f(x: torch.Tensor, i: torch.Tensor):
    torch.masked_select(x, i).fill_(0) # here
    return x
--- np.where
import numpy as np
def f(x: np.ndarray):
    x[np.where(x > 0)][0] = 2 # here
    return x
--- double in place
import torch
model = torch.nn.Linear(2, 2)
model.weight.double().fill_(0) # here
--- half
import torch
x = torch.zeros(3)
x.half().fill_(1) # here
--- contiguous of t
import torch
x = torch.zeros(3, 2)
x.t().contiguous()[0] = 1 # here
--- np.array
import numpy as np
x = np.zeros(3)
np.array(x)[0] = 1 # here
"""
)
RIGHT = cases(
    """
--- a layout of which nothing is known
import torch
def prune(index: torch.Tensor, rows):
    index.flatten()[rows] = 1
    return index
--- written where it lies
import torch
x = torch.zeros(3, 4)
x[x > 0] = 1
x[[0, 2], 1] = 5
x[0].zero_()
x[1:][:, 0] = 1
x.view(-1)[0] = 1
x.masked_fill_(x > 0, 1)
--- reshape of something dense
import torch
x = torch.zeros(2, 3)
x.reshape(-1)[0] = 1
--- the copy is kept
import numpy as np
x = np.zeros((2, 3))
flat = x.flatten()
flat[0] = 1
y = x[x > 0]
y[:] = 1
print(flat, y)
--- result of a chain is used
import torch
x = torch.zeros(3)
y = x.clone().add_(1)
print(y, x[x > 0].mul_(2))
--- transposed view
import torch
x = torch.zeros(2, 3)
x.t()[0] = 1
x.T.zero_()
--- list
rows = [[1, 2], [3, 4]]
rows[0][1] = 5
--- array over the tensor
import torch
x = torch.zeros(3)
x.numpy()[0] = 1
x.detach()[1] = 2
--- memory moved and pinned
import torch
x = torch.zeros(3)
x.clone().share_memory_()
model = torch.nn.Linear(2, 2)
model.float().requires_grad_(False)
--- dict of tensors
import torch
state = {'a': torch.zeros(3)}
state['a'][0] = 1
state.get('a')[0] = 2
"""
)


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG)
def test_a_write_that_is_lost_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", RIGHT.values(), ids=RIGHT)
def test_writes_into_views_and_kept_copies_are_left_alone(program: str) -> None:
    assert codes_in(program, notes=False) == []
