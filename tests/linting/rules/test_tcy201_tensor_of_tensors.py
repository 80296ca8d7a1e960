"""Lists of tensors handed to constructors that read numbers."""

from __future__ import annotations

import pytest

from tensorcopy.linting.model import Level
from tests.linting.programs import cases, found_in, lines_of, marked_lines

CODE = "TCY201"
CUT = cases(
    """
--- parameters
import torch
from torch import nn
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.zeros(()))
        self.b = nn.Parameter(torch.ones(()))
    def forward(self, x):
        return x * torch.tensor([self.a, self.b])  # here
--- collected by append
import torch
from torch import nn
net = nn.Linear(2, 1)
losses = []
for x in torch.ones(3, 2):
    losses.append(net(x).mean())
total = torch.tensor(losses).mean()  # here
--- comprehension, aliased
import torch as th
import torch.nn.functional as F
net = th.nn.Linear(2, 2)
def loss(batches):
    return th.FloatTensor([F.mse_loss(net(b), b) for b in batches]).mean()  # here
loss(th.ones(3, 1, 2))
--- imported constructor
from torch import as_tensor, nn, ones
net = nn.Linear(1, 1)
parts = net(ones(1)).sum(), net(ones(1)).sum()
total = as_tensor(parts)  # here
--- keyword
import torch
w = torch.ones((), requires_grad=True)
both = torch.tensor(data=[w * 2, w * 3], dtype=torch.float64)  # here
--- mixed with numbers
import torch
w = torch.ones((), requires_grad=True)
row = torch.tensor([1.0, 0.0, w.sin()])  # here
--- asarray
import torch
w = torch.ones((), requires_grad=True)
row = torch.asarray([w, w])  # here
"""
)
FAILING = cases(
    """
--- rows
import torch
rows = [torch.rand(3) for _ in range(2)]
table = torch.tensor(rows)  # here
--- zeros in a literal
import torch
pair = torch.Tensor([torch.zeros(2, 2), torch.ones(2, 2)])  # here
"""
)
READ_ONE_BY_ONE = cases(
    """
--- probabilities of samples
import torch
from torch.distributions import Categorical
def loss(policy, states):
    found = []
    for s in states:
        dist = Categorical(logits=policy(s))
        found.append(dist.log_prob(dist.sample()))
    return -torch.tensor(found).sum()  # here
--- attributes that another method sets to tensors, for each of several
import torch
class Scaler:
    def parameters(self):
        while self.low < self.high:
            yield torch.tensor([self.low, self.high])  # here

    def fit(self, y: torch.Tensor):
        self.low = y.min()
        self.high = y.max()
--- attributes that another method sets to tensors for some inputs
import numpy as np
import torch
class Scaler:
    def parameters(self):
        return torch.tensor([self.center_, self.scale_])  # here

    def fit(self, y):
        if isinstance(y, torch.Tensor):
            self.center_, self.scale_ = torch.mean(y), torch.std(y)
        else:
            self.center_, self.scale_ = np.mean(y), np.std(y)
--- elements of a tensor
import torch
def order(lengths: torch.Tensor, index):
    return torch.tensor([lengths[i] for i in index])  # here
--- literal in a loop
import torch
def ends(xs: list[torch.Tensor]):
    found = []
    for x in torch.stack(xs):
        found.append(torch.tensor([x.min(), x.max()]))  # here
    return found
--- iterated
import torch
def powers(steps: torch.Tensor):
    return torch.tensor([0.5 ** t for t in steps])  # here
--- list filled in a loop
import torch
def corners(boxes):
    found = []
    for box in torch.stack(boxes):
        found.append(box.sum())
    return torch.LongTensor(found)  # here
"""
)
SILENT = cases(
    """
--- numbers or tensors, as a function gives them
import torch
def number(x):
    if isinstance(x, str):
        return 1
    if isinstance(x, torch.Tensor):
        return x.long()
    return 2
def f(xs):
    return torch.tensor([number(x) for x in xs.split()])
--- attributes that another method sets to numbers, or to arrays for some inputs
import numpy as np
import torch
class Scaler:
    def parameters(self):
        return torch.tensor([self.center_, self.scale_])

    def limits(self):
        return torch.tensor([self.low, self.high])

    def fit(self, y):
        self.center_, self.scale_ = float(y.mean()), float(y.std())
        if isinstance(y, np.ndarray):
            self.low = y.min(axis=0)
        else:
            self.low = 0.0
        self.high = y.other
--- a local that is a tensor on one branch
import torch
def f(xs, together):
    total = torch.zeros(()) if together else 0.0
    return torch.tensor([total, total])
--- stacked
import torch
w = torch.ones((), requires_grad=True)
torch.stack([w, w])
--- numbers of tensors
import torch
x = torch.rand(3)
torch.tensor([x[0].item(), float(x[1]), int(x[2]), len(x), x.shape[0]])
--- sizes
import torch
def f(x: torch.Tensor):
    return torch.tensor([x.size(0), x.dim(), x.numel()]), torch.tensor(x.shape), torch.tensor([*x.shape])
--- unknown elements
import torch
def f(values):
    return torch.tensor([v for v in values])
--- lists of numbers of a tensor
import torch
def f(x: torch.Tensor):
    return torch.tensor([row.tolist() for row in x])
--- repeated lists
import torch
def f(mask):
    rows = []
    for m in mask:
        n = torch.sum(m)
        rows.append([0] * n + list(range(3)))
    return torch.LongTensor(rows)
--- empty case of a stack
import torch
def f(xs: torch.Tensor):
    b = []
    for x in xs:
        b.append(x * 2)
    return torch.stack(b) if len(b) > 0 else torch.tensor(b)
--- loop variable of a name bound anew in the loop
import torch
def f(modes: list[int]):
    out = []
    for mode in modes:
        modes = torch.tensor(mode)
        out.append(modes)
    return out
--- elements that an annotation promises
import torch
def collate(batches: list[dict[str, torch.Tensor]]):
    return torch.tensor([b["length"] for b in batches])
--- empty case after a stack
import torch
def f(xs: torch.Tensor):
    keep = []
    for x in xs:
        keep.append(x)
    if len(keep) > 0:
        return torch.stack(keep)
    return torch.tensor(keep)
--- tensor or number by branch
import torch
def f(n, x: torch.Tensor):
    size = x.sum() if n is None else n
    return torch.tensor([size, size])
--- arrays
import numpy as np
import torch
torch.tensor(np.stack([np.zeros(2), np.ones(2)]))
"""
)


