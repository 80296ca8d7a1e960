"""What is kept by reference and changes afterwards."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, codes_in, lines_of, marked_lines

CODE = "TCY101"
WRONG = cases(
    """
--- a sweep that reads what the turn before wrote
import numpy as np
def relax(n: int):
    u = np.zeros(n)
    old = u # here
    for i in range(1, n):
        u[i] = old[i - 1] + 1
    return u
--- memory of an object made before the loop
import torch
class Attack:
    def __init__(self, x):
        self.noise = torch.zeros(3)
    def perturbation(self):
        return self.noise
def run(xs):
    found = {}
    attack = Attack(xs)
    for i, x in enumerate(xs):
        attack.noise += 1
        found[i] = attack.perturbation().data # here
    return found
--- written through out
import torch
def f(x):
    x = torch.zeros(3)
    y = x.detach() # here
    torch.add(x, 1, out=x)
    return y - x
--- list of numpy views after update
import torch
w = torch.zeros(3)
trace = []
for i in range(3):
    w += 1
    trace.append(w.numpy()) # here
print(trace)
--- obs appended then env buffer written
import numpy as np
obs = np.zeros(4)
memory = []
for t in range(10):
    obs[:] = np.random.rand(4)
    memory.append(obs) # here
print(memory)
--- tuple appended
import numpy as np
state = np.zeros(4)
replay = []
for t in range(10):
    action = t % 2
    replay.append((state, action)) # here
    state += action
print(replay)
--- deque frames
from collections import deque
import numpy as np
frame = np.zeros((8, 8))
frames = deque(maxlen=4)
for t in range(10):
    frame[...] = np.random.rand(8, 8)
    frames.append(frame) # here
stack = np.stack(frames)
--- queue put
import queue
import torch
q = queue.Queue()
batch = torch.zeros(4)
for i in range(3):
    batch.fill_(i)
    q.put(batch) # here
--- dict item by step
import torch
history = {}
w = torch.zeros(3)
for epoch in range(3):
    w.add_(1)
    history[epoch] = w.detach() # here
print(history)
--- attribute list
import torch
class Recorder:
    def __init__(self):
        self.rows = []
        self.state = torch.zeros(3)
    def run(self):
        for i in range(3):
            self.state += i
            self.rows.append(self.state) # here
        return self.rows
--- attribute list one call
import numpy as np
class Walker:
    def __init__(self):
        self.pos = np.zeros(2)
        self.path = []
    def step(self, d):
        self.pos += d
        self.path.append(self.pos) # here
--- append in while
import torch
x = torch.ones(2)
xs = []
i = 0
while i < 3:
    xs.append(x.detach()) # here
    x.mul_(2)
    i += 1
--- list plus
import torch
x = torch.ones(2)
xs = []
for i in range(3):
    x.mul_(2)
    xs += [x] # here
--- parameter values tracked
import torch
model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=.1)
weights = []
for i in range(3):
    loss = model(torch.ones(1, 2)).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    weights.append(model.weight.data) # here
--- parameter as an array tracked
import torch
model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=.1)
weights = []
for i in range(3):
    loss = model(torch.ones(1, 2)).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    weights.append(model.weight.detach().numpy()) # here
--- leaf trained by optimizer
import torch
x = torch.zeros(2, requires_grad=True)
opt = torch.optim.Adam([x], lr=.1)
path = []
for i in range(3):
    opt.zero_grad()
    (x ** 2).sum().backward()
    opt.step()
    path.append(x.detach().numpy()) # here
--- prev for convergence
import torch
x = torch.zeros(3)
while True:
    prev = x.detach() # here
    x += 0.5
    if (x - prev).abs().max() < 1e-6:
        break
--- prev plain name
import torch
x = torch.zeros(3)
for i in range(10):
    prev = x # here
    x += 0.5
    if torch.allclose(x, prev):
        break
--- old numpy
import numpy as np
def solve(A, b):
    x = np.zeros(3)
    for i in range(100):
        old = x # here
        x[0] = A[0] @ x + b[0]
        if np.linalg.norm(x - old) < 1e-6:
            break
    return x
