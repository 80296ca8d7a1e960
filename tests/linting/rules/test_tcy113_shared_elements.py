"""One object in places that were meant for several."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, codes_in, lines_of, marked_lines

CODE = "TCY113"
WRONG = cases(
    """
--- a layer among activations, repeated on one branch
from torch import nn
def build(n, depth):
    more = [nn.ReLU(), nn.Linear(n, n)] * (depth - 1) if depth > 1 else [] # here
    return nn.Sequential(*[nn.Linear(2, n), *more, nn.Tanh()])
--- list mult
import torch
xs = [torch.zeros(3)] * 4 # here
xs[0][1] = 1
--- list mult var
import torch
z = torch.zeros(3)
xs = [z] * 4 # here
xs[0] += 1
--- list mult method
import torch
xs = [torch.zeros(3)] * 4 # here
xs[0].add_(1)
--- loop
import torch
hidden = [torch.zeros(3)] * 4 # here
for i in range(4):
    hidden[i][0] = i
--- loop aug
import numpy as np
sums = [np.zeros(3)] * 4 # here
for i in range(4):
    sums[i] += i
--- loop iterate
import numpy as np
sums = [np.zeros(3)] * 4 # here
for s in sums:
    s += 1
--- nested lists
import torch
grid = [[0] * 3] * 2 # here
grid[0][1] = 5
t = torch.tensor(grid)
--- nested lists tensors
import torch
grid = [[torch.zeros(1)] * 3] * 2 # here
grid[0][1] = torch.ones(1)
--- shells around one network
from torch import nn
class Residual(nn.Module):
    def __init__(self, inner: nn.Module, scale=1.0):
        super().__init__()
        self.scale = scale
        self.fn = inner
        self.count = 0
class Net(nn.Module):
    def __init__(self, net: nn.Module, depth=4):
        super().__init__()
        self.layers = nn.ModuleList([Residual(net, scale=i) for i in range(depth)]) # here
--- shells with a scalar of their own, unpacked
import torch
from torch import nn
class Step(nn.Module):
    def __init__(self, size: int, denoiser: nn.Module):
        super().__init__()
        self.denoiser = denoiser
        self.size = size
        self.weight = nn.Parameter(torch.ones(1))
def build(network, n):
    return nn.Sequential(*[Step(3, denoiser=network) for _ in range(n)]) # here
--- fromkeys
import torch
d = dict.fromkeys(['a', 'b'], torch.zeros(3)) # here
d['a'] += 1
--- fromkeys np
import numpy as np
d = dict.fromkeys('ab', np.zeros(3)) # here
d['a'][0] = 1
--- fromkeys list
import torch
d = dict.fromkeys(['a', 'b'], []) # here
d['a'].append(torch.zeros(1))
--- comprehension same
import torch
z = torch.zeros(3)
rows = [z for _ in range(4)] # here
rows[0] += 1
--- list of lists append
import torch
rows = [[]] * 4 # here
for i in range(4):
    rows[i].append(torch.tensor(i))
--- tuple
import torch
a, b = [torch.zeros(3)] * 2 # here
a += 1
--- chain
import torch
a = b = torch.zeros(3) # here
a += 1
print(b)
--- chain np
import numpy as np
mean = var = np.zeros(3) # here
mean += 1
var += 2
print(mean, var)
--- attrs chain
import torch
class A:
    def __init__(self):
        self.m = self.v = torch.zeros(3) # here
    def step(self, g):
        self.m.mul_(0.9).add_(g)
        self.v.mul_(0.99).add_(g * g)
--- modulelist
from torch import nn
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3)] * n) # here
--- modulelist var
from torch import nn
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        layer = nn.Linear(3, 3)
        self.layers = nn.ModuleList([layer for _ in range(n)]) # here
--- starred list
from torch import nn
net = nn.Sequential(*[nn.Linear(3, 3)] * 4) # here
--- starred list in brackets
from torch import nn
net = nn.Sequential(*([nn.Linear(3, 3), nn.ReLU()] * 4)) # here
--- modulelist append in loop
from torch import nn
layer = nn.Linear(3, 3)
layers = nn.ModuleList()
for _ in range(3):
    layers.append(layer) # here
--- repeat
from itertools import repeat
from torch import nn
layers = nn.ModuleList(repeat(nn.Linear(3, 3), 4)) # here
--- ParameterList
import torch
from torch import nn
p = nn.ParameterList([nn.Parameter(torch.zeros(3))] * 4) # here
--- list then modulelist
from torch import nn
layers = [nn.Linear(3, 3)] * 4 # here
net = nn.Sequential(*layers)
--- copy.copy of layer
import copy
from torch import nn
layer = nn.TransformerEncoderLayer(4, 2)
layers = nn.ModuleList([copy.copy(layer) for _ in range(3)]) # here
"""
)
RIGHT = cases(
    """
--- each place gets a value of its own before it is written
import torch
def losses(n, terms, more):
    found = [torch.tensor(0.0)] * n
    for i in range(n):
        found[i] = 2 * terms[i]
        found[i] += more[i]
    return sum(found)
