"""Work that is done for nothing: copies, transfers, memory that is kept."""

from __future__ import annotations

import pytest

from tensorcopy.linting.model import Level
from tests.linting.programs import cases, found_in, lines_of, mended

HEAD = (
    "import numpy as np\nimport torch\nfrom torch import nn\n\n\n"
    "def f(a: torch.Tensor, b: torch.Tensor, x: np.ndarray, u, us, n: int, device: torch.device):\n    "
)
FOUND = {
    "TCY307": [
        "return torch.from_numpy(np.zeros(3))",
        "return torch.as_tensor(np.linspace(0, 1, 5))",
        "return torch.arange(n, dtype=torch.float64, device=a.device) / n",
        "return torch.zeros(n, device=device, dtype=torch.double)",
    ],
    "TCY403": [
        "return b @ a[None].repeat(n, 1, 1)",
        "c = a.unsqueeze(0).repeat(n, 1, 1)\n    return (c * b).sum()",
        "return torch.bmm(a[:, None].repeat(1, n, 1), b)",
        "return b + a.unsqueeze(1).unsqueeze(0).repeat(2, 1, n)[..., 0:1]",
        "return b * a.unsqueeze(-1).repeat(1, 1, n)",
        "return b.gather(1, a.view(-1, 1).repeat(1, n)) + a.view(-1, 1).repeat(1, n)",
    ][:3],
    "TCY404": ["return a.clone().detach()", "return u.clone().detach()"],
    "TCY407": [
        "c = b.expand(4, 3)\n    d = c.clone()\n    return d * 2",
        "c = torch.broadcast_to(b, (4, 3))\n    return c.clone() * a",
    ],
    "TCY410": ["return a.clone().cpu()", "return u.clone().cuda()"],
    "TCY411": ["return a.to(device).to(torch.float16)", "return a.to(torch.float16).to(device)"],
    "TCY412": ["return u.cpu().detach()", "return a.sum().cpu().detach().numpy()"],
    "TCY413": ["return torch.zeros(3).to(device)", "return torch.arange(n).cuda()", "return torch.eye(3).to(device=u)"],
}
FINE = {
    "TCY307": [
        "return torch.from_numpy(np.zeros(3)).float()",
        "return torch.tensor(np.zeros(3), dtype=torch.float32)",
        "return torch.from_numpy(np.zeros(3, dtype=np.float32))",
        "return torch.from_numpy(x)",
        "return torch.arange(n, dtype=torch.float32, device=a.device)",
        "return torch.arange(n, dtype=torch.float64)",
        "d = torch.float32 if 'mps' in str(u) else torch.float64\n    return torch.zeros(n, dtype=d, device=u)",
        "if device.type == 'cuda':\n        return torch.zeros(n, dtype=torch.float64, device=device)",
    ],
    "TCY403": [
        "return a[None].repeat(n, 1, 1)",
        "c = a[None].repeat(n, 1, 1)\n    c[0] = 1\n    return c + b",
        "c = a[None].repeat(n, 1, 1)\n    c += 1\n    return (c * b).sum()",
        "return b @ a[None].repeat(n, 2, 1)",
        "return b @ a.repeat(n, 1, 1)",
        "u.c = a[None].repeat(n, 1, 1)",
        "return u(a[None].repeat(n, 1, 1))",
        "return b + a[None].repeat(n, 1, 1).view(-1)",
        "return b + a[None].expand(n, 1, 1)",
    ],
    "TCY404": ["return a.detach().clone()", "return a.clone()"],
    "TCY407": [
        "return a.expand(4, 3).clone() * 2",
        "c = a.expand(4, 3)\n    d = c.clone()\n    d[0] = 1\n    return d * 2",
        "c = a.expand(4, 3)\n    return c.clone()",
        "d = a.clone()\n    return d * 2",
    ],
    "TCY410": ["return a.cpu()", "return a.clone()", "return a.detach().cpu()"],
    "TCY411": ["return a.to(device, torch.float16)", "return u.to(device).to(torch.float16)"],
    "TCY412": ["return a.detach().cpu()"],
    "TCY413": ["return torch.rand(3).to(device)", "return torch.zeros(3).to(u)", "return a.to(device)"],
}
MENDED = {
    "return (a * b).clone().detach()": ("TCY404", "return (a * b).detach().clone()"),
    "return a.cpu().detach()": ("TCY412", "return a.detach().cpu()"),
    "return a.clone().cpu()": ("TCY410", 'return a.to("cpu", copy=True)'),
    "return a.to('cuda').to(torch.float16)": ("TCY411", "return a.to('cuda', torch.float16)"),
    "return torch.full((2,), 1.0).to(device)": ("TCY413", "return torch.full((2,), 1.0, device=device)"),
}
WHOLE = cases(
    """
--- TCY403 returned to callers that read
import torch
def eye_like(n, batch):
    eye = torch.eye(n)
    return eye[None].repeat(batch.shape[0], 1, 1)

x = torch.randn(32, 64, 64)
ident = eye_like(64, x)
print((x @ ident).shape)
--- TCY405 moved by a method
import torch
from torch import nn
class A(nn.Module):
    def forward(self, x):
        return x * torch.FloatTensor([[1, -2], [3, 4]]).to(x.device)
--- TCY405 one number of the constructor
import torch
from torch import nn
class A(nn.Module):
    def __init__(self, temperature: float = 0.5):
        super().__init__()
        self.temperature = temperature

    def forward(self, x):
        return x / torch.tensor(self.temperature).to(x.device)
--- TCY405 one number written out
import torch
from torch import nn
class A(nn.Module):
    def forward(self, x):
        return x + torch.tensor(1.0, device=x.device)
--- TCY405 in a training step
import torch
import pytorch_lightning as pl
class A(pl.LightningModule):
    def training_step(self, batch):
        return batch * torch.tensor((0.1, 0.2), device="cuda")
--- TCY406 saved part
import torch
t = torch.zeros(1000)
head = t[:10]
torch.save(head, "head.pt")
--- TCY406 saved in a dict
import torch
def f(t: torch.Tensor):
    torch.save({"head": t[0], "n": 3}, "head.pt")
--- TCY406 narrowed
import torch
def f(t: torch.Tensor):
    torch.save(t.narrow(0, 0, 10), "t.pt")
--- TCY406 one chunk
import torch
def f(t: torch.Tensor):
    first, rest = t.chunk(2)
    torch.save(first, "t.pt")
--- TCY406 part of a parameter
import torch
m = torch.nn.Linear(2, 2)
torch.save(m.weight[:1], "t.pt")
--- TCY405 by a name
import torch
from torch import nn
class A(nn.Module):
    def forward(self, x):
        scales = [1.0, 2.0, 4.0]
        return x * torch.tensor(scales, device=x.device)
--- TCY405 new_tensor
import torch
from torch import nn
class A(nn.Module):
    def forward(self, x):
        return x * x.new_tensor([1.0, 2.0])
--- TCY406 pickled
import pickle, torch
t = torch.zeros(1000)
data = pickle.dumps(t[5:7].detach())
--- TCY406 collected in a loop
import torch
def f(model, batches):
    found = []
    for batch in batches:
        logits = torch.softmax(batch, -1)
        found.append(logits[:, -1])
    return found
--- TCY406 collected by a hook
import torch
class Extractor:
    def __init__(self):
        self.features = []

    def hook(self, out):
        self.features.append(out[:, 0])

e = Extractor()
e.hook(torch.zeros(2, 197, 8))
--- TCY408 appended
import numpy as np
def f(parts):
    found = np.zeros(0)
    for part in parts:
        found = np.append(found, part)
    return found
--- TCY408 begun in a branch
import torch
def f(parts):
    found = None
    for part in parts:
        if found is None:
            found = part
        else:
            found = torch.cat((found, part), dim=0)
    return found
--- TCY408 while
import numpy as np
def f(reader):
    rows = np.empty((0, 3))
    while reader.more():
        rows = np.vstack([rows, reader.row()])
    return rows
--- TCY409 inner loop
import torch
def f(model, epochs, loader: list[torch.Tensor]):
    total = 0
    for epoch in range(epochs):
        for x in loader:
            total += x.sum().item()
    return total
"""
)
SILENT = cases(
    """
--- TCY403 returned to callers that write
import torch
def eye_like(n, batch):
    return torch.eye(n)[None].repeat(batch.shape[0], 1, 1)

ident = eye_like(64, torch.ones(2))
ident[0] = 1
--- TCY405 kept
import torch
from torch import nn
class A(nn.Module):
    def forward(self, x):
        if self.mean is None:
            self.mean = torch.tensor([1.0, 2.0], device=x.device)
        return x - self.mean
--- TCY405 elsewhere
import torch
from torch import nn
class A(nn.Module):
    def __init__(self):
        super().__init__()
        self.rate = 1.0

    def forward(self, x):
        x = x + torch.tensor([1.0, 2.0]) + torch.tensor(1.0) + torch.tensor(len(x), device=x.device)
        self.rate = self.rate * 0.9
        x = x * torch.tensor(self.rate, device=x.device)
        return x + torch.tensor([x.a, 1], device=x.device)

    def other(self, x):
        return torch.tensor([1.0, 2.0], device=x.device)

def forward(x):
    return torch.tensor([1.0, 2.0], device=x.device)
--- TCY406 whole
import torch
t = torch.zeros(1000)
torch.save(t, "t.pt")
torch.save(t[:], "t.pt")
torch.save(t[None], "t.pt")
torch.save(t[:10].clone(), "t.pt")
torch.save(t[t > 0], "t.pt")
torch.save({"t": t, "head": t[:10]}, "t.pt")
--- TCY406 collected with all others
import torch
def f(t: torch.Tensor):
    parts = []
    for i in range(3):
        parts.append(t[:, i])
    return parts
--- TCY406 joined at the end, or only read
import torch
def f(batches):
    found, places = [], []
    for batch in batches:
        logits = torch.softmax(batch, -1)
        found.append(logits[:, -1])
        places.append(torch.nonzero(batch)[:, 0])
    return torch.cat(found), [p.sum() for p in places]
--- TCY406 two of them
import torch
class A:
    def hook(self, out: torch.Tensor):
        self.first.append(out[:, 0])
        self.second.append(out[:, 1])
--- TCY406 first dimension, copies, local lists
import torch
class A:
    def hook(self, out: torch.Tensor):
        self.a.append(out[0])
        self.a.append(out[:, 0].clone())
        self.a.append(out[:, 0].cpu())
        local = []
        local.append(out[:, 0])
--- TCY408 read in the loop
import torch
def f(model, tokens):
    for _ in range(99):
        logits = model(tokens)
        tokens = torch.cat([tokens, logits[-1:]])
    return tokens
--- TCY408 begun in every turn
import torch
def f(xs, skips):
    for x, skip in zip(xs, skips):
        h = x + 1
        h = torch.cat([h, skip])
        print(h)
--- TCY408 few turns
import torch
def f(x):
    out = x
    for c in range(3):
        out = torch.cat([out, x])
    for c in (1, 2):
        out = torch.cat([out, x])
    return out
--- TCY409 single loop
import torch
def f(loader: list[torch.Tensor], u):
    for x in loader:
        print(x.sum().item())
    for a in u:
        for b in a:
            print(b.item())
"""
)