--- old weights delta
import torch
model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=.1)
before = model.weight.data # here
loss = model(torch.ones(1, 2)).sum()
loss.backward()
opt.step()
print((model.weight.data - before).norm())
--- old weights delta detach
import torch
model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=.1)
before = model.weight.detach() # here
model(torch.ones(1, 2)).sum().backward()
opt.step()
assert not torch.equal(before, model.weight)
--- list of params before
import torch
model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=.1)
before = [p.data for p in model.parameters()] # here
model(torch.ones(1, 2)).sum().backward()
opt.step()
for a, b in zip(before, model.parameters()):
    print((a - b).abs().sum())
--- list params before
import torch
model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=.1)
before = list(model.parameters()) # here
model(torch.ones(1, 2)).sum().backward()
opt.step()
for a, b in zip(before, model.parameters()):
    print((a - b).abs().sum())
--- state dict before
import torch
model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=.1)
before = model.state_dict() # here
model(torch.ones(1, 2)).sum().backward()
opt.step()
after = model.state_dict()
for k in before:
    print((after[k] - before[k]).abs().sum())
--- dict of params detach
import torch
model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=.1)
before = {n: p.detach() for n, p in model.named_parameters()} # here
model(torch.ones(1, 2)).sum().backward()
opt.step()
for n, p in model.named_parameters():
    print(n, (p - before[n]).abs().sum())
--- numpy before and zero
import torch
x = torch.ones(3)
saved = x.numpy() # here
x.zero_()
print(saved)
--- saved in function
import torch
def f(n):
    x = torch.ones(n)
    saved = x.detach() # here
    x.mul_(3)
    return saved, x
--- asarray of tensor
import numpy as np
import torch
x = torch.ones(3)
saved = np.asarray(x) # here
x += 1
print(saved.sum())
--- list copy of arrays
import copy
import torch
xs = [torch.zeros(2), torch.ones(2)]
old = copy.copy(xs) # here
xs[0] += 1
print(old[0])
--- list() copy of arrays
import torch
xs = [torch.zeros(2), torch.ones(2)]
old = list(xs) # here
xs[0] += 1
print(old[0])
--- slice copy of list
import torch
xs = [torch.zeros(2), torch.ones(2)]
old = xs[:] # here
xs[0].add_(1)
print(old[0])
--- list.copy of arrays
import numpy as np
xs = [np.zeros(2), np.ones(2)]
old = xs.copy() # here
xs[0] += 1
print(old[0])
--- dict copy of arrays
import numpy as np
xs = {'a': np.zeros(2)}
old = xs.copy() # here
xs['a'] += 1
print(old['a'])
--- dict() copy of arrays
import torch
xs = {'a': torch.zeros(2)}
old = dict(xs) # here
xs['a'][0] = 1
print(old['a'])
--- dict unpack of arrays
import torch
xs = {'a': torch.zeros(2)}
old = {**xs} # here
xs['a'][0] = 1
print(old['a'])
--- generator yields buffer
import numpy as np
def batches(n):
    out = np.zeros(4)
    for i in range(n):
        out[:] = i
        yield out # here
--- generator yields buffer 2
import torch
def batches(data):
    out = torch.empty(4, 2)
    for i in range(len(data)):
        for j in range(4):
            out[j] = data[i][j]
        yield out # here
--- generator yields tuple
import torch
def rollout(env, n):
    state = torch.zeros(3)
    for i in range(n):
        state.add_(1)
        yield i, state # here
--- copy.copy of a dict
import copy
import torch
state = {"t": torch.zeros(2)}
backup = copy.copy(state) # here
state["t"] += 1
print(backup["t"])
--- self.prev assigned then updated
import torch
class Early:
    def __init__(self):
        self.w = torch.zeros(3)
        self.prev = None
    def step(self, g):
        self.prev = self.w # here
        self.w -= g
        return (self.w - self.prev).norm()
--- self.prev detach
import torch
class Early:
    def __init__(self):
        self.w = torch.zeros(3)
    def step(self, g):
        self.prev = self.w.detach() # here
        self.w.sub_(g)
        return (self.w - self.prev).norm()
