"""NumPy asked for tensors that are on the graph."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, found_in, lines_of, marked_lines, mended, printed_by

CODE = "TCY213"
FOUND = cases(
    """
--- called with and without a graph
import torch
class Trainer:
    def __init__(self):
        self.net = torch.nn.Linear(2, 2)
    def run(self):
        with torch.no_grad():
            self.evaluated(torch.zeros(2))
        return self.evaluated(torch.zeros(2))
    def evaluated(self, x):
        return self.net(x).cpu().numpy()  # here
--- output
import torch
net = torch.nn.Linear(2, 1)
y = net(torch.ones(1, 2)).numpy()  # here
--- moved
import torch
net = torch.nn.Linear(2, 1)
def predict(x):
    return net(x).cpu().numpy()  # here
--- parameter
import torch
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.zeros(2))
    def show(self):
        return self.w.numpy()  # here
--- weight of a layer
import torch
layer = torch.nn.Linear(2, 2)
table = layer.weight.numpy()  # here
--- leaf
import torch
x = torch.ones(2, requires_grad=True)
y = x.numpy()  # here
--- asarray
import numpy as np
import torch
x = torch.ones(2, requires_grad=True)
y = np.asarray(x * 2)  # here
--- list
import numpy as np
import torch
net = torch.nn.Linear(2, 1)
losses = []
for x in torch.ones(3, 2):
    losses.append(net(x).sum())
print(np.array(losses))  # here
--- required later
import torch
x = torch.ones(2)
x.requires_grad_()
y = (x + 1).numpy()  # here
--- stacked
import numpy as np
import torch
net = torch.nn.Linear(2, 1)
rows = np.stack([net(torch.ones(2)) for _ in range(2)])  # here
--- mean of losses
import numpy as np
import torch
net = torch.nn.Linear(2, 1)
losses = [net(torch.ones(2)).sum() for _ in range(2)]
print(np.mean(losses))  # here
"""
)
SILENT = cases(
    """
--- called only where no graph is recorded
import torch
class Trainer:
    def __init__(self):
        self.net = torch.nn.Linear(2, 2)
    def run(self):
        with torch.no_grad():
            return self.evaluated(torch.zeros(2))
    @torch.inference_mode()
    def again(self):
        return self.evaluated(torch.zeros(2))
    def evaluated(self, x):
        self.other.evaluated(x)
        return self.net(x).cpu().numpy()
--- detached
import torch
net = torch.nn.Linear(2, 1)
y = net(torch.ones(1, 2)).detach().cpu().numpy()
--- without grad
import torch
net = torch.nn.Linear(2, 1)
with torch.no_grad():
    y = net(torch.ones(1, 2)).numpy()
--- a net of the file without grad
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(2, 1)
    def forward(self, x):
        return self.fc(x)
net = Net()
net(torch.ones(1, 2)).detach().numpy()
with torch.no_grad():
    y = net(torch.ones(1, 2))
y.cpu().numpy()
--- decorated
import torch
net = torch.nn.Linear(2, 1)
@torch.inference_mode()
def predict(x):
    return net(x).numpy()
--- forced
import torch
x = torch.ones(2, requires_grad=True)
y = x.numpy(force=True)
--- data
import torch
layer = torch.nn.Linear(2, 2)
y = layer.weight.data.numpy()
--- frozen
import torch
layer = torch.nn.Linear(2, 2).requires_grad_(False)
y = layer.weight.numpy()
--- without parameters
import torch
net = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Upsample(scale_factor=2))
y = net(torch.ones(1, 1, 4)).numpy()
--- compared
import torch
x = torch.ones(2, requires_grad=True)
y = (x > 0).numpy()
--- numbers
import numpy as np
import torch
net = torch.nn.Linear(2, 1)
y = np.array([net(torch.ones(2)).item() for _ in range(3)])
--- listed
import torch
x = torch.ones(2, requires_grad=True)
y = (x * 2).tolist()
--- unknown
def f(t):
    return t.cpu().numpy()
--- integers
import torch
x = torch.ones(2, requires_grad=True)
y = (x * 2).argmax().numpy()
--- switched
import torch
torch.set_grad_enabled(False)
net = torch.nn.Linear(2, 1)
y = net(torch.ones(2)).numpy()
"""
)


@pytest.mark.parametrize("program", FOUND.values(), ids=FOUND)
def test_numpy_of_a_value_on_the_graph_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_numpy_of_anything_else_is_fine(program: str) -> None:
    assert lines_of(CODE, program) == []


def test_the_fix_detaches_and_the_program_runs() -> None:
    program = "import torch\nx = torch.ones(2, requires_grad=True)\nprint((x * 2).cpu().numpy())\n"

    assert printed_by(mended(program, CODE)) == "[2. 2.]\n"


def test_a_function_that_its_file_does_not_call_gives_a_note_since_the_caller_may_record_no_graph() -> None:
    program = "import torch\nnet = torch.nn.Linear(2, 2)\ndef f(x):\n    return net(x).numpy()\n"
    assert [(f.code, f.level.value) for f in found_in(program)] == [("TCY213", "note")]
    called = [f.level.value for f in found_in(program + "f(torch.ones(2))\n") if f.place.line == 4]
    assert called == ["error"]
