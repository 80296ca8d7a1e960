"""Objects that share parameters and are deep-copied one by one."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, codes_in, lines_of, marked_lines

CODE = "TCY114"
WRONG = cases(
    """
--- deepcopy of both
import copy
import torch
net = torch.nn.Linear(2, 2)
opt = torch.optim.SGD(net.parameters(), lr=.1)
net2 = copy.deepcopy(net)
opt2 = copy.deepcopy(opt) # here
--- from import
from copy import deepcopy
import torch
net = torch.nn.Linear(2, 2)
opt = torch.optim.SGD(net.parameters(), lr=.1)
net2, opt2 = deepcopy(net), deepcopy(opt) # here
--- two optimizers share? tied
import copy
import torch
emb = torch.nn.Embedding(4, 3)
dec = torch.nn.Linear(3, 4, bias=False)
dec.weight = emb.weight
a = copy.deepcopy(emb) # here
b = copy.deepcopy(dec)
"""
)
RIGHT = cases(
    """
--- in one call
import copy
import torch
net = torch.nn.Linear(2, 2)
opt = torch.optim.SGD(net.parameters(), lr=.1)
net2, opt2 = copy.deepcopy((net, opt))
--- a new optimizer
import copy
import torch
net = torch.nn.Linear(2, 2)
opt = torch.optim.SGD(net.parameters(), lr=.1)
net2 = copy.deepcopy(net)
opt2 = torch.optim.SGD(net2.parameters(), lr=.1)
opt2.load_state_dict(copy.deepcopy(opt.state_dict()))
--- the optimizer alone
import copy
import torch
net = torch.nn.Linear(2, 2)
opt = torch.optim.SGD(net.parameters(), lr=.1)
spare = copy.deepcopy(opt)
--- tied inside one module
import copy
import torch
class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(4, 3)
        self.decoder = torch.nn.Linear(3, 4, bias=False)
        self.decoder.weight = self.embedding.weight
model = copy.deepcopy(Tied())
"""
)


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG)
def test_copies_that_no_longer_share_are_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", RIGHT.values(), ids=RIGHT)
def test_copies_in_one_call_and_new_optimizers_are_left_alone(program: str) -> None:
    assert codes_in(program, notes=False) == []
