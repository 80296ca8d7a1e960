"""What is shared and written is an error where somebody visibly reads it afterwards, and else a note."""

from __future__ import annotations

import pytest

from tensorcopy.linting.model import Level
from tests.linting.programs import cases, codes_in, found_in, marked_lines

READ = cases(
    """
--- TCY102 a caller prints its array
import torch
def prepared(image):
    x = torch.from_numpy(image) # here
    x /= 255
    return x
def show(image):
    print(prepared(image), image.mean())
--- TCY102 the next turn hands it over again
import torch
def kept(pred, least):
    pred = pred.transpose(-1, -2) # here
    pred[..., 0] -= pred[..., 1] / 2
    return pred[pred[..., 2] > least]
def main():
    found = torch.ones(3, 3)
    for least in (0.8, 0.3):
        print(kept(found, least))
--- TCY102 the old value is read in the function itself
import torch
def spread(x: torch.Tensor):
    y = x.detach() # here
    y -= y.mean()
    return x.std() / y
--- TCY102 elements of a list that is read afterwards
import torch
def centred(x):
    y = torch.as_tensor(x) # here
    y -= y.mean()
    return y
def main(images):
    found = [centred(image) for image in images]
    return torch.stack(found), torch.stack(images)
--- TCY102 rows by a counted index
import numpy as np
def clean(row):
    a = np.asarray(row) # here
    a[np.isnan(a)] = 0
    return a
def main():
    table = np.ones((3, 4))
    for i in range(3):
        print(clean(table[i]))
    print(table)
--- TCY102 an attribute that lives on
import torch
class Loader:
    def __init__(self, images):
        self.images = images
    def scaled(self, x):
        y = torch.from_numpy(x) # here
        y /= 255
        return y
    def batch(self):
        return self.scaled(self.images)
    def raw(self):
        return self.images.copy()
--- TCY102 the caller of the caller reads
import torch
def inner(x):
    y = torch.as_tensor(x) # here
    y *= 2
    return y
def outer(x):
    return inner(x) + 1
data = torch.ones(3)
print(outer(data), data)
--- TCY102 an object that is called
import torch
class Scale:
    def __call__(self, x):
        y = torch.from_numpy(x) # here
        y /= 255
        return y
def main(image):
    scale = Scale()
    return scale(image), image.max()
--- TCY102 a view of what is read
import torch
def halved(x):
    y = torch.from_numpy(x) # here
    y /= 2
    return y
def main(a):
    b = a.T
    halved(b)
    return a.sum()
--- TCY112 two names, both read
import torch
def shifted(x: torch.Tensor):
    y = x # here
    y[0] = 0
    return y, x
--- TCY112 the argument of the caller is read after
import torch
def normalised(x: torch.Tensor):
    x -= x.mean() # here
    return x
def main(a: torch.Tensor):
    return normalised(a), a.std()
--- TCY101 collected and returned
import numpy as np
def path(steps):
    position, found = np.zeros(2), []
    for step in steps:
        position += step
        found.append(position) # here
    return found
--- TCY101 a generator that a caller collects
import torch
def states(n):
    x = torch.zeros(2)
    for i in range(n):
        x += 1
        yield x # here
print(list(states(3)))
--- TCY101 a generator whose parts a caller keeps
import torch
def states(n):
    x = torch.zeros(2)
    for i in range(n):
        x += 1
        yield x # here
kept = []
for state in states(3):
    kept.append(state)
print(kept)
--- TCY103 results are collected
import numpy as np
class Env:
    def __init__(self):
        self.state = np.zeros(4)
    def step(self, a):
        self.state += a
        return self.state # here
env = Env()
print([env.step(1.0) for _ in range(3)])
--- TCY103 the last result under another name
import numpy as np
class Env:
    def __init__(self):
        self.state = np.zeros(4)
    def step(self, a):
        self.state += a
        return self.state, 0.0 # here
def run(env, n):
    last, _ = env.step(0.0)
    for i in range(n):
        new, _ = env.step(1.0)
        print(new - last)
        last = new
--- TCY103 two results in one expression
import torch
class Encoder:
    def __init__(self):
        self.out = torch.empty(3)
    def __call__(self, x):
        self.out.copy_(x)
        return self.out # here
encoder = Encoder()
print(encoder(torch.ones(3)) - encoder(torch.zeros(3)))
--- TCY103 read after the second call
import torch
class Encoder:
    def __init__(self):
        self.out = torch.empty(3)
    def encode(self, x):
        self.out.copy_(x)
        return self.out # here
encoder = Encoder()
a = encoder.encode(torch.ones(3))
b = encoder.encode(torch.zeros(3))
print(a, b)
--- TCY111 divided again
import numpy as np
class Data:
    def __init__(self):
        self.boxes = [np.zeros(4)]
    def __getitem__(self, i):
        box = self.boxes[i] # here
        box /= 10
        return box
--- TCY102 all on the CPU
import torch
def shown(x):
    a = x.detach().cpu().numpy() # here
    a *= 255
    return a
def main(x):
    return shown(x), x.mean()
--- TCY117 a caller goes on with its tensor
import torch
def areas(points):
    if points.dim() == 1:
        points.unsqueeze_(0) # here
    return points.sum(1)
def main(points):
    return areas(points) * points
--- TCY117 nobody in sight calls
import torch
def areas(points):
    if points.dim() == 1:
        points.unsqueeze_(0) # here
    return points.sum(1)
--- TCY113 two attributes that are bound once
import torch
class Moments:
    def __init__(self):
        self.mean = self.spread = torch.zeros(3) # here
    def add(self, x):
        self.mean += x
    def result(self):
        return self.mean, self.spread
--- TCY101 made in some turns only
import numpy as np
def gathered(xs):
    found, rows = [], None
    for i, x in enumerate(xs):
        if i % 10 == 0:
            rows = np.zeros(3)
        rows += 1
        found.append(rows) # here
    return found
--- TCY104 a copy to the CPU of what is there already
import torch
def train(batches):
    model = torch.nn.Linear(1, 1)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    best, least = None, 1.0
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()
        opt.step()
        if loss < least:
            least = loss.item()
            best = {k: p.cpu() for k, p in model.state_dict().items()} # here
    model.load_state_dict(best)
--- TCY108 rows picked by an array
import numpy as np
import torch
def reset(ids):
    hidden = torch.zeros(9, 3)
    rows = np.unique(ids)
    hidden[rows - 1].zero_() # here
    return hidden
--- TCY113 one layer in each turn of a loop
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        layer = nn.Linear(2, 2)
        self.layers = nn.ModuleList()
        for _ in range(n):
            self.layers.append(layer) # here
--- TCY102 converted to what the caller's array is
import numpy as np
def scaled(x):
    y = np.asarray(x, dtype=np.float32) # here
    y *= 2
    return y
table = np.zeros(3, dtype=np.float32)
print(scaled(table), table)
--- TCY111 the whole data divided again
import numpy as np
class Data:
    def __init__(self):
        self.boxes = np.ones((9, 4))
    def get_boxes(self):
        boxes = self.boxes # here
        boxes /= 10
        return boxes
--- TCY116 both go on
def sync(target, net):
    for p, q in zip(target.parameters(), net.parameters()):
        p.data = q.data # here
--- TCY109 written as it is
import numpy as np
import torch
from PIL import Image
def loaded(file):
    x = torch.from_numpy(np.asarray(Image.open(file))) # here
    x[0] = 0
    return x
--- TCY104 kept on the object, and given out
import torch
class Trainer:
    def fit(self, model: torch.nn.Module, opt, batches):
        for batch in batches:
            loss = model(batch).sum()
            loss.backward()
            opt.step()
            if loss < 1:
                self.best = model.state_dict() # here
    def restore(self, model):
        model.load_state_dict(self.best)
"""
)
NOT_READ = cases(
    """
--- TCY102 nobody in sight calls
import torch
def prepared(image):
    x = torch.from_numpy(image)
    x /= 255
    return x
--- TCY102 the caller hands over a copy
import torch
def prepared(image):
    x = torch.from_numpy(image)
    x /= 255
    return x
def show(image):
    print(prepared(image.copy()), image)
--- TCY102 the caller computes it for the call
import torch
def covariance(m, rows=True):
    if not rows:
        m = m.t()
    m -= m.mean(dim=1, keepdim=True)
    return m.matmul(m.t())
def score(sample):
    pool = sample()
    mu, sigma = torch.mean(pool, 0), covariance(pool, rows=False)
    del pool
    return mu, sigma
--- TCY102 only the shape is asked for afterwards
import torch
def centred(x: torch.Tensor):
    y = x.view(-1)
    y -= y.mean()
    return y
def main(x):
    y = centred(x)
    return y.view(x.shape), x.device, torch.zeros_like(x)
--- TCY102 bound anew before it is read
import torch
def centred(x):
    y = torch.as_tensor(x)
    y -= y.mean()
    return y
def main(x, load):
    y = centred(x)
    x = load()
    return x + y
--- TCY102 overwritten before it is read
import torch
def centred(x):
    y = torch.as_tensor(x)
    y -= y.mean()
    return y
def main(x: torch.Tensor):
    y = centred(x)
    x.zero_()
    return y
--- TCY102 the other branch reads
import torch
def centred(x):
    y = torch.as_tensor(x)
    y -= y.mean()
    return y
def main(x, plain):
    if plain:
        return centred(x)
    else:
        return x
--- TCY102 made anew in each turn
import torch
def centred(x):
    y = torch.as_tensor(x)
    y -= y.mean()
    return y
def main(load):
    for i in range(3):
        x = load(i)
        print(centred(x))
--- TCY102 a copy on any other device
import torch
def shown(x):
    a = x.detach().cpu().numpy()
    a *= 255
    return a
def main(x, net):
    return shown(x), x.mean().to(net.device)
--- TCY117 callers pick what they hand over
import torch
def areas(points):
    if points.dim() == 1:
        points.unsqueeze_(0)
    return points.sum(1)
def main(points, places):
    return areas(points[places]) * points
--- TCY113 two attributes that are bound anew
import torch
class History:
    def __init__(self, start):
        self.now = self.before = torch.zeros(3)
    def add(self, x):
        self.before = self.now.clone()
        self.now += x
    def result(self):
        return self.now, self.before
--- TCY101 numbers out of an array
import numpy as np
def starts(n):
    waits, found = np.random.exponential(1.0, n), []
    time = 0
    for wait in waits:
        time += wait
        found.append(time)
    return found
--- TCY101 buffers of the turn
import numpy as np
def run(queue, ready, load, size):
    while ready():
        rows = np.zeros((size, 3)).astype(np.float32)
        i = 0
        while i < size:
            rows[i] = load()
            i += 1
        queue.put_nowait((rows, i))
--- TCY104 copied from another device
import torch
def train(batches, device):
    model = torch.nn.Linear(1, 1).to(device=device)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    best, least = None, 1.0
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()
        opt.step()
        if loss < least:
            least = loss.item()
            best = {k: p.cpu() for k, p in model.state_dict().items()}
    model.load_state_dict(best)
--- TCY108 one number out of an array
import numpy as np
import torch
def labelled(target):
    labels = torch.zeros(20)
    for k in np.unique(target):
        if k not in (0, 255):
            labels[k - 1].fill_(1)
    return labels
--- TCY108 a number that was summed up
import torch
def spread(durations: torch.Tensor):
    table, count = torch.zeros(3, 9, 9), 0
    for j in range(len(durations)):
        for k in range(int(durations[j])):
            table[0][count + k][j] = 1
        count = count + durations[j]
    return table
--- TCY111 a state that is brought up to date
import torch
class Prototypes(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.means = torch.zeros(n, 3)
        self.register_buffer("counts", torch.zeros(n))
    def forward(self, xs, labels):
        means, counts = self.means, self.counts
        for x, label in zip(xs, labels):
            means[label] = means[label] * 0.9 + x * 0.1
            counts[label] += 1
        self.means = means.detach()
        return xs @ means.T, counts
--- TCY113 one layer where that is asked for
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, n, shared):
        super().__init__()
        self.layers = nn.ModuleList()
        if shared:
            layer = nn.Linear(2, 2)
            for _ in range(n):
                self.layers.append(layer)
        else:
            for _ in range(n):
                self.layers.append(nn.Linear(2, 2))
--- TCY102 converted from nobody knows what
import numpy as np
def scaled(x):
    y = np.asarray(x, dtype=np.float32)
    y *= 2
    return y
def main(table):
    return scaled(table), table
--- TCY102 the entry is replaced
import numpy as np
def moved(points: np.ndarray):
    points = points.reshape(-1, 3)
    points[:, 2] = 0
    return points
def main(annotation):
    points = moved(annotation["points"])
    annotation["points"] = points
    return annotation
--- TCY112 put back where it was
import torch
def turned(points: torch.Tensor, angle):
    points[..., 0] = points[..., 0] * angle
    return points
def main(points, angles):
    rows = points * 2
    for k in range(3):
        rows[k] = turned(rows[k], angles[k])
        rows[k] = turned(rows[k].unsqueeze(1), angles[k]).squeeze(1)
    return rows
--- TCY112 the name goes on as the other one
import torch
def masked(x: torch.Tensor, missing):
    if missing.numel():
        y = x
        y[missing] = 0
        x = y
    return x
--- TCY101 another entry in each turn
import torch
class Averages:
    def __init__(self, names):
        self.state = {name: torch.zeros(3) for name in names}
    def update(self, values):
        found = []
        for name, value in values:
            average = self.state[name]
            if value is None:
                average.mul_(0.9)
            else:
                found.append(average)
        return found
--- TCY111 a grid that is begun anew
import numpy as np
class Layer:
    def __init__(self):
        self.grid = np.zeros((9, 9))
    def get_matrix(self, places):
        grid = self.grid
        grid.fill(0)
        for x, y in places:
            grid[x, y] += 1
        return grid
--- TCY112 left before it is read
import torch
def averaged(value: torch.Tensor, n):
    value /= n
    return value
def reduced(total: torch.Tensor, n, several):
    if several:
        return averaged(total, n)
    return total * 2
--- TCY112 a number of a static method
import torch
class Norm(torch.nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.dim = dim
    @staticmethod
    def counted(x: torch.Tensor, dim: int) -> int:
        if dim < 0:
            dim += x.dim()
        return dim
    def forward(self, x: torch.Tensor):
        return x.movedim(self.counted(x, self.dim), 0), self.dim
--- TCY109 bytes of a picture, converted
import numpy as np
import torch
from PIL import Image
def loaded(file):
    x = torch.from_numpy(np.asarray(Image.open(file))).float()
    x = x.permute(2, 0, 1)
    x.div_(2)
    return x
--- TCY116 one of the two is dropped
def finish(ctx):
    for p, q in zip(ctx.model.parameters(), ctx.copy.parameters()):
        p.data = q.data
    del ctx.copy
--- TCY112 read for what is never read again
import torch
def mixed(src: torch.Tensor, dst: torch.Tensor):
    src[:, 1:] = src[:, 1:] + dst
    return src
def noisy(clean: torch.Tensor, noise, factor):
    clean = clean / clean.max()
    speech = mixed(clean, noise)
    speech = speech * factor
    clean = clean * factor
    return speech
--- TCY112 bound to the name that it was handed
import torch
def put(source: torch.Tensor, part, places):
    if len(places) == len(source):
        source = part
    else:
        source[places] = part
    return source
def act(state: torch.Tensor, part, places):
    state = put(state, part, places)
    return state
--- TCY112 only the last turn writes
import torch
def generate(model, x: torch.Tensor, clip, scale):
    current = x * 2
    for step in range(9)[::-1]:
        previous = current - model(current)
        if clip:
            previous = previous.clamp(-1, 1)
        current = previous
        if step == 0:
            previous *= scale
    return previous
--- TCY101 asked whether it is NaN
import torch
def checked(x: torch.Tensor, places):
    found = x.clone().detach()
    for place in places:
        found[place] = 1
    return (found != found).sum(), (found - found).abs()
--- TCY101 a generator of which nobody in sight keeps anything
import torch
def states(n):
    x = torch.zeros(2)
    for i in range(n):
        x += 1
        yield x
for state in states(3):
    print(state.sum())
--- TCY103 each result is used up before the next call
import numpy as np
class Noise:
    def __init__(self):
        self.state = np.zeros(4)
    def sample(self):
        self.state += 1
        return self.state
def act(noise, policy, xs):
    for x in xs:
        action = noise.sample()
        print(policy(x) + action)
--- TCY111 the same place at each call
import torch
class Windows:
    def __init__(self):
        self.marks = torch.zeros(9, 3)
    def __getitem__(self, index):
        mark = self.marks[index:index + 2]
        mark[:, -1] = int(index)
        return mark
--- TCY104 another name for the network inside
import torch
def train(model: torch.nn.Module, opt, batches):
    for batch in batches:
        model(batch).sum().backward()
        opt.step()
        if hasattr(model, "module"):
            inner = model.module
        else:
            inner = model
        inner.update(batch)
    if hasattr(model, "module"):
        inner = model.module
    else:
        inner = model
    inner.finish()
--- TCY104 kept where nobody reads it
import torch
class Trainer:
    def fit(self, model: torch.nn.Module, opt, batches):
        for batch in batches:
            loss = model(batch).sum()
            loss.backward()
            opt.step()
            if loss < 1:
                self.best = model.state_dict()
--- TCY113 layers that have nothing to train
import torch
from torch import nn
class Scores(nn.Module):
    def __init__(self, length=256):
        super().__init__()
        self.length = length
    def forward(self, x, y):
        return x @ y.T
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        scores = Scores()
        self.heads = nn.ModuleList([scores for _ in range(n)])
--- TCY101 numbers of the rows of an array
import numpy as np
def trace(points, grid):
    found = []
    for x, y in np.asanyarray(points, dtype=float):
        found.append(integrate(x, y, grid))
        grid.mark(x, y)
    return found
def integrate(x0, y0, grid):
    x, y = x0, y0
    path = []
    while grid.inside(x, y):
        path.append((x, y))
        x += 0.1
        y += 0.1
    return path
--- TCY108 a conversion that need not copy
import torch
def reset(x: torch.Tensor, device):
    x.to(device).zero_()
"""
)


@pytest.mark.parametrize(("name", "program"), READ.items(), ids=READ)
def test_what_is_read_afterwards_is_more_than_a_note(name: str, program: str) -> None:
    found = [(f.code, f.place.line) for f in found_in(program) if f.level is not Level.NOTE]
    assert found == [(name.partition(" ")[0], line) for line in marked_lines(program)]


@pytest.mark.parametrize("program", NOT_READ.values(), ids=NOT_READ)
def test_what_nobody_in_sight_reads_is_a_note_at_most(program: str) -> None:
    assert codes_in(program, notes=False) == []