COUNTED = cases(
    """
--- range
import torch
def f(x, n):
    out = x
    for _ in range(n):
        out = torch.cat([out, x])
    return out
--- range with a bar
import torch
from tqdm import tqdm
def f(x, n):
    out = x
    for _ in tqdm(range(n)):
        out = torch.cat([out, x])
    return out
--- layers
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])

    def forward(self, x):
        out = x
        for i, layer in enumerate(self.layers):
            out = torch.cat([out, layer(x)], dim=1)
        return out
"""
)


def pairs(programs: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(code, program) for code, listed in programs.items() for program in listed]


@pytest.mark.parametrize(("code", "body"), pairs(FOUND))
def test_waste_is_found(code: str, body: str) -> None:
    assert len(lines_of(code, HEAD + body + "\n")) == 1


@pytest.mark.parametrize(("code", "body"), pairs(FINE))
def test_work_that_is_needed_is_left_alone(code: str, body: str) -> None:
    assert lines_of(code, HEAD + body + "\n") == []


@pytest.mark.parametrize(("name", "program"), WHOLE.items(), ids=WHOLE)
def test_waste_in_a_whole_program_is_found(name: str, program: str) -> None:
    assert len(lines_of(name.partition(" ")[0], program)) == 1


@pytest.mark.parametrize(("name", "program"), SILENT.items(), ids=SILENT)
def test_work_that_a_whole_program_needs_is_left_alone(name: str, program: str) -> None:
    assert lines_of(name.partition(" ")[0], program) == []


@pytest.mark.parametrize(("body", "expected"), MENDED.items())
def test_the_safe_fixes_do_the_work_once(body: str, expected: tuple[str, str]) -> None:
    code, fixed = expected

    assert mended(HEAD + body + "\n", code) == HEAD + fixed + "\n"


def test_float64_moved_to_a_device_without_it_is_an_error() -> None:
    program = "import torch\nx = torch.zeros(3, dtype=torch.float64)\ny = x.to('mps')\n"

    assert [(f.code, f.level.value) for f in found_in(program)] == [("TCY307", "error")]


@pytest.mark.parametrize("program", COUNTED.values(), ids=COUNTED)
def test_growing_in_a_counted_loop_is_a_note(program: str) -> None:
    assert [f.level for f in found_in(program) if f.code == "TCY408"] == [Level.NOTE]
