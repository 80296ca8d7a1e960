"""What the file itself shows decides between an error or a warning and a note."""

from __future__ import annotations

import pytest

from tensorcopy.linting.model import Level
from tests.linting.programs import cases, found_in

NET = "import numpy as np\nimport torch\nfrom torch import nn\nnet = nn.Linear(2, 1)\n"
# A function that breaks a rule if a graph is recorded, and how it is called.
DEPENDS_ON_CALLERS = {
    "TCY203": (
        "def f(x):\n    y = net(x)\n    return torch.tensor(y, requires_grad=True) * 2\n",
        "f(torch.ones(1, 2))",
    ),
    "TCY208": (
        "def f(x):\n    y = net(x).exp()\n    y.data.clamp_(max=1)\n    return y.sum()\n",
        "f(torch.ones(1, 2))",
    ),
    "TCY210": ("def f(x):\n    net.weight[:, 0] -= x\n", "f(torch.ones(1))"),
    "TCY212": ("import copy\ndef f(x):\n    y = net(x) * 2\n    return copy.deepcopy(y)\n", "f(torch.ones(1, 2))"),
    "TCY213": ("def f(x):\n    return net(x).numpy()\n", "f(torch.ones(1, 2))"),
}
RECORDED = cases(
    """
--- called at the top of the file
f(x)
--- called by a function that is called
def g():
    return f(x)
def main():
    g()
if __name__ == "__main__":
    main()
--- called where gradients are taken
def train(x):
    f(x).sum().backward()
--- called by a test
def test_f():
    f(x)
--- called with and without a graph
with torch.no_grad():
    f(x)
f(x)
"""
)
UNKNOWN = cases(
    """
--- not called
pass
--- called by a function that nobody calls
def g(x):
    return f(x)
--- called by itself only
def g(x):
    return h(x)
def h(x):
    return g(f(x))
--- called by a test without a graph
@torch.no_grad()
def test_f():
    f(x)
"""
)


def levels(code: str, program: str) -> list[Level]:
    return [f.level for f in found_in(program) if f.code == code]


@pytest.mark.parametrize("code", DEPENDS_ON_CALLERS)
def test_what_depends_on_the_callers_is_a_note_unless_the_file_shows_one_that_records_a_graph(code: str) -> None:
    function, call = DEPENDS_ON_CALLERS[code]

    assert levels(code, NET + function) == [Level.NOTE]
    assert levels(code, NET + function + call + "\n") == [Level.ERROR]


@pytest.mark.parametrize("calls", RECORDED.values(), ids=RECORDED)
def test_a_caller_in_sight_shows_that_a_graph_is_recorded(calls: str) -> None:
    program = NET + "x = torch.ones(1, 2)\ndef f(x):\n    return torch.as_tensor(net(x).numpy())\n" + calls

    assert levels("TCY213", program) == [Level.ERROR]


@pytest.mark.parametrize("calls", UNKNOWN.values(), ids=UNKNOWN)
def test_without_such_a_caller_it_is_a_note(calls: str) -> None:
    program = NET + "x = torch.ones(1, 2)\ndef f(x):\n    return torch.as_tensor(net(x).numpy())\n" + calls

    assert levels("TCY213", program) in ([Level.NOTE], [])


CLASS = (
    "import torch\nfrom torch import nn\nclass Block(nn.Module):\n"
    "    def __init__(self):\n        super().__init__()\n        self.layer = nn.Linear(2, 2)\n"
    "    def forward(self, x):\n        y = torch.sigmoid(self.layer(x))\n        y += 1\n        return y\n"
)


@pytest.mark.parametrize(
    ("use", "level"),
    [
        ("", Level.NOTE),
        ("net = Block()\n", Level.NOTE),
        ("net = Block()\nwith torch.no_grad():\n    net(torch.ones(2))\n", Level.NOTE),
        ("net = Block()\nnet(torch.ones(2))\n", Level.ERROR),
        ("print(Block()(torch.ones(2)))\n", Level.ERROR),
        ("def build():\n    return Block()\nnet = build()\nnet(torch.ones(2))\n", Level.ERROR),
        (
            "class Both:\n    def __init__(self):\n        self.block = Block()\n"
            "    def step(self, x):\n        self.block(x).sum().backward()\n",
            Level.ERROR,
        ),
    ],
)
def test_the_forward_of_a_module_runs_where_its_objects_are_called(use: str, level: Level) -> None:
    assert levels("TCY209", CLASS + use) == [level]


def test_a_leaf_that_the_file_may_freeze_is_a_note_unless_it_is_made_in_the_same_function() -> None:
    head = NET + "def freeze(m):\n    for p in m.parameters():\n        p.requires_grad = False\n"
    elsewhere = "def f():\n    net.weight[0] = 1.0\nf()\n"
    here = "def f():\n    w = torch.zeros(2, requires_grad=True)\n    w[0] = 1.0\nf()\n"

    assert levels("TCY210", head + elsewhere) == [Level.NOTE]
    assert levels("TCY210", head + here) == [Level.ERROR]


