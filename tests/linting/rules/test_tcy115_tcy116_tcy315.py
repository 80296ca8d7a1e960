"""Defaults that are written, parameters laid over others, ragged lists, and optimizers left behind by a copy."""

from __future__ import annotations

import pytest

from tests.linting.programs import codes_in, edited, found_in

IMPORTS = "import copy\nimport numpy as np\nimport torch\nfrom torch import nn\n"
TWO = "a, b = nn.Linear(2, 2), nn.Linear(2, 2)\n"
TRAINED = "net = nn.Linear(1, 1)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
STEP = "net(torch.ones(1, 1)).sum().backward()\nopt.step()\n"

WRONG = [
    ("TCY115", "def f(x, acc=torch.zeros(2)):\n    acc.add_(x)\n    return acc.sum()\n"),
    ("TCY115", "def f(x, *, acc=np.zeros(2)):\n    acc[0] = x\n    return acc.sum()\n"),
    ("TCY116", TWO + "for p, q in zip(a.parameters(), b.parameters()):\n    p.data = q.data\n"),
    ("TCY116", "def f(a, b):\n    for p, q in zip(a.parameters(), b.parameters()):\n        p.data = q.detach()\n"),
    ("TCY315", "x = torch.tensor([[1, 2], [3]])\n"),
    ("TCY315", "rows = [(1.0,), (2.0, 3.0)]\nx = np.array(rows)\n"),
    ("TCY114", TRAINED + "net = copy.deepcopy(net)\n" + STEP),
]
RIGHT = [
    "def f(x, i=0, acc=torch.zeros(2)):\n    if i == 0:\n        acc = torch.zeros(2)\n    acc += x\n    return acc\n",
    "def f(x, acc=torch.zeros(2)):\n    return acc + x\n",
    "def f(x, acc=None):\n    acc = torch.zeros(2) if acc is None else acc\n    acc += x\n    return acc.sum()\n",
    "def f(x, size=max(1, 2)):\n    size += 1\n    return x * size\n",
    TWO + "for p, q in zip(a.parameters(), b.parameters()):\n    p.data.copy_(q.data)\n",
    TWO + "for p, q in zip(a.parameters(), b.parameters()):\n    p.data = q.data.clone()\n",
    TWO + "for p, q in zip(a.parameters(), b.parameters()):\n    p.data = 0.9 * p.data + 0.1 * q.data\n",
    TWO + "for p in a.parameters():\n    p.data = p.data.float()\n",
    "torch.tensor([[1, 2], [3, 4]])\n",
    "torch.tensor([[i] * 2 for i in range(3)])\n",
    "np.array([[1], [2, 3]], dtype=object)\n",
    "net = copy.deepcopy(nn.Linear(1, 1))\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n" + STEP,
    TRAINED + "twin = copy.deepcopy(net)\n" + STEP,
]


@pytest.mark.parametrize(("code", "program"), WRONG)
def test_the_mistake_is_found(code: str, program: str) -> None:
    assert codes_in(IMPORTS + program) == [code]


@pytest.mark.parametrize("program", RIGHT)
def test_what_is_meant_is_silent(program: str) -> None:
    assert codes_in(IMPORTS + program, notes=False) == []


def test_the_fix_writes_long_names_in_full() -> None:
    name = "parameter_of_the_slowly_moving_average_of_the_encoder"
    program = IMPORTS + TWO + f"for {name}, q in zip(a.parameters(), b.parameters()):\n    {name}.data = q.data\n"
    (finding,) = found_in(program)
    assert finding.fix is not None
    assert f"    {name}.data.copy_(q.data)\n" in edited(program, list(finding.fix.edits))
