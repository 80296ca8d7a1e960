"""Memory read before it is written, digits that a dtype has no room for, bytes taken for floats, dtypes refused."""

from __future__ import annotations

import pytest

from tests.linting.programs import codes_in

IMPORTS = "import array\nimport numpy as np\nimport torch\nfrom torch import nn\n"
BYTES = "a = torch.from_numpy(np.zeros(3, np.uint8))\nb = torch.zeros(3, dtype=torch.uint8)\n"

WRONG = [
    ("TCY316", "x = torch.empty(3)\nx += 1\nprint(x)\n"),
    ("TCY316", "def f(rows, n):\n    x = np.empty((n, 2))\n    for r in rows:\n        x[0, 1] += r\n    return x\n"),
    ("TCY316", "def f(n: int):\n    x = torch.Tensor(n)\n    x[1:] *= 0.5\n    return x.sum()\n"),
    ("TCY317", "t = torch.tensor([1e9, 1e9 + 1, 1000000001.5])\n"),
    ("TCY317", "t = torch.tensor([[16777216, 16777217.0]], dtype=torch.float32)\n"),
    ("TCY317", "t = torch.tensor([70000, 0.5], dtype=torch.float16)\n"),
    ("TCY317", "t = torch.tensor([70000.0])\nu = t.to(torch.float16)\n"),
    ("TCY317", "t = torch.tensor([0.1]).to(torch.float64)\n"),
    ("TCY317", "def f(values):\n    return torch.tensor(values).double()\nf([0.1, 0.2])\n"),
    ("TCY318", "t = torch.asarray(memoryview(b'abcd'))\n"),
    ("TCY318", "t = torch.asarray(array.array('i', [1, 2]))\n"),
    ("TCY319", "net = nn.Linear(3, 1)\ny = net(torch.from_numpy(np.ones(3)))\n"),
    (
        "TCY319",
        "net = nn.Sequential(nn.Conv2d(3, 1, 1), nn.ReLU())\ny = net(torch.ones(1, 3, 4, 4, dtype=torch.long))\n",
    ),
    ("TCY311", BYTES + "d = (a - b).float()\n"),
    ("TCY311", BYTES + "d = torch.abs(a - b)\n"),
    ("TCY311", BYTES + "d = (a + b) / 2\n"),
    ("TCY313", "t = torch.fft.rfft(torch.ones(4)).float()\n"),
    ("TCY313", "t = np.fft.fft(np.ones(4)).astype(np.float32)\n"),
]
RIGHT = [
    "x = torch.empty(3)\nx[0] = 2\nx[0] += 1\nprint(x)\n",
    "x = np.empty(3)\nnp.copyto(x, 1)\nx += 1\nprint(x)\n",
    "x = torch.empty(0)\nx += 1\nprint(x)\n",
    "x = torch.Tensor([1, 2])\nx += 1\nprint(x)\n",
    "x = torch.empty(3)\ntorch.nn.init.zeros_(x)\nx += 1\nprint(x)\n",
    "t = torch.tensor([1.0, 1.5, 1e9, 2e9])\n",
    "t = torch.tensor([16777216, 16777217])\n",
    "t = torch.tensor([1e9, 1e9 + 1], dtype=torch.float64)\n",
    "torch.set_default_dtype(torch.float64)\nt = torch.tensor([0.1]).double()\n",
    "t = torch.tensor([0.5, 2.0]).double()\n",
    "t = torch.tensor([float('inf'), 1.0]).half()\n",
    "t = torch.asarray(bytearray(4), dtype=torch.uint8)\n",
    "t = torch.asarray(np.ones(4))\n",
    "net = nn.Linear(3, 1)\ny = net(torch.from_numpy(np.ones(3)).float())\n",
    "net = nn.Linear(3, 1).double()\ny = net(torch.from_numpy(np.ones(3)))\n",
    "net = nn.Linear(3, 1, dtype=torch.float64)\ny = net(torch.from_numpy(np.ones(3)))\n",
    "net = nn.Embedding(3, 1)\ny = net(torch.tensor([1]))\n",
    BYTES + "d = a - b\n",
    BYTES + "d = a.float() - b.float()\nd = (d + d) / 2\n",
    BYTES + "d = (a + b).float()\n",
    "t = torch.fft.rfft(torch.ones(4)).abs().float()\n",
    "t = torch.fft.fft(torch.ones(4)).real.half()\n",
    "t = torch.fft.ifft(torch.fft.fft(torch.ones(4))).float()\n",
    "t = np.abs(np.fft.fft(np.ones(4))).astype(np.float32)\n",
]


@pytest.mark.parametrize(("code", "program"), WRONG)
def test_the_mistake_is_found(code: str, program: str) -> None:
    assert codes_in(IMPORTS + program, notes=False) == [code]


@pytest.mark.parametrize("program", RIGHT)
def test_what_is_meant_is_silent(program: str) -> None:
    assert codes_in(IMPORTS + program, notes=False) == []