--- best when better
import torch
theta = torch.zeros(1)
best, best_score = None, 0.0
for step, score in enumerate([1.0, 5.0, 2.0]):
    theta += 1
    if score > best_score:
        best_score = score
        best = theta # here
print(best)
--- best detach when better
import torch
theta = torch.zeros(1, requires_grad=True)
opt = torch.optim.SGD([theta], lr=.1)
best, best_loss = None, 9e9
for step in range(3):
    opt.zero_grad()
    loss = ((theta - 2) ** 2).sum()
    loss.backward()
    opt.step()
    if loss.item() < best_loss:
        best_loss = loss.item()
        best = theta.detach() # here
print(best)
--- best numpy when better
import numpy as np
rng = np.random.default_rng(0)
x = np.zeros(3)
best, best_f = None, 9e9
for step in range(3):
    x += rng.normal(size=3)
    f = float((x ** 2).sum())
    if f < best_f:
        best_f = f
        best = x # here
print(best)
"""
)
RIGHT = cases(
    """
--- kept when full, and begun anew at once
import numpy as np
def matrices(lines):
    found = []
    mat = np.zeros((4, 4))
    for i in range(len(lines)):
        if i % 5 == 0:
            if i != 0:
                found.append(mat)
            mat = np.zeros((4, 4))
        else:
            mat[i % 5 - 1] = lines[i]
    found.append(mat)
    return found
--- another entry in each turn
import torch
def scaled(names, unit, found):
    tensors = {"a": torch.zeros(3), "b": torch.zeros(3)}
    for key in names:
        data = tensors[key].numpy()
        data *= unit
        found[key + "_scaled"] = data
--- a copy of another layout is yielded
import torch
class Stream:
    def __init__(self, device="cpu"):
        self.device = device
    def batches(self):
        data = torch.zeros(4, 3)
        while True:
            data.fill_(-1)
            yield data.transpose(0, 1).contiguous().to(self.device)
--- a sweep that reads ahead of what it writes
import numpy as np
def roots(n: int, k: int, between):
    points = np.arange(1, k + n) * np.pi
    found = np.zeros(k + n - 1)
    for i in range(1, n):
        for j in range(k + n - 1 - i):
            root = between(points[j], points[j + 1])
            found[j] = root
        points = found
    return points
--- blocks that are read before they are written
import numpy as np
def solve(a, b, block):
    x = np.einsum("fm,mt->ft", np.linalg.pinv(a), b)
    first = x
    for start in range(0, x.shape[-1], 8):
        x[..., start : start + 8] = block(a, first[..., start : start + 8])
    return x
--- what a reshape may copy
import torch
class Runner:
    def __init__(self):
        self.states = torch.zeros(3, 4, 5)
    def run(self):
        self.states += 1
        found = []
        found.append(self.states.permute(1, 2, 0).reshape(4, -1))
        return found
--- memory of an object that each turn makes
import torch
class Attack:
    def __init__(self, x):
        self.noise = torch.zeros(3)
    def perturbation(self):
        return self.noise
    def step(self):
        self.noise += 1
def run(xs):
    found = {}
    for i, x in enumerate(xs):
        attack = Attack(x)
        optimizer = torch.optim.SGD([attack.noise], lr=0.1)
        for _ in range(3):
            optimizer.step()
        with torch.no_grad():
            if x > 0:
                found["best"] = attack.perturbation().data
    return found
--- entries written and put back where they were
import numpy as np
class Cameras:
    def __init__(self, ids, scale):
        self.matrices = {}
        for i in ids:
            self.matrices[i] = np.array([[i, 0.0], [0.0, i]])
        for i, K in self.matrices.items():
            K[0, :] *= scale
            self.matrices[i] = K
--- copies appended
import torch
w = torch.zeros(3)
trace = []
for i in range(3):
    w += 1
    trace.append(w.numpy().copy())
    trace.append(w.clone())
    trace.append(w + 1)
print(trace)
--- new object in each turn
import numpy as np
state = np.zeros(4)
replay = []
for t in range(10):
    replay.append((state, t))
    state = state + 1
print(replay)
--- made in each turn
import torch
rows = []
for i in range(3):
    row = torch.zeros(4)
    row[i] = 1
    rows.append(row)
