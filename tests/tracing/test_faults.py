"""Programs with a fault are found at its line, and the same programs without it are silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tracing.programs import found_in, traced

FAULTS = {
    "arrays of one tensor kept in a loop": (
        """
        t, kept = torch.zeros(2), []
        for _ in range(3):
            t += 1
            kept.append(t.numpy())  # HERE
        """,
        "changing-snapshot",
        "t, kept = torch.zeros(2), []\nfor _ in range(3):\n    t += 1\n    kept.append(t.numpy().copy())\n",
    ),
    "a detached tensor kept in a dict and read after a write": (
        """
        w = torch.zeros(2, requires_grad=True)
        best = {"w": w.detach()}  # HERE
        with torch.no_grad():
            w += 1
        best["w"].sum()
        """,
        "changing-snapshot",
        "w = torch.zeros(2, requires_grad=True)\nbest = {'w': w.detach().clone()}\n"
        "with torch.no_grad():\n    w += 1\nbest['w'].sum()\n",
    ),
    "an array converted again after torch changed it": (
        """
        def scaled(a):
            t = torch.from_numpy(a)  # HERE
            t /= 2
            return t
        a = np.ones(3)
        scaled(a)
        scaled(a)
        """,
        "callers-memory-written",
        "def scaled(a):\n    return torch.from_numpy(a) / 2\na = np.ones(3)\nscaled(a)\nscaled(a)\n",
    ),
    "one tensor collected by a loop of the module": (
        """
        scratch, kept = torch.empty(3), []
        for k in range(3):
            torch.mul(torch.ones(3), k, out=scratch)
            kept.append(scratch)  # HERE
        """,
        "changing-snapshot",
        "scratch, kept = torch.empty(3), []\nfor k in range(3):\n    torch.mul(torch.ones(3), k, out=scratch)\n"
        "    kept.append(scratch.clone())\n",
    ),
    "rows swapped through views": (
        """
        x = torch.arange(6.0).reshape(2, 3)
        x[0], x[1] = x[1], x[0]  # HERE
        """,
        "overlapping-copy",
        "x = torch.arange(6.0).reshape(2, 3)\nx[[0, 1]] = x[[1, 0]]\nx[0], x[1] = x[1].clone(), x[0].clone()\n"
        "x[0] = x[1]\nx[1] = x[0] + 1\n",
    ),
    "large floats that merge in float32": (
        """
        stamps = torch.tensor([1700000000.25, 1700000001.25])  # HERE
        """,
        "digits-lost",
        "torch.tensor([1700000000.25, 1700000001.25], dtype=torch.float64)\ntorch.tensor([1e9, 1e9, 2e9])\n"
        "torch.tensor([float('inf'), float('inf'), 1.0])\n",
    ),
    "bytes cast to a dtype that holds half of them": (
        """
        pixels = torch.tensor([10, 200], dtype=torch.uint8)
        signed = pixels.to(torch.int8)  # HERE
        """,
        "values-not-in-dtype",
        "pixels = torch.tensor([10, 100], dtype=torch.uint8)\npixels.to(torch.int8)\n"
        "torch.tensor([1, 200]).to(torch.int32)\ntorch.tensor([-1]).to(torch.uint8)\n",
    ),
    "a buffer read as floats": (
        """
        packet = torch.asarray(memoryview(b"abcd"))  # HERE
        """,
        "bytes-as-floats",
        "torch.asarray(bytearray(b'abcd'), dtype=torch.uint8)\ntorch.asarray(np.ones(2))\n",
    ),
    "a write into an expanded tensor": (
        """
        x = torch.zeros(1).expand(4)  # HERE
        x[0] = 1
        """,
        "expanded-memory-written",
        "x = torch.zeros(1).repeat(4)\nx[0] = 1\n",
    ),
    "a copy onto itself": (
        """
        x = torch.arange(5.0)
        x[1:] = x[:-1]  # HERE
        """,
        "overlapping-copy",
        "x = torch.arange(5.0)\nx[1:] = x[:-1].clone()\nx[:2] = x[3:]\n",
    ),
    "a write into the copy that reshape made": (
        """
        x = torch.zeros(3, 2).t()
        x.reshape(-1).fill_(1)  # HERE
        """,
        "lost-write",
        "x = torch.zeros(3, 2)\nx.reshape(-1).fill_(1)\ny = x.t().reshape(-1)\ny.fill_(1)\ny.sum()\n",
    ),
    "a tensor over read-only memory, written": (
        """
        a = np.zeros(3)
        a.flags.writeable = False
        t = torch.as_tensor(a)  # HERE
        t[0] = 1
        """,
        "readonly-memory-written",
        "a = np.zeros(3)\na.flags.writeable = False\nt = torch.tensor(a)\nt[0] = 1\n",
    ),
    "a buffer that a method gives out and overwrites": (
        """
        class Env:
            def __init__(self):
                self.state = np.zeros(2)
            def step(self):
                self.state += 1
                return self.state  # HERE
        env = Env()
        kept = [env.step() for _ in range(3)]
        """,
        "internal-buffer-returned",
        "class Env:\n    def __init__(self):\n        self.state = np.zeros(2)\n    def step(self):\n"
        "        self.state += 1\n        return self.state.copy()\n"
        "env = Env()\nkept = [env.step() for _ in range(3)]\n",
    ),
    "item() as a term of the loss": (
        """
        a, b = nn.Linear(1, 1), nn.Linear(1, 1)
        x = torch.ones(1, 1)
        loss = a(x).sum() + b(x).sum().item()  # HERE
        loss.backward()
        """,
        "gradient-cut",
        "a, b = nn.Linear(1, 1), nn.Linear(1, 1)\nx = torch.ones(1, 1)\nloss = a(x).sum() + b(x).sum()\n"
        "loss.backward()\nprint(loss.item())\n",
    ),
    "data of a prediction in the loss": (
        """
        a, b = nn.Linear(1, 1), nn.Linear(1, 1)
        x = torch.ones(1, 1)
        loss = a(x).sum() + (b(x).data * 2).sum()  # HERE
        loss.backward()
        """,
        "gradient-cut",
        "a = nn.Linear(1, 1)\nx = torch.ones(1, 1)\ny = a(x)\nloss = (y * y.detach()).sum()\nloss.backward()\n",
    ),
    "a write through .data of a value that backward needs": (
        """
        x = torch.zeros(2, requires_grad=True)
        y = x.exp()
        y.data.mul_(2)  # HERE
        y.sum().backward()
        """,
        "silent-gradient",
        "x = torch.zeros(2, requires_grad=True)\ny = x.exp()\ny.sum().backward()\ny.data.mul_(2)\n",
    ),
    "losses added up with their graphs": (
        """
        net, total = nn.Linear(1, 1), 0.0
        for _ in range(4):
            loss = net(torch.ones(1, 1)).sum()
            loss.backward()
            total += loss  # HERE
        """,
        "graph-kept",
        "net, total = nn.Linear(1, 1), 0.0\nfor _ in range(4):\n    loss = net(torch.ones(1, 1)).sum()\n"
        "    loss.backward()\n    total += loss.detach()\n",
    ),
    "the gradient of a cast leaf": (
        """
        x = torch.ones(2, requires_grad=True).double()  # HERE
        x.sum().backward()
        x.grad
        """,
        "grad-of-non-leaf",
        "x = torch.ones(2, dtype=torch.float64, requires_grad=True)\nx.sum().backward()\nx.grad\n",
    ),
    "a masked array": (
        """
        a = np.ma.masked_equal([1.0, -9.0], -9.0)
        torch.as_tensor(a)  # HERE
        """,
        "masked-values-dropped",
        "a = np.ma.masked_equal([1.0, -9.0], -9.0)\ntorch.as_tensor(a.filled(0.0))\n",
    ),
    "large integers through float32": (
        """
        torch.Tensor([16777217, 1])  # HERE
        """,
        "integers-through-float32",
        "torch.Tensor([16777216, 1])\ntorch.tensor([16777217, 1])\n",
    ),
    "a list of arrays": (
        """
        torch.tensor([np.zeros(3), np.ones(3)])  # HERE
        """,
        "list-of-arrays",
        "torch.from_numpy(np.stack([np.zeros(3), np.ones(3)]))\n",
    ),
    "separate deep copies of tied modules": (
        """
        a, b = nn.Linear(2, 2), nn.Linear(2, 2)
        b.weight = a.weight
        c, d = copy.deepcopy(a), copy.deepcopy(b)  # HERE
        """,
        "separate-deep-copies",
        "a, b = nn.Linear(2, 2), nn.Linear(2, 2)\nb.weight = a.weight\nc, d = copy.deepcopy((a, b))\n",
    ),
    "an error that torch raises": (
        """
        t = torch.ones(2, requires_grad=True)
        t.numpy()  # HERE
        """,
        "failed",
        "t = torch.ones(2, requires_grad=True)\nt.detach().numpy()\n",
    ),
}


def dedented(code: str) -> tuple[str, int]:
    lines = [line.removeprefix(" " * 8) for line in code.strip("\n").rstrip().splitlines()]
    (line,) = [i for i, text in enumerate(lines, start=1) if "# HERE" in text]
    return "\n".join(lines) + "\n", line


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.filterwarnings("ignore")
def test_a_fault_is_found_at_its_line(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, line = dedented(FAULTS[name][0])

    assert found_in(code, tmp_path) == [(FAULTS[name][1], line)]


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.filterwarnings("ignore")
def test_the_same_without_the_fault_is_silent(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert found_in(FAULTS[name][2], tmp_path) == []


def test_a_state_loaded_where_it_came_from_without_a_change_is_silent(tmp_path: Path) -> None:
    assert found_in("net = nn.Linear(1, 1)\nstate = net.state_dict()\nnet.load_state_dict(state)\n", tmp_path) == []


def test_a_live_state_restored_after_training_is_found_once(tmp_path: Path) -> None:
    code = (
        "net = nn.Linear(1, 1)\noptimizer = torch.optim.SGD(net.parameters(), lr=0.1)\nbest = net.state_dict()\n"
        "net(torch.ones(1, 1)).sum().backward()\noptimizer.step()\nnet.load_state_dict(best)\n"
    )

    assert found_in(code, tmp_path) == [("restored-from-itself", 3)]


@pytest.mark.filterwarnings("ignore")
def test_a_write_inside_a_module_of_torch_names_the_module(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = (
        "act = nn.ReLU(inplace=True)\nx = torch.zeros(2, requires_grad=True)\ny = torch.sigmoid(x)\nz = act(y)\n"
        "(y * z).sum().backward()\n"
    )
    finding = traced(code, tmp_path).findings[0]

    assert (finding.name, finding.place.line) == ("inplace-before-backward", 4)
    assert [(spot.line, spot.message) for spot in finding.related] == [(3, "the value was saved for backward here")]
    assert "writes in place by ReLU" in finding.message
