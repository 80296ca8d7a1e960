"""Kinds of mistakes in shapes that other tests do not have: each with and without the fault."""

from __future__ import annotations

import pytest

from tests.linting.programs import codes_in

IMPORTS = "import copy\nimport numpy as np\nimport torch\nfrom torch import nn\n"
NET = "net = nn.Linear(2, 2)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
LOOP = "cell, head = nn.GRUCell(2, 3), nn.Linear(3, 1)\nkept = []\nfor x in torch.ones(4, 1, 2):\n    h = cell(x)\n"
STEP = "    loss = head(h).pow(2).mean()\n    loss.backward()\n"
SCALE = """class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)
        self.running = torch.zeros(2)

    def forward(self, x):
        h = self.lin(x)
"""
MASKED = """class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2, 2))

    def forward(self, x):
"""
SPLIT = "def f(boxes, n):\n    xy, wh = boxes.split(2, dim=-1)\n"
CAT = "    return torch.cat([xy, wh / n], dim=-1)\nb = torch.ones(1, 4)\n"
ENCODER = """class E:
    def __init__(self):
        self.buf = torch.zeros(8)

    def encode(self, x):
        n = len(x)
"""
ENCODED = "e = E()\na = e.encode(torch.ones(2))\nb = e.encode(torch.zeros(2))\nprint(a, b)\n"
SIGMOID = "def block(x):\n    y = torch.sigmoid(net(x))\n"
READ = "def read(stream):\n    chunk, kept = np.empty(4, np.uint8), []\n    while stream.readinto(chunk):\n"
EMA = "class Ema:\n    def __init__(self, net):\n        self.shadow = {n: "
AVERAGE = """ for n, p in net.named_parameters()}

    def update(self, net):
        for n, p in net.named_parameters():
            self.shadow[n].mul_(0.9).add_(p.data, alpha=0.1)
"""
CACHED = """from functools import lru_cache
TABLES = {}
@lru_cache
def table(n):
    if n not in TABLES:
        TABLES[n] = torch.arange(n)
    return TABLES[n]
def shifted(n):
"""
KEEPING = """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)

    def forward(self, x):
        h = self.lin(x)
        """
USED = "\n        return h\nnet = Net()\nnet(torch.ones(2))\ntwin = copy.deepcopy(net)\n"
DETOUR = """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.dec = nn.Linear(2, 2), nn.Linear(2, 1)

    def forward(self, x):
        h = self.enc(x)
"""
TRAIN = "Net()(torch.ones(1, 2)).sum().backward()\n"
GRADIENTS = "w, kept = torch.ones(2, requires_grad=True), []\nfor k in range(3):\n    (w * k).sum().backward()\n"

