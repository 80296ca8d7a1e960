"""Integers that float32 rounds."""

from __future__ import annotations

import pytest

from tensorcopy.linting.model import Level
from tests.linting.programs import cases, found_in, lines_of, mended

CODE = "TCY301"
ROUNDED = cases(
    """
--- times moved by a number
import time
import torch
def f(n):
    now = time.time_ns()
    return torch.tensor([now + i for i in range(n)], dtype=torch.float32)  # here
--- class and method
import torch
x = torch.Tensor([len(p) for p in parts]).long()
--- unknown data
import torch
def f(ids):
    return torch.Tensor(ids).to(torch.int64)
--- typed
import torch as th
def f(ids):
    return th.FloatTensor(ids).type(th.LongTensor)
--- by a name
import torch
def f(ids):
    x = torch.Tensor(ids)
    return x.to("cuda").int()
--- a class from its module
from torch import Tensor
def f(ids):
    return Tensor(ids).long()
--- of an array
import numpy as np, torch
class Batch:
    def __init__(self, ids):
        self.ids = ids

    def tensor(self):
        columns = torch.Tensor(self.ids)
        return columns.to(torch.int32)

print(Batch(np.array([50_000_001])).tensor())
--- there and back
import torch
x = torch.arange(5).float().long()
--- there and back in NumPy
import numpy as np
x = np.arange(5).astype(np.float32).astype(np.int64)
--- integers asked to be float32
import torch
x = torch.tensor(list(range(9)), dtype=torch.float32).long()
--- a literal
import torch
x = torch.tensor([16777217], dtype=torch.float32)
--- a literal beside a float
import torch
x = torch.tensor([16777217, 1.5])
--- a literal by a name
import torch
ids = [16777216, 16777217, 16777219]
x = torch.Tensor(ids)
--- a literal in NumPy
import numpy as np
x = np.array([16777217], dtype="float32")
--- a literal in an array that is cast
import numpy as np, torch
x = np.array([16777217, 2]).astype(np.float32)
--- a literal in a tensor that is cast
import torch
x = torch.tensor([16777217, 2]).float()
--- a literal in an array that becomes a tensor
import numpy as np, torch
x = torch.as_tensor(np.array([16777217]), dtype=torch.float32)
--- the time
import time, torch
x = torch.tensor(time.time())
--- the time of a record
import torch
def f(records):
    return torch.tensor([r.created.timestamp() for r in records])
--- the time as an integer
import time, torch
x = torch.Tensor([int(time.time())])
"""
)
EXACT = cases(
    """
--- durations
import time
import torch
def f(n):
    start = time.time()
    return torch.tensor([time.time() - start], dtype=torch.float32)
--- a size, filled
import torch
def f(beam_size):
    return torch.Tensor(beam_size).long().fill_(0)
--- integers stay
import torch
x = torch.tensor([50_000_001]).long()
y = torch.LongTensor([50_000_001])
--- floats are cut off
import torch
x = torch.Tensor([1.5, 2.5]).long()
y = torch.tensor([1.5, 2.5]).long()
--- calculated between
import torch
x = (torch.arange(5).float() / 2).long()
y = torch.Tensor([1, 2]).mul(3).floor().long()
--- sizes
import torch
x = torch.Tensor(3, 4).long()
y = torch.Tensor(3).long()
--- small targets
import torch
x = torch.Tensor([1, 2]).to(torch.uint8)
--- wide floats
import time, torch
import numpy as np
x = torch.tensor(time.time(), dtype=torch.float64)
y = np.array([16777217], dtype=np.float64)
--- literals that fit
import torch
x = torch.Tensor([1, 2]).long()
--- filled
import torch
def f(n):
    return torch.Tensor(n).uniform_(1, 9).long()
--- a literal that fits
import torch
x = torch.tensor([16777218, 1.5])
--- a difference of times
import time, torch
start = time.time()
x = torch.tensor(time.time() - start)
--- unknown stays float
import torch
def f(x):
    return torch.Tensor(x), x.float().long()
"""
)


@pytest.mark.parametrize("program", ROUNDED.values(), ids=ROUNDED)
def test_integers_that_may_be_rounded_are_found(program: str) -> None:
    assert len(lines_of(CODE, program)) == 1


@pytest.mark.parametrize("program", EXACT.values(), ids=EXACT)
def test_integers_that_stay_exact_are_left_alone(program: str) -> None:
    assert lines_of(CODE, program) == []


def test_the_fix_keeps_known_integers() -> None:
    program = "import torch\nx = torch.Tensor([len('a'), 2]).long()\n"

    assert mended(program, CODE) == "import torch\nx = torch.tensor([len('a'), 2], dtype=torch.int64)\n"


def test_there_is_no_safe_fix_for_unknown_data() -> None:
    program = ROUNDED["unknown data"]

    assert mended(program, CODE) == program


@pytest.mark.parametrize("data", ["[skill]", "[names.index(n) for n in wanted]"])
def test_one_number_and_places_in_a_list_are_a_note(data: str) -> None:
    program = f"import torch\n\n\ndef f(skill, names: list, wanted):\n    return torch.Tensor({data}).long()\n"

    assert [(f.code, f.level) for f in found_in(program)] == [(CODE, Level.NOTE)]
