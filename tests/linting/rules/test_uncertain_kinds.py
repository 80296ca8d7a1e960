"""Kinds and dtypes that only seem certain: annotations, other calls, attributes, lists that change later."""

from __future__ import annotations

import ast

import pytest

from tensorcopy.linting.flow import findings_in
from tensorcopy.linting.model import Level
from tensorcopy.linting.sources import Source
from tests.linting.programs import cases, every_rule, found_in, lines_of, marked_lines

SILENT = cases(
    """
--- TCY306 a function that gives another dtype in each call
import torch
def pair(edges, weights=None):
    if weights is None:
        weights = torch.ones(3, dtype=torch.long)
    return torch.sparse_csc_tensor(edges[0], edges[1], weights)
edges = torch.tensor([[0, 1], [1, 0]])
pair(edges, torch.randn(2)).t().requires_grad_()
--- TCY306 a number that its annotation calls an integer
import torch
class Searcher:
    def __init__(self, rate: int = 0.55):
        self.rate = rate
    def start(self):
        return torch.tensor(self.rate, requires_grad=True)
--- TCY310 a dict by its annotation
from typing import Dict
import numpy as np
class Statistics:
    def __init__(self, known: Dict[str, Dict[str, Dict[str, float]]]):
        self.known = known
    def limits(self, name):
        return np.array(self.known[name]["max"])
--- TCY310 an object that was asked for
import numpy as np
known = {"max": 1.0}
print(np.array(known, "O"), np.array(known, dtype=object))
--- TCY312 arguments of a class method
import torch
class Scale:
    @classmethod
    def of(cls, scale, names):
        return torch.from_numpy(scale), names
    @classmethod
    def plain(cls, scale):
        return cls.of(scale, ["a"])
--- TCY312 a static method called on an object
import torch
class Scale:
    @staticmethod
    def of(scale, names):
        return torch.from_numpy(scale), names
    def plain(self, scale):
        return self.of(scale, ["a"])
--- TCY312 an attribute that holds an array in that branch
import torch
class Table:
    def __init__(self, n, given=False):
        self.given = given
        self.rows = None if given else torch.empty(n, 3)
    def rows_at(self, i):
        if self.given:
            return torch.from_numpy(self.rows[i.numpy()])
        return self.rows[i]
--- TCY315 rows that are filled up first
import torch
def padded(rows, n):
    for i in range(len(rows)):
        rows[i] = [0] * (n - len(rows[i])) + rows[i]
    return torch.tensor(rows)
rows = [[1, 2], [3]]
padded(rows, 2)
both = []
both.append([1, 2])
both.append([1, 2] + [3])
both[0].append(4)
torch.tensor(both)
--- TCY202 an argument of a test
import torch
def test_equal(a: torch.Tensor):
    assert torch.tensor(a).sum() == 0
--- TCY207 bound to numbers before they are summed
import torch
def train(net, loader, stats):
    total = 0.0
    for x in loader:
        loss, other = net(x)
        loss.backward()
        stats.update(loss.item())
        (loss, other) = stats.get()
        total += loss
    return total
--- TCY213 places drawn from probabilities
import torch
net = torch.nn.Linear(2, 3)
p = torch.softmax(net(torch.ones(1, 2)), -1)
place = torch.multinomial(p, 1).numpy()
--- TCY218 made of a number
import torch
from lightning import LightningModule
class Plan(LightningModule):
    def training_step(self, batch, i):
        loss = torch.Tensor([self.svi.step(batch)])
        out = {"loss": loss}
        self.seen.append(out)
        return out
--- TCY402 results that backward needs
import torch
import torch.nn.functional as F
net = torch.nn.Linear(2, 2)
def f(x):
    y = torch.tanh(net(x)).clone()
    y += F.softmax(net(x), -1).clone()
    return y
--- TCY501 work for what is tested
import torch
def test_timing(timed):
    @timed
    def work():
        x = torch.ones(2, 3)
        torch.add(x, x)
    work()
--- TCY406 two parts of each, joined at the end
import torch
def f(batches):
    means, limits = [], []
    for batch in batches:
        out = torch.softmax(batch, -1)
        means.append(out[..., :-1])
        limits.append(out[..., -1])
    return means, limits
def g(batches):
    last = []
    for batch in batches:
        out = torch.softmax(batch, -1)
        last.append(out[..., -1])
    last = torch.stack(last)
    return last
"""
)
FOUND = cases(
    """
--- TCY306 made in sight
import torch
ids = torch.randint(3, (2,)).view(-1)
ids.requires_grad_()  # here
--- TCY310 a dict in sight
import numpy as np
known = {"max": {"a": 1.0}}
np.array(known["max"])  # here
--- TCY312 arguments of a class method
import torch
class Scale:
    @classmethod
    def of(cls, scale, names):
        return torch.from_numpy(names), scale  # here
    @classmethod
    def plain(cls, scale):
        return cls.of(scale, ["a"])
--- TCY315 by a variable
import torch
rows = [[1, 2], [3]]
torch.tensor(rows)  # here
--- TCY202 a tensor that a test makes
import torch
def test_equal():
    a = torch.zeros(3)
    assert torch.tensor(a).sum() == 0  # here
--- TCY207 summed before it is bound anew
import torch
def train(net, loader, stats):
    total = 0.0
    for x in loader:
        loss, other = net(x)
        loss.backward()
        total += loss  # here
        (loss, other) = stats.get()
    return total
--- TCY218 an entry of a dict
from lightning import LightningModule
class Plan(LightningModule):
    def training_step(self, batch, i):
        loss = self.net(batch).mean()
        self.seen.append({"loss": loss})  # here
        return loss
--- TCY402 results that backward does not need
import torch
net = torch.nn.Linear(2, 2)
def f(x):
    with torch.no_grad():
        y = torch.tanh(net(x)).clone()  # here
    return y + torch.cat([x, x]).clone()  # here
--- TCY406 one part of each
import torch
def f(batches):
    last = []
    for batch in batches:
        out = torch.softmax(batch, -1)
        last.append(out[..., -1])  # here
    return last
"""
)