--- written before it gets its names
import torch
from torch import nn
class Graph(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList()
        self.layers.append(nn.Linear(3, 3))
    def forward(self, x: torch.Tensor, convolutions):
        x = first = self.layers[0](x).relu_()
        x = torch.dropout(x, 0.1, True)
        for convolution in convolutions:
            h = convolution(x, first)
            x = h.relu_()
        return x
--- an activation that has parameters on one branch only
from torch import nn
def build(act, n):
    layers = nn.ModuleList()
    if act == "prelu":
        a = nn.PReLU()
    else:
        a = nn.ReLU()
    for _ in range(n):
        layers.append(nn.Linear(2, 2))
        layers.append(a)
    return layers
--- a place gets a list of its own before it is filled
buckets = [[]] * 100
for i in range(1000):
    if len(buckets[i % 100]) == 0:
        buckets[i % 100] = []
    buckets[i % 100].append(i)
--- shared if the settings ask for it
import copy
from torch import nn
def build(layer: nn.Linear, depth, share):
    layer = nn.Linear(2, 2)
    if share:
        return nn.ModuleList([layer for _ in range(depth)])
    else:
        return nn.ModuleList([copy.deepcopy(layer) for _ in range(depth)])
--- activations chosen, repeated and put among layers
from torch import nn
def block(n, act):
    return [nn.Linear(n, n), act]
def build(n, depth, elu):
    acts = [nn.ReLU() if elu else nn.ELU()] * depth
    layers = []
    for act in acts:
        layers += block(n, act)
    return nn.Sequential(*layers)
--- an attribute that a method fills only after making it anew
class Worker:
    def __init__(self, n):
        self.rows = [[]] * n
    def start(self, n):
        self.rows = [[] for _ in range(n)]
    def step(self, i, x):
        self.rows[i].append(x)
--- comprehension
import torch
xs = [torch.zeros(3) for _ in range(4)]
xs[0][1] = 1
rows = [[] for _ in range(4)]
rows[0].append(1)
--- elements only replaced
import torch
xs = [torch.zeros(3)] * 4
for i in range(4):
    xs[i] = torch.ones(3) * i
--- numbers
sizes = [0] * 3
sizes[0] += 1
grid = [[0] * 3 for _ in range(2)]
grid[0][1] = 5
--- only read
import torch
print(torch.stack([torch.zeros(3)] * 4))
batch = torch.cat([torch.ones(1, 3)] * 2)
batch[0] = 5
--- layers made in each turn
from torch import nn
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(n)])
        self.acts = nn.ModuleList([nn.ReLU()] * n)
--- copies of a layer
import copy
from torch import nn
layer = nn.Linear(3, 3)
layers = nn.ModuleList([copy.deepcopy(layer) for _ in range(3)])
--- shells around networks of their own
import copy
from torch import nn
class Residual(nn.Module):
    def __init__(self, inner: nn.Module):
        super().__init__()
        self.inner = inner
net = nn.Linear(3, 3)
layers = nn.ModuleList([Residual(copy.deepcopy(net)) for _ in range(3)])
others = nn.ModuleList([Residual(nn.Linear(3, 3)) for _ in range(3)])
wrapped = nn.ModuleList([Residual(each) for each in layers])
--- layers with one embedding among their own
from torch import nn
class Layer(nn.Module):
    def __init__(self, width: int, positions: nn.Module):
        super().__init__()
        self.positions = positions
        self.out = nn.Linear(width, width)
class Net(nn.Module):
    def __init__(self, positions: nn.Module, depth=4):
        super().__init__()
        self.layers = nn.ModuleList([Layer(8, positions) for _ in range(depth)])
--- shells that copy what they are handed
import copy
from torch import nn
class Residual(nn.Module):
    def __init__(self, inner: nn.Module):
        super().__init__()
        self.inner = copy.deepcopy(inner)
def build(net):
    return nn.ModuleList([Residual(net) for _ in range(3)])
--- shells that are handed numbers
from torch import nn
class Scale(nn.Module):
    def __init__(self, factor: float):
        super().__init__()
        self.factor = factor
def build(factor):
    return nn.ModuleList([Scale(factor) for _ in range(3)])
--- layers of a list
from torch import nn
blocks = [nn.Linear(3, 3), nn.Linear(3, 3)]
layers = nn.ModuleList([block for block in blocks])
net = nn.Sequential(*blocks)
--- appended one by one
from torch import nn
layers = nn.ModuleList()
for _ in range(3):
    layer = nn.Linear(3, 3)
    layers.append(layer)
--- two names, then new values
import numpy as np
mean = var = np.zeros(3)
mean = mean + 1
var = var + 2
print(mean, var)
--- two names for numbers
lo = hi = 0
lo += 1
hi += 2
--- local name of an attribute
import torch
class A:
    def __init__(self):
        self.buffer = buffer = torch.zeros(3)
        buffer[0] = 1
        self.total = buffer.sum()
--- one name rebound
import torch
a = b = torch.zeros(3)
b = torch.ones(3)
a += 1
print(b)
--- keys with numbers
counts = dict.fromkeys('ab', 0)
counts['a'] += 1
means = {k: [] for k in 'ab'}
means['a'].append(1)
--- entries replaced
import torch
d = dict.fromkeys('ab', torch.zeros(3))
d['a'] = d['a'] + 1
"""
)


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG)
def test_an_object_that_stands_in_several_places_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", RIGHT.values(), ids=RIGHT)
def test_objects_of_their_own_and_replaced_elements_are_left_alone(program: str) -> None:
    assert codes_in(program, notes=False) == []
