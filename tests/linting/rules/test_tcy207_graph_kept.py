"""Losses kept over the turns of a loop with their graphs."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, lines_of, marked_lines, mended, printed_by

CODE = "TCY207"
FOUND = cases(
    """
--- sum
import torch
from torch import nn
net, total = nn.Linear(1, 1), 0.0
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for batch in torch.ones(4, 2, 1):
    loss = net(batch).pow(2).mean()
    loss.backward()
    opt.step()
    total += loss / 4  # here
--- list
import torch
def train(model, loader, criterion, optimizer):
    losses = []
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss)  # here
    return losses
--- before backward
import torch
def train(model, loader, optimizer):
    running_loss = 0
    for x in loader:
        loss = model(x)
        running_loss = running_loss + loss * len(x)  # here
        loss.backward()
        optimizer.step()
    return running_loss
--- attribute
import torch
class Trainer:
    def __init__(self, model):
        self.model = model
        self.history = []
    def fit(self, loader):
        for x in loader:
            loss = self.model(x)
            loss.backward()
            self.history.append(loss)  # here
--- term of the sum
import torch
def train(model, loader):
    epoch = 0.0
    for x in loader:
        recon, kl = model(x)
        loss = recon + 0.1 * kl
        loss.backward()
        epoch += kl  # here
    return epoch
--- scaled
import torch
def train(model, loader, scaler, opt):
    total = 0.0
    while True:
        loss = model(next(loader))
        scaler.scale(loss).backward()
        scaler.step(opt)
        total += loss  # here
--- accelerator
import torch
def train(model, loader, accelerator):
    train_loss = 0.0
    for x in loader:
        loss = model(x).loss
        accelerator.backward(loss)
        train_loss += loss  # here
--- in a dict
import torch
def train(model, loader):
    history = {"loss": []}
    for i, x in enumerate(loader):
        loss = model(x)
        loss.backward()
        history["loss"].append(loss)  # here
    return history
--- pairs
import torch
def train(model, loader):
    curve = []
    for i, x in enumerate(loader):
        loss = model(x)
        loss.backward()
        curve.append((i, loss))  # here
    return curve
--- kept graph
import torch
def train(model, loader):
    history = []
    for x in loader:
        loss = model(x)
        loss.backward(retain_graph=True)
        history.append(loss.clone())  # here
    return history
--- tensor as a counter
import torch
def train(model, loader, device):
    total = torch.zeros(1, device=device)
    for x in loader:
        loss = model(x)
        loss.backward()
        total += loss  # here
    return total
--- tensor moved and squeezed
import torch
def train(model, loader, device):
    total = torch.zeros(1, device=device).squeeze_()
    for x in loader:
        loss = model(x)
        loss.backward()
        loss *= len(x)
        total += loss  # here
    return total
--- accumulated gradients
import torch
def train(model, loader, steps):
    total = 0.0
    for i, x in enumerate(loader):
        loss = model(x) / steps
        loss.backward()
        total += loss  # here
        if i % steps == 0:
            print(total)
--- returned by a step
import torch
def step(model, x, optimizer):
    loss = model(x).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss
def train(model, loader, optimizer):
    losses = []
    for x in loader:
        losses.append(step(model, x, optimizer))  # here
    return losses
--- returned by a method, with a name
import torch
class Trainer:
    def step(self, x):
        loss = self.model(x).mean()
        loss.backward()
        return loss
    def fit(self, loader):
        total = 0.0
        for x in loader:
            loss = self.step(x)
            total += loss  # here
        return total
--- beside what is back-propagated
import torch
def train(loss_fn, loader):
    history = []
    for x in loader:
        agg_loss, loss = loss_fn(x)
        agg_loss.backward(retain_graph=True)
        history.append(loss)  # here
    return history
--- in a branch
import torch
def train(model, loader):
    logged = []
    for i, x in enumerate(loader):
        loss = model(x)
        loss.backward()
        if i % 10 == 0:
            logged.append(loss)  # here
    return logged