WRONG = [
    ("TCY209", NET + SIGMOID + "    y += x\n    return y\nblock(torch.ones(1, 2)).sum().backward()\n"),
    ("TCY201", NET + "def f(x):\n    a, b = net(x)\n    return x.new_tensor([a, b])\nprint(f(torch.ones(2)))\n"),
    ("TCY203", MASKED + "        return x @ nn.Parameter(self.w * 2)\n"),
    ("TCY207", LOOP + "    kept.append((x, h))\n" + STEP),
    (
        "TCY214",
        SCALE + "        self.running = 0.9 * self.running + 0.1 * h.mean(0)\n        return h\n"
        "scale = Scale()\nfor x in torch.ones(2, 1, 2):\n    scale(x).sum().backward()\n",
    ),
    ("TCY103", ENCODER + "        self.buf[:n] = x * 2\n        return self.buf[:n]\n" + ENCODED),
    ("TCY102", SPLIT + "    xy /= n\n" + CAT + "f(b, 2)\nprint(b)\n"),
    (
        "TCY102",
        SPLIT.replace("split(2, dim=-1)", "chunk(2, -1)") + "    wh -= n\n" + CAT + "c = f(boxes=b, n=2)\nprint(b)\n",
    ),
    ("TCY401", "t = torch.tensor(list(np.linspace(0, 1, 9)))\n"),
    ("TCY101", READ + "        kept.append(torch.from_numpy(chunk))\n    return kept\n"),
    ("TCY104", EMA + "p.data" + AVERAGE),
    ("TCY104", EMA + "p.detach()" + AVERAGE),
    ("TCY119", CACHED + "    t = table(n)\n    t += 1\n    return t\n"),
    ("TCY119", CACHED.replace("@lru_cache\n", "") + "    t = table(n)\n    t.mul_(2)\n    return t\n"),
    ("TCY212", KEEPING + "self.seen = h" + USED),
    (
        "TCY220",
        DETOUR + "        r = torch.from_numpy(np.sort(h.detach().numpy()))\n        return self.dec(r)\n" + TRAIN,
    ),
    ("TCY101", GRADIENTS + "    kept.append(w.grad)\n    w.grad.zero_()\nprint(kept)\n"),
    ("TCY108", "w = torch.ones(2, 3)\nw.t().flatten()[:2].fill_(-1)\n"),
    ("TCY108", "w = torch.ones(4)\nw[[0, 1]][:1] = 2\n"),
    ("TCY401", "t = torch.tensor([n for n in np.arange(9)])\n"),
    ("TCY320", "t = torch.tensor([1, 2]).mean()\n"),
    ("TCY320", "t = torch.tensor([1, 2]).abs().mean()\n"),
    ("TCY320", "t = torch.std(torch.arange(3))\n"),
    ("TCY320", "a = torch.zeros(3)\nt = a.argmax(0).var()\n"),
    ("TCY219", NET + "net.head = nn.Linear(2, 2)\nnet(torch.ones(2)).sum().backward()\nopt.step()\n"),
]
RIGHT = [
    NET + SIGMOID + "    y = y + x\n    return y\nblock(torch.ones(1, 2)).sum().backward()\n",
    NET + SIGMOID + "    y += x\n    return y\nwith torch.no_grad():\n    print(block(torch.ones(1, 2)).sum())\n",
    "def f(x):\n    return x.new_tensor([1.0, 2.0])\nprint(f(torch.ones(2)))\n",
    MASKED + "        return x @ (self.w * 2)\n",
    MASKED + "        self.noise = nn.Parameter(torch.zeros(2))\n        return x @ self.w + self.noise\n",
    LOOP + "    kept.append((x, h.detach()))\n" + STEP,
    LOOP + "    kept.append(head(h))\nsum(kept).backward()\n",
    LOOP + "    kept.append(h)\n" + STEP.replace("head(h)", "head(cell(x))"),
    SCALE + "        self.running = 0.9 * self.running + 0.1 * h.detach().mean(0)\n        return h\n",
    SCALE + "        self.running = 0.9 * self.running.detach() + 0.1 * h.mean(0)\n        return h\n",
    SCALE + "        self.running = h\n        return h\n",
    ENCODER + "        self.buf[:n] = x * 2\n        return self.buf[:n].clone()\n",
    ENCODER + "        self.buf[n] = 1\n        return self.buf[:n]\n",
    SPLIT + "    xy = xy / n\n" + CAT + "f(b, 2)\nprint(b)\n",
    SPLIT + "    xy /= n\n" + CAT + "b = f(b, 2)\nprint(b)\n",
    SPLIT + "    xy /= n\n" + CAT + "print(f(b, 2))\n",
    SPLIT + "    xy /= n\nb = torch.ones(1, 4)\nf(b, 2)\nprint(b)\n",
    READ + "        kept.append(torch.from_numpy(chunk.copy()))\n    return kept\n",
    EMA + "p.data.clone()" + AVERAGE,
    CACHED + "    t = table(n)\n    t = t + 1\n    t += 1\n    return t\n",
    CACHED + "    t = table(n).clone()\n    t += 1\n    return t\n",
    KEEPING + "self.seen = h.detach()" + USED,
    KEEPING + "self.seen = h" + USED.replace("net(torch.ones(2))\n", ""),
    DETOUR + "        w = torch.from_numpy(np.sort(h.detach().numpy()))\n        return self.dec(h * w)\n" + TRAIN,
    DETOUR + "        self.log = torch.from_numpy(h.detach().numpy())\n        return self.dec(x)\n" + TRAIN,
    DETOUR + "        r = torch.from_numpy(np.sort(h.detach().numpy()))\n        return self.dec(r)\n",
    GRADIENTS + "    kept.append(w.grad.clone())\n    w.grad.zero_()\nprint(kept)\n",
    "w = torch.ones(2, 3)\nw.view(-1)[:2].fill_(-1)\nw.t()[:2].fill_(1)\n",
    "t = torch.tensor([n + 1 for n in [1, 2]])\nu = torch.tensor([2 * n for n in range(3)])\n",
    "c = torch.tensor([1, 2])\nprint(c.sqrt().mean(), torch.log(c).std(), c.mul(0.5).mean(), torch.exp(c).var())\n",
    "c = torch.arange(3)\nprint(torch.where(c > 1, c, 0.5).mean(), torch.where(c > 1, c, torch.ones(3)).mean())\n",
    "c = torch.tensor([1, 2])\nprint((c / 2).mean(), (1 / c).mean(), (c * 0.5).mean(), c.div(2).mean())\n",
    "net = nn.Linear(2, 1)\nprint(net(torch.log(torch.tensor([1, 2]))), net(torch.tensor([1, 2]) / 2))\n",
    "t = torch.tensor([1, 2]).float().mean() + torch.tensor([1.0]).mean() + np.mean(np.arange(3))\n",
    "t = torch.tensor([1, 2]).mean(dtype=torch.float32)\ndef f(x):\n    return x.mean()\nf(torch.ones(2))\n",
    "t = torch.tensor(list(range(9)))\nu = torch.from_numpy(np.linspace(0, 1, 9))\n",
    "net = nn.Sequential(nn.Linear(2, 2))\nnet[0] = nn.Linear(2, 2)\n"
    "opt = torch.optim.SGD(net.parameters(), lr=0.1)\nnet(torch.ones(2)).sum().backward()\nopt.step()\n",
    NET + "net.head = nn.Linear(2, 2)\nopt.add_param_group({'params': net.head.parameters()})\nopt.step()\n",
    "model = nn.Linear(1, 1)\nopt = torch.optim.SGD(model.parameters(), lr=0.1)\nbest = model.state_dict()\n"
    "for _ in range(3):\n    loss = model(torch.ones(1)).sum()\n    loss.backward()\n    opt.step()\n"
    "    best = copy.deepcopy(model.state_dict())\nmodel.load_state_dict(best)\n",
]


@pytest.mark.parametrize(("code", "program"), WRONG)
def test_the_mistake_is_found(code: str, program: str) -> None:
    assert codes_in(IMPORTS + program, notes=False) == [code]


@pytest.mark.parametrize("program", RIGHT)
def test_what_is_meant_is_silent(program: str) -> None:
    assert codes_in(IMPORTS + program, notes=False) == []
