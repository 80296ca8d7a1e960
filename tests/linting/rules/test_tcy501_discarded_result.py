"""Results that nobody takes."""

from __future__ import annotations

import pytest
import torch

from tensorcopy.linting.flow.vocabulary import IN_PLACE_TWINS, METHODS
from tests.linting.programs import cases, lines_of, mended

CODE = "TCY501"
DISCARDED = cases(
    """
--- moved
import torch
x = torch.ones(2)
x.to('cpu')
--- annotated
import torch
def f(x: torch.Tensor):
    x.clamp(0, 1)
    return x
--- optional
import torch
from typing import Optional
def f(x: Optional[torch.Tensor]):
    x.cuda()
    return x
--- attribute
import torch
class A:
    def __init__(self):
        self.s = torch.ones(2)

    def go(self, device):
        self.s.to(device)
        return self.s
--- only tensors have it
import torch
def f(x, m):
    x.masked_fill(m, 0)
    return x
--- function
import torch
def f(x):
    torch.clamp(x, 0, 1)
    return x
--- imported function
from torch import clamp as limit
def f(x):
    limit(x, 0, 1)
    return x
--- joined
import torch
def f(x: torch.Tensor):
    parts = [x]
    torch.cat(parts, 1).squeeze(0)
    return parts
--- element
import torch
def f(xs: list[torch.Tensor]):
    xs[0].half()
    return xs
--- loop
import torch
def f(xs: list[torch.Tensor]):
    for x in xs:
        x.cpu()
    return xs
--- by call
import torch
def f(x):
    x.float()
    return x

print(f(torch.ones(2).half()))
--- parameter
import torch
w = torch.nn.Parameter(torch.ones(2))
w.to('cuda')
--- function of a network
import torch.nn.functional as F
def f(x):
    x = F.relu(x)
    F.normalize(x, dim=1)
    return x
--- layer
import torch
class A(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = torch.nn.Dropout(0.5)

    def forward(self, x):
        self.drop(x)
        return x
--- deep copy
import copy
def f(model):
    copy.deepcopy(model)
    return model
--- append
import numpy as np
def f(a):
    np.append(a, 1)
    return a
--- clip
import numpy as np
def f(a):
    np.clip(a, 0, 1)
    return a
--- astype
import numpy as np
a = np.zeros(3)
a.astype(np.float32)
--- dict
from typing import Any
def f(options: dict[str, Any]):
    options.copy()
    return options
"""
)
TAKEN = cases(
    """
--- module
import torch
m = torch.nn.Linear(2, 2)
m.to('cpu')
m.half()
--- own module
import torch
class A(torch.nn.Module):
    def go(self):
        self.to('cpu')
        super().to('cpu')
--- unknown
def f(x, m):
    x.to('cpu')
    x.clamp(0, 1)
    x.detach()
    m.float()
    return x
--- layers that act
import torch
import torch.nn.functional as F
class A(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.relu = torch.nn.ReLU(inplace=True)
        self.norm = torch.nn.BatchNorm1d(3)

    def forward(self, x: torch.Tensor):
        self.relu(x)
        self.norm(x)
        F.relu(x, inplace=True)
        F.relu(x, True)
        return x
--- assigned
import torch
x = torch.ones(2)
x = x.to('cpu')
--- in place
import torch
x = torch.ones(2)
x.clamp_(0, 1)
x.requires_grad_()
--- out
import torch
import numpy as np
x = torch.ones(2)
torch.clamp(x, 0, 1, out=x)
a = np.ones(2)
np.clip(a, 0, 1, out=a)
--- out by position
import numpy as np
def f(a, x: np.ndarray):
    np.clip(a, 0, 1, a)
    np.exp(x, x)
--- array methods in place
import numpy as np
a = np.ones(2)
a.sort()
a.fill(1)
a.resize(3)
np.copyto(a, 1)
--- warm-up
import torch
torch.zeros(1).cuda()
torch.ones(2).to('cuda')
--- timing
import torch
x = torch.ones(2, 2)
x.matmul(x)
torch.mm(x, x)
x.item()
--- repeated
import torch
x = torch.ones(2)
for _ in range(100):
    x.add(x)
--- probe
import torch
x = torch.ones(2)
try:
    x.view(3)
except RuntimeError:
    print('no')
--- expected error
import pytest, torch
x = torch.ones(2)
with pytest.raises(RuntimeError):
    x.view(3)
--- backward
import torch
x = torch.ones(2, requires_grad=True)
x.sum().backward()
x.retain_grad()
--- subclass
import torch
class T(torch.Tensor):
    def go(self):
        self.clamp(0, 1)
--- list
xs = [1]
xs.append(2)
xs.sort()
xs.reverse()
"""
)


@pytest.mark.parametrize("program", DISCARDED.values(), ids=DISCARDED)
def test_a_lost_result_is_found(program: str) -> None:
    assert len(lines_of(CODE, program)) == 1


@pytest.mark.parametrize("program", TAKEN.values(), ids=TAKEN)
def test_calls_that_act_or_may_act_are_left_alone(program: str) -> None:
    assert lines_of(CODE, program) == []


def test_many_results_dropped_in_a_row_are_a_trial_and_one_among_calls_that_act_is_none() -> None:
    trial = "import torch\n\nx = torch.ones(3)\nx.clamp(0, 1)\nx.round()\nx.detach()\nx.reshape(3, 1)\nx.abs()\n"
    step = "import torch\n\nx = torch.ones(3)\nlog = []\nlog.append(1)\nlog.clear()\nx.clamp(0, 1)\nlog.append(2)\n"

    assert lines_of(CODE, trial) == []
    assert lines_of(CODE, trial.replace("x.detach()\n", "print(x)\n")) == [4, 5, 7, 8]
    assert lines_of(CODE, step) == [7]


def test_the_fix_assigns_to_what_the_call_was_made_on() -> None:
    program = "import torch\n\n\ndef f(x: torch.Tensor):\n    x.clamp(0, 1)\n    return x\n"

    assert mended(program, CODE) == program.replace("    x.clamp", "    x = x.clamp")


@pytest.mark.parametrize("case", ["loop", "element", "parameter", "joined"])
def test_there_is_no_fix_where_an_assignment_would_not_help(case: str) -> None:
    assert mended(DISCARDED[case], CODE) == DISCARDED[case]


def test_the_methods_with_a_twin_that_writes_are_those_of_torch() -> None:
    assert {m for m in METHODS if hasattr(torch.Tensor, f"{m}_")} == IN_PLACE_TWINS