"""
)
SILENT = cases(
    """
--- item
import torch
net, running = torch.nn.Linear(1, 1), 0.0
for x in torch.ones(3, 4, 1):
    loss = net(x).pow(2).mean()
    loss.backward()
    running += loss.item()
--- detached, float, data
import torch
def train(model, loader):
    a, b, c, d = 0.0, [], 0.0, []
    for x in loader:
        loss = model(x)
        loss.backward()
        a += loss.detach()
        b.append(float(loss))
        c += loss.data / 2
        d.append(loss.detach().cpu())
--- detached before
import torch
def train(model, loader):
    total = 0.0
    for x in loader:
        loss = model(x)
        loss.backward()
        loss = loss.detach()
        total += loss
--- the sum is what is back-propagated
import torch
def train(model, parts):
    total = 0.0
    for p in parts:
        loss = model(p)
        total += loss
    total.backward()
--- sum of terms in each step
import torch
def train(model, loader, heads):
    for x in loader:
        total = 0.0
        for head in heads:
            loss = head(model(x))
            total += loss
        total.backward()
--- both, with the graph kept
import torch
def train(model, parts):
    losses = []
    for p in parts:
        loss = model(p)
        loss.backward(retain_graph=True)
        losses.append(loss)
    torch.stack(losses).sum().backward()
--- no backward
import torch
def evaluate(model, loader):
    total = 0.0
    for x in loader:
        loss = model(x)
        total += loss
    return total
--- floats of a step
import torch
def train(svi, loader):
    total = 0.0
    for x in loader:
        loss = svi.step(x)
        total += loss
    return total
--- reset in the loop
import torch
def train(model, loader):
    for x in loader:
        seen = []
        loss = model(x)
        loss.backward()
        seen.append(loss)
--- validation in the same loop
import torch
def train(model, loader, val):
    history = []
    for x in loader:
        loss = model(x)
        loss.backward()
        with torch.no_grad():
            val_loss = model(val)
        history.append(val_loss)
--- backward of something else
import torch
def train(model, loader, plan):
    moves = []
    for x in loader:
        plan.backward()
        moves.append(plan)
--- a step that returns a number
import torch
def step(model, x):
    loss = model(x).mean()
    loss.backward()
    return loss.item()
def train(model, loader):
    total = 0.0
    for x in loader:
        total += step(model, x)
    return total
--- a step that returns something else
import torch
def step(model, x):
    out = model(x)
    loss = out.mean()
    loss.backward()
    return len(x)
def train(model, loader):
    total = 0
    for x in loader:
        total += step(model, x)
    return total
--- summed without grad
import torch
def train(model, loader):
    total = torch.zeros(2)
    for x in loader:
        loss = model(x)
        loss.backward()
        with torch.no_grad():
            total[0] += loss * len(x)
    return total
--- a window
from collections import deque
import torch
def train(model, loader):
    recent = deque(maxlen=10)
    for x in loader:
        loss = model(x)
        loss.backward()
        recent.append(loss)
--- counted
import torch
def train(model, loader):
    seen = 0
    for x in loader:
        loss = model(x)
        loss.backward()
        seen += len(x)
"""
)


@pytest.mark.parametrize("program", FOUND.values(), ids=FOUND)
def test_a_loss_kept_with_its_graph_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_losses_without_graph_and_sums_that_need_it_are_fine(program: str) -> None:
    assert lines_of(CODE, program) == []


def test_the_fix_keeps_the_value_and_drops_the_graph() -> None:
    program = """\
import torch
w, total = torch.ones((), requires_grad=True), 0.0
for x in torch.ones(3):
    loss = w * x
    loss.backward()
    total += loss / 3
print(float(total), {})
"""
    once = mended(program, CODE)

    assert "total += loss.detach() / 3" in once
    assert printed_by(once) == printed_by(program)