@pytest.mark.parametrize("program", CUT.values(), ids=CUT)
def test_tensors_on_the_graph_are_an_error(program: str) -> None:
    found = [f for f in found_in(program) if f.code == CODE]

    assert [(f.place.line, f.level) for f in found] == [(line, Level.ERROR) for line in marked_lines(program)]
    assert "no gradient reaches them" in found[0].message


@pytest.mark.parametrize("program", FAILING.values(), ids=FAILING)
def test_tensors_with_several_elements_are_an_error(program: str) -> None:
    found = [f for f in found_in(program) if f.code == CODE]

    assert [(f.place.line, f.level) for f in found] == [(line, Level.ERROR) for line in marked_lines(program)]
    assert "raises ValueError" in found[0].message


@pytest.mark.parametrize("program", READ_ONE_BY_ONE.values(), ids=READ_ONE_BY_ONE)
def test_other_tensors_are_a_warning(program: str) -> None:
    found = [f for f in found_in(program) if f.code == CODE]

    assert [(f.place.line, f.level) for f in found] == [(line, Level.WARNING) for line in marked_lines(program)]


def test_a_constant_tensor_among_numbers_is_a_note() -> None:
    found = [
        f
        for f in found_in("import torch\npi = torch.tensor(3.14)\nx = torch.tensor([pi / 2, 0.0])\n")
        if f.code == CODE
    ]

    assert [(f.place.line, f.level) for f in found] == [(3, Level.NOTE)]


def test_numbers_made_into_tensors_on_the_spot_are_a_note() -> None:
    program = (
        "import torch\na = torch.tensor(0.5)\nb = torch.FloatTensor([a])\nc = torch.tensor([torch.zeros(()), a])\n"
    )
    found = [f for f in found_in(program) if f.code == CODE]

    assert [(f.place.line, f.level) for f in found] == [(3, Level.NOTE), (4, Level.NOTE)]


def test_a_tensor_among_the_numbers_of_a_list_is_a_note() -> None:
    program = "import torch\nx = torch.ones(3)\na = [0.0, 0.0]\na[0] = x.detach().mean()\nb = torch.tensor(a)\n"

    assert [(f.code, f.level) for f in found_in(program)] == [(CODE, Level.NOTE)]


def test_a_function_that_nobody_calls_may_record_no_graph() -> None:
    program = (
        "import torch\nnet = torch.nn.Linear(2, 1)\ndef f(x):\n    return torch.tensor([net(x).sum(), net(x).mean()])\n"
    )
    alone = [f.level for f in found_in(program) if f.code == CODE]
    called = [f.level for f in found_in(program + "f(torch.ones(1, 2))\n") if f.code == CODE]

    assert (alone, called) == ([Level.NOTE], [Level.ERROR])


def test_a_written_list_of_one_tensor_is_a_note() -> None:
    program = "import torch\ndef f(x: torch.Tensor):\n    r = x.detach().mean()\n    return torch.tensor([r])\n"

    assert [(f.code, f.level) for f in found_in(program)] == [(CODE, Level.NOTE)]


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_lists_of_anything_else_are_fine(program: str) -> None:
    assert lines_of(CODE, program) == []