print(torch.stack(rows))
--- filled where it lies
import torch
rows = []
for i in range(3):
    rows.append(torch.zeros(4))
    rows[-1][i] = 1
    rows[i].add_(1)
--- each place its own
import numpy as np
sums = {}
for key, value in [('a', 1), ('b', 2), ('a', 3)]:
    if key not in sums:
        sums[key] = np.zeros(2)
    entry = sums[key]
    entry += value
--- exponential average
import torch
model, ema = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
ema.load_state_dict(model.state_dict())
for p, q in zip(ema.parameters(), model.parameters()):
    p.data.mul_(0.9).add_(q.data, alpha=0.1)
    print((p.data - q.data).norm())
--- difference of copies
import torch
model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=.1)
before = model.weight.detach().clone()
first = [p.detach().clone() for p in model.parameters()]
start = {k: x.clone() for k, x in model.state_dict().items()}
model(torch.ones(1, 2)).sum().backward()
opt.step()
print((model.weight - before).norm(), [(a - b).norm() for a, b in zip(model.parameters(), first)])
after = model.state_dict()
print([(after[k] - start[k]).norm() for k in start])
--- straight-through
import torch
def quantise(x: torch.Tensor):
    x += 0.5
    rounded = x.round()
    return x + (rounded - x).detach()
--- magic box
import torch
def magic(logp: torch.Tensor):
    return torch.exp(logp - logp.detach())
--- convergence with a copy
import numpy as np
x = np.zeros(3)
for i in range(100):
    old = x.copy()
    x[0] += 1
    if np.linalg.norm(x - old) < 1e-6:
        break
--- convergence with new values
import numpy as np
x = np.zeros(3)
for i in range(100):
    old = x
    x = x + 1
    if np.linalg.norm(x - old) < 1e-6:
        break
--- pairs of parameters
import torch
model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=.1)
opt.step()
params = list(model.parameters())
for p, q in zip(params, params[1:]):
    print((p - q.sum()).norm())
--- staging buffer
import numpy as np
import torch
buffer = np.empty(4, dtype=np.float32)
t = torch.from_numpy(buffer)
for i in range(3):
    buffer[:] = i
    print(t.sum())
--- gradient norm of parameters
import torch
model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=.1)
params = list(model.parameters())
for i in range(3):
    opt.zero_grad()
    model(torch.ones(1, 2)).sum().backward()
    torch.nn.utils.clip_grad_norm_(params, 1.0)
    opt.step()
print(sum(p.numel() for p in params))
--- written through the view on purpose
import torch
x = torch.ones(3)
a = x.numpy()
a += 1
print(x)
--- entries replaced in a copy
import torch
xs = {'a': torch.zeros(2)}
new = dict(xs)
new['a'] = new['a'] + 1
print(xs['a'])
--- generator of copies
import torch
def rollout(n):
    state = torch.zeros(3)
    for i in range(n):
        state.add_(1)
        yield state.clone()
--- residual as a new value
import torch
def block(x: torch.Tensor, f):
    identity = x
    x = f(x)
    x += identity
    return x
--- ring buffer filled by index
import torch
class Ring:
    def __init__(self):
        self.obs = torch.zeros(10, 4)
        self.at = 0
    def add(self, obs):
        self.obs[self.at] = obs
        self.at = (self.at + 1) % 10
--- path of copies
import numpy as np
class Walker:
    def __init__(self):
        self.pos = np.zeros(2)
        self.path = []
    def step(self, d):
        self.pos += d
        self.path.append(self.pos.copy())
--- path of new values
import numpy as np
class Walker:
    def __init__(self):
        self.pos = np.zeros(2)
        self.path = []
    def step(self, d):
        self.pos = self.pos + d
        self.path.append(self.pos)
--- running total read later
import torch
total = torch.zeros(3)
count = 0
for i in range(3):
    total += i
    count += 1
mean = total / count
"""
)


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG)
def test_a_snapshot_that_changes_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", RIGHT.values(), ids=RIGHT)
def test_copies_new_values_and_shared_memory_on_purpose_are_left_alone(program: str) -> None:
    assert codes_in(program, notes=False) == []
