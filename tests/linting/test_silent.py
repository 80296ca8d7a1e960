"""Programs that are fine, in shapes that real code has: no rule may say that something is wrong."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, codes_in

FINE = cases(
    """
--- the legacy class takes sizes
import torch
def unmap(data, inds, rows, columns):
    out = torch.Tensor(rows, columns).fill_(0).type_as(data)
    out[:, inds] = data
    return out
--- the legacy class takes an unknown size
import torch
def made(n, data):
    out = torch.Tensor(n).type_as(data)
    out[:2] = data
    return out
--- elements of a comprehension are blocks of their own
import torch
def states(parts, order, masks):
    picked = [part.index_select(1, order) for part in parts]
    out = []
    for part, mask in zip(picked, masks):
        part += mask
        out.append(part.detach())
    return out
--- what each turn made is filled in that turn
import torch
def counts(windows):
    maps = []
    for window in windows:
        maps.append(torch.zeros(3))
        maps[-1][:2] += window
    return maps
--- one buffer for each parameter
import torch
def step(parameters, buffers):
    for i, parameter in enumerate(parameters):
        buffer = buffers[i]
        if buffer is None:
            buffer = torch.clone(parameter).detach()
            buffers[i] = buffer
        else:
            buffer.mul_(0.9).add_(parameter)
--- a method that torch does not have
import torch
def f(x: torch.Tensor):
    y = x.to_something_else()
    return torch.tensor(y)
--- numpy writes into its last argument
import numpy as np
def f(low, high, size):
    x = np.random.rand(size)
    np.clip(x, low - 1, high + 1, x)
    np.add(x, 1, x)
    np.exp(x, x)
    return x
--- layers without parameters may be one
import torch.nn as nn
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        dropout = nn.Dropout(0.1)
        self.drops = nn.ModuleList([dropout for _ in range(n)])
        self.more = nn.ModuleList([dropout] * n)
--- a conversion under a test that the dtypes differ
def f(average, grad, dtype, mask):
    if mask is not None and dtype != grad.dtype:
        update = average.to(grad.dtype)
    else:
        update = average.clone()
    update.mul_(mask)
    return update
--- what a function computes under no_grad is off the graph
import torch
class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 3)
    def forward(self, z):
        return self.layer(z)
decoder = Decoder()
with torch.no_grad():
    found = decoder(torch.zeros(2, 2))
shown = found.cpu().numpy()
--- weights are put into a live state on purpose
def load(self, file):
    state = self.net.state_dict()
    weight = file.get_tensor("weight")
    state["layer.weight"].copy_(weight)
    state["layer.bias"].copy_(file.get_tensor("bias"))
    self.net.load_state_dict(state)
--- another name on one branch, given after the write
import numpy as np
def mixed(x: np.ndarray, order, flat):
    out = x.copy()
    for i, j in enumerate(order):
        if j > 0:
            out[i, :2] = x[j, :2]
    done = out
    if flat == 1:
        out = done
    return out
--- the argument on one branch, a view of something else on the other
import torch
def shaped(x: torch.Tensor, size: int) -> torch.Tensor:
    return x.view(x.size(0), -1, size).transpose(1, 2)
class Attention(torch.nn.Module):
    def forward(self, query: torch.Tensor, kind, made):
        if made:
            if kind == "self":
                query = self.first(query)
        else:
            query = self.second(query)
            query = shaped(query, 3)
        query /= 3.0
        return query * 2
--- requires_grad_() makes no other object of an argument
import torch
def attacked(x: torch.Tensor, step, bound):
    x.requires_grad_()
    gradient = torch.autograd.grad(step(x), [x])[0]
    with torch.inference_mode():
        x.add_(gradient.sign())
        x.clamp_(-bound, bound)
    return x
--- single numbers of a matrix of indices
import numpy as np
import torch
def order(size):
    indices = np.arange(size * size).reshape(size, size)
    found = []
    for i in range(size):
        for j in range(size):
            found.append(indices[i, j])
    return torch.tensor(found)
--- a window on what is written next, copied when it is
import numpy as np
def path(costs):
    table = np.zeros((4, 4))
    inner = table[1:, 1:]
    table[1:, 1:] = costs
    kept = inner.copy()
    return kept, inner
--- a test that copying does not raise
import copy
def test_it_can_be_copied(net):
    copy.deepcopy(net)
"""
)


@pytest.mark.parametrize("program", FINE.values(), ids=FINE.keys())
def test_a_program_that_is_fine_gives_no_error_or_warning(program: str) -> None:
    assert codes_in(program, notes=False) == []