@pytest.mark.parametrize("case", SILENT)
def test_what_is_not_certain_is_left_alone(case: str) -> None:
    assert lines_of(case.split()[0], SILENT[case]) == []


@pytest.mark.parametrize("case", FOUND)
def test_what_is_certain_is_found(case: str) -> None:
    assert lines_of(case.split()[0], FOUND[case]) == marked_lines(FOUND[case])


def test_repeating_in_a_constructor_is_a_note() -> None:
    head = "import torch\nclass Grid:\n    def {}(self, n):\n"
    body = "        self.rows = torch.arange(9.0).unsqueeze(0).repeat(n, 1) + 1\n"
    levels = {name: [f.level for f in found_in(head.format(name) + body)] for name in ("__init__", "at")}

    assert levels == {"__init__": [Level.NOTE], "at": [Level.WARNING]}


@pytest.mark.parametrize(("name", "lines"), [("a.ipynb", [4]), ("a.py", [3, 4, 5])])
def test_a_line_of_a_notebook_may_be_there_to_be_shown(name: str, lines: list[int]) -> None:
    text = "import numpy as np\na = np.ones(3)\nnp.divide(a, 2)\nif len(a): a.clip(0, 1)\na.round(2)\n"
    found = findings_in(Source(name=name, text=text, tree=ast.parse(text)), every_rule())

    assert [f.place.line for f in found if f.code == "TCY501"] == lines


def test_a_step_in_another_file_is_no_place_of_this_one() -> None:
    other = "import torch\n\n\ndef term(x):\n    return x.exp().data.mean()\n"
    main = (
        "import torch\nfrom other import term\nw = torch.ones(3, requires_grad=True)\n(w.sum() + term(w)).backward()\n"
    )

    def imports(name: str) -> Source | None:
        return Source(name="other.py", text=other, tree=ast.parse(other), module=name) if name == "other" else None

    source = Source(name="main.py", text=main, tree=ast.parse(main), module="main", imports=imports)

    assert [f.code for f in findings_in(source, every_rule())] == []