LONG = cases(
    """
--- loader
def f(loader):
    found = torch.zeros(0)
    for x in loader:
        found = torch.cat([found, x])
    return found
--- loader behind a progress bar
def f(self, tqdm):
    found = None
    with tqdm(self.data_loader) as bar:
        for i, x in enumerate(bar):
            if found is None:
                found = x
            else:
                found = torch.cat([found, x])
    return found
--- a loader that is made here
def f(data):
    found = torch.zeros(0)
    feed = torch.utils.data.DataLoader(data)
    for x in feed:
        found = torch.cat([found, x])
    return found
--- far
def f(step):
    found = torch.zeros(0)
    for i in range(10_000):
        found = torch.cat([found, step(i)])
    return found
--- far, by a name
TURNS = 1000
found = torch.zeros(0)
for i in range(TURNS):
    found = torch.cat([found, torch.ones(1) * i])
--- once a sample
def f(dataset):
    found = torch.zeros(0)
    for i in range(len(dataset)):
        found = torch.cat([found, dataset[i]])
    return found
--- once a file
def f(names):
    found = np.zeros(0)
    for name in names:
        found = np.concatenate([found, np.load(name)])
    return found
--- handed in by a call in the file
def f(chunks):
    found = torch.empty(0)
    for chunk in chunks:
        found = torch.cat([found, chunk * 2])
    return found
f(torch.ones(50, 400))
--- handed in by a variable
class Collector:
    def collect(self, chunks):
        found = torch.empty(0)
        for chunk in chunks:
            found = torch.cat([found, chunk * 2])
        return found
data = [torch.ones(3) for _ in range(1000)]
Collector().collect(data)
--- over a list that is made at the top
parts, found = None, torch.empty(0)
data = [torch.ones(3) * i for i in range(1000)]
for part in data:
    found = torch.cat([found, part])
--- over an array that is made here
rows = np.random.rand(10_000, 3)
found = np.zeros(0)
for row in rows:
    found = np.append(found, row)
"""
)
FEW = cases(
    """
--- handed in with few rows
def f(chunks):
    found = torch.empty(0)
    for chunk in chunks:
        found = torch.cat([found, chunk * 2])
    return found
f(torch.ones(3, 400))
--- over a small array
found = np.zeros(0)
for part in np.array([3, 4]):
    found = np.append(found, part)
--- over a few places
class Groups:
    def __init__(self):
        self.places = np.array([1, 2, 3])
    def joined(self, x):
        found = np.zeros(0)
        for place in self.places:
            found = np.hstack((found, x[place]))
        return found
--- unknown
def f(parts):
    found = np.zeros(0)
    for part in parts:
        found = np.append(found, part)
    return found
--- once a class
def f(boxes, classes):
    found = torch.zeros(0)
    for c in classes.unique():
        found = torch.cat([found, boxes[classes == c]])
    return found
--- once a key
def f(parts: dict):
    found = torch.zeros(0)
    for name, part in parts.items():
        found = torch.cat([found, part])
    return found
--- several data sets
def f(datasets, loaders):
    found = torch.zeros(0)
    for dataset in datasets:
        found = torch.cat([found, dataset.labels])
    for loader in loaders:
        found = torch.cat([found, loader.weights])
    return found
--- counted by an argument
def f(n, step):
    found = torch.zeros(0)
    for i in range(n):
        found = torch.cat([found, step(i)])
    return found
--- until something holds
def f(reader):
    rows = np.empty((0, 3))
    while reader.more():
        rows = np.vstack([rows, reader.row()])
    return rows
"""
)
HEAD = "import numpy as np\nimport torch\n"


@pytest.mark.parametrize("program", LONG.values(), ids=LONG)
def test_growing_over_many_turns_is_a_warning(program: str) -> None:
    assert levels("TCY408", HEAD + program) == [Level.WARNING]


@pytest.mark.parametrize("program", FEW.values(), ids=FEW)
def test_growing_over_turns_that_may_be_few_is_a_note(program: str) -> None:
    assert set(levels("TCY408", HEAD + program)) == {Level.NOTE}


@pytest.mark.parametrize(
    ("large", "level"),
    [
        ("", Level.NOTE),
        ("LIMIT = 1_000\n", Level.NOTE),
        ("MASKED = -1e9\n", Level.NOTE),
        ("ids = [50_000_001]\n", Level.WARNING),
        ("LIMIT = 2**32\n", Level.WARNING),
        ("LIMIT = 1 << 30\n", Level.WARNING),
        ("LIMIT = int(1e9)\n", Level.WARNING),
        ("LIMIT = 10_000 * 10_000\n", Level.WARNING),
        ("ids = [hash(n) for n in 'ab']\n", Level.WARNING),
    ],
)
def test_integers_through_float32_are_a_note_unless_some_in_the_file_are_large(large: str, level: Level) -> None:
    program = f"import torch\n{large}def f(ids):\n    return torch.Tensor(ids).long()\n"

    assert levels("TCY301", program) == [level]
