"""States of models kept by reference while training goes on."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, codes_in, lines_of, marked_lines

CODE = "TCY104"
WRONG = cases(
    """
--- made anew behind the loop only for some
import torch
def fit(model, optimizer, train, evaluate, epochs):
    best = 0.0
    for epoch in range(epochs):
        train(model, optimizer)
        optimizer.step()
        score = evaluate(model)
        if score > best:
            checkpoint = {"epoch": epoch, "model": model.state_dict()} # here
            best = score
    if best > 2:
        checkpoint = {"epoch": 0, "model": None}
    torch.save(checkpoint, "best.pt")
--- a target that is the network itself
import torch
class Agent:
    def __init__(self, net):
        self.net = net
        self.target = self.net # here
    def synchronise(self):
        self.target.load_state_dict(self.net.state_dict())
--- set in every turn, read behind the loop
import torch
def train(net, loader, opt, steps):
    low = 9.0
    for step in range(steps):
        loss = net(next(loader)).sum()
        loss.backward()
        opt.step()
        if step == 0:
            best = None
        if loss < low:
            low = loss.item()
            best = net.state_dict() # here
    net.load_state_dict(best)
--- dict comp of state dict
import copy
def train(model, opt, loader, evaluate):
    best, best_acc = None, 0
    for epoch in range(10):
        for x, y in loader:
            opt.zero_grad()
            model(x).sum().backward()
            opt.step()
        acc = evaluate(model)
        if acc > best_acc:
            best_acc = acc
            best = {k: v for k, v in model.state_dict().items()} # here
    model.load_state_dict(best)
--- dict comp cpu
def train(model, opt, loader, evaluate):
    best, best_acc = None, 0
    for epoch in range(10):
        for x, y in loader:
            opt.zero_grad()
            model(x).sum().backward()
            opt.step()
        acc = evaluate(model)
        if acc > best_acc:
            best_acc = acc
            best = {k: v.cpu() for k, v in model.state_dict().items()} # here
    model.load_state_dict(best)
--- dict comp detach
def train(model, opt, loader, evaluate):
    best, best_acc = None, 0
    for epoch in range(10):
        for x, y in loader:
            opt.zero_grad()
            model(x).sum().backward()
            opt.step()
        acc = evaluate(model)
        if acc > best_acc:
            best_acc = acc
            best = {k: v.detach() for k, v in model.named_parameters()} # here
    return best
--- list of data
def train(model, opt, loader, evaluate):
    best, best_acc = None, 0
    for epoch in range(10):
        for x, y in loader:
            opt.zero_grad()
            model(x).sum().backward()
            opt.step()
        acc = evaluate(model)
        if acc > best_acc:
            best_acc = acc
            best = [p.data for p in model.parameters()] # here
    return best
--- list of parameters
def train(model, opt, loader, evaluate):
    best, best_acc = None, 0
    for epoch in range(10):
        for x, y in loader:
            opt.zero_grad()
            model(x).sum().backward()
            opt.step()
        acc = evaluate(model)
        if acc > best_acc:
            best_acc = acc
            best = list(model.parameters()) # here
    return best
--- copy.copy(model)
import copy
def train(model, opt, loader, evaluate):
    best, best_acc = None, 0
    for epoch in range(10):
        for x, y in loader:
            opt.zero_grad()
            model(x).sum().backward()
            opt.step()
        acc = evaluate(model)
        if acc > best_acc:
            best_acc = acc
            best = copy.copy(model) # here
    return best
--- in a checkpoint dict
def train(model, opt, loader, evaluate):
    best, best_acc = None, 0
    for epoch in range(10):
        for x, y in loader:
            opt.zero_grad()
            model(x).sum().backward()
            opt.step()
        acc = evaluate(model)
        if acc > best_acc:
            best_acc = acc
            best = {'epoch': epoch, 'model': model.state_dict()} # here
    model.load_state_dict(best['model'])
--- in a tuple
def train(model, opt, loader, evaluate):
    best = (0, None)
    for epoch in range(10):
        for x, y in loader:
            opt.zero_grad()
            model(x).sum().backward()
            opt.step()
        acc = evaluate(model)
        if acc > best[0]:
            best = (acc, model.state_dict()) # here
    model.load_state_dict(best[1])
--- in dict item
def train(model, opt, loader, evaluate):
    best = {'acc': 0}
    for epoch in range(10):
        for x, y in loader:
            opt.zero_grad()
            model(x).sum().backward()
            opt.step()
        acc = evaluate(model)
        if acc > best['acc']:
            best['acc'] = acc
            best['weights'] = model.state_dict() # here
    model.load_state_dict(best['weights'])
--- tuple assign
def train(model, opt, loader, evaluate):
    best, best_acc = None, 0
    for epoch in range(10):
        for x, y in loader:
            opt.zero_grad()
            model(x).sum().backward()
            opt.step()
        acc = evaluate(model)
        if acc > best_acc:
            best_acc, best = acc, model.state_dict() # here
    model.load_state_dict(best)
--- unknown model name
def train(model, opt, loader, evaluate):
    best_model, best_acc = None, 0
    for epoch in range(10):
        for x, y in loader:
            opt.zero_grad()
            model(x).sum().backward()
            opt.step()
        acc = evaluate(model)
        if acc > best_acc:
            best_acc = acc
            best_model = model # here
    return best_model
--- early stopping class
import torch
class EarlyStopping:
    def __init__(self):
        self.best = None
        self.state = None
    def __call__(self, loss, model):
        if self.best is None or loss < self.best:
            self.best = loss
            self.state = model.state_dict() # here
    def restore(self, model):
        model.load_state_dict(self.state)
--- early stopping class item
import torch
class EarlyStopping:
    def __init__(self):
        self.best = None
        self.state = None
    def step(self, loss, model):
        if self.best is None or loss < self.best:
            self.best = loss
            self.state = {k: v.detach() for k, v in model.state_dict().items()} # here
    def restore(self, model):
        model.load_state_dict(self.state)
--- initial weights restored
import torch
def sweep(model, lrs, loader):
    init = model.state_dict() # here
    results = []
    for lr in lrs:
        model.load_state_dict(init)
        opt = torch.optim.SGD(model.parameters(), lr=lr)
        for x, y in loader:
            opt.zero_grad()
            loss = model(x).sum()
            loss.backward()
            opt.step()
        results.append(loss.item())
    return results
--- append state dicts
import torch
def collect(model, opt, loader):
    snapshots = []
    for epoch in range(5):
        for x in loader:
            opt.zero_grad()
            model(x).sum().backward()
            opt.step()
        snapshots.append(model.state_dict()) # here
    return snapshots
--- append model
import torch
def collect(model, opt, loader):
    ensemble = []
    for epoch in range(5):
        for x in loader:
            opt.zero_grad()
            model(x).sum().backward()
            opt.step()
        ensemble.append(model) # here
    return ensemble
--- restore after trial step
import torch
def find_lr(model, opt, loader):
    saved = model.state_dict() # here
    for x in loader:
        opt.zero_grad()
        model(x).sum().backward()
        opt.step()
    model.load_state_dict(saved)
--- optimizer state restored
import torch
def find_lr(model, opt, loader):
    saved = model.state_dict().copy() # here
    for x in loader:
        opt.zero_grad()
        model(x).sum().backward()
        opt.step()
    model.load_state_dict(saved)
--- self.model in method
import torch
class Trainer:
    def fit(self, loader):
        best = 9e9
        for epoch in range(3):
            for x in loader:
                self.opt.zero_grad()
                loss = self.model(x).sum()
                loss.backward()
                self.opt.step()
            if loss.item() < best:
                best = loss.item()
                self.best_state = self.model.state_dict() # here
        self.model.load_state_dict(self.best_state)
--- shallow copy of the dict
import copy
def train(model, opt, loader, evaluate):
    best, best_acc = None, 0
    for epoch in range(10):
        for x, y in loader:
            opt.zero_grad()
            model(x).sum().backward()
            opt.step()
        acc = evaluate(model)
        if acc > best_acc:
            best_acc = acc
            best = copy.copy(model.state_dict()) # here
    model.load_state_dict(best)
"""
)
RIGHT = cases(
    """
--- saved at once, and made anew behind the loop
import torch
def fit(model, optimizer, train, evaluate, epochs):
    best = 0.0
    for epoch in range(epochs):
        train(model, optimizer)
        optimizer.step()
        score = evaluate(model)
        if score > best:
            checkpoint = {"epoch": epoch, "model": model.state_dict()}
            torch.save(checkpoint, "best.pt")
            best = score
    checkpoint = {"epoch": epochs, "model": model.state_dict()}
    torch.save(checkpoint, "last.pt")
--- a target that is made, and one that is only another name
import copy, torch
class Agent:
    def __init__(self, net):
        self.net = net
        self.target = copy.deepcopy(self.net)
        self.model = self.net
    def synchronise(self):
        self.target.load_state_dict(self.net.state_dict())
        self.model.load_state_dict(torch.load("net.pt"))
class Late:
    def __init__(self, net):
        self.net = net
        self.target = self.net
    def begin(self, make):
        self.target = make()
    def synchronise(self):
        self.target.load_state_dict(self.net.state_dict())
--- saved under a name that was read before the loop
import torch
def train(net, loader, opt, path, resume):
    if resume:
        states = torch.load(path)
        net.load_state_dict(states[0])
    for step, x in enumerate(loader):
        net(x).sum().backward()
        opt.step()
        if step % 100 == 0:
            states = [net.state_dict(), step]
            torch.save(states, path)
--- a state of its own making
import torch
class Sparse:
    def __init__(self, rows):
        self.rows = rows
    def step(self):
        self.rows += 1
    def state_dict(self):
        return {"rows": self.rows.clone()}
    def load_state_dict(self, state):
        self.rows = state["rows"]
def f(net, x):
    opt = Sparse(torch.zeros(3))
    state = opt.state_dict()
    for _ in range(3):
        net(x).sum().backward()
        opt.step()
    opt.load_state_dict(state)
--- saved under a name that each turn begins anew
import torch
def train(net, loader, opt, steps):
    for step in range(steps):
        data = next(loader)
        net(data["x"]).sum().backward()
        opt.step()
        if step % 100 == 0:
            data = {"step": step, "net": net.state_dict()}
            data["opt"] = net.head.state_dict()
            torch.save(data, "checkpoint.pt")
--- deep copy
import copy
def train(model, opt, loader, evaluate):
    best, best_acc = None, 0
    for epoch in range(10):
        for x, y in loader:
            opt.zero_grad()
            model(x).sum().backward()
            opt.step()
        acc = evaluate(model)
        if acc > best_acc:
            best_acc = acc
            best = copy.deepcopy(model.state_dict())
    model.load_state_dict(best)
--- cloned in a comprehension
def train(model, opt, loader, evaluate):
    best, best_acc = None, 0
    for epoch in range(10):
        for x, y in loader:
            opt.zero_grad()
            model(x).sum().backward()
            opt.step()
        acc = evaluate(model)
        if acc > best_acc:
            best_acc = acc
            best = {k: v.detach().cpu().clone() for k, v in model.state_dict().items()}
    model.load_state_dict(best)
--- saved at once
import torch
def train(model, opt, loader, evaluate):
    best_acc = 0
    for epoch in range(10):
        for x, y in loader:
            opt.zero_grad()
            model(x).sum().backward()
            opt.step()
        acc = evaluate(model)
        if acc > best_acc:
            best_acc = acc
            state = {'epoch': epoch, 'model': model.state_dict()}
            torch.save(state, 'best.pt')
--- a new model in each turn
import torch
def train(loader, evaluate):
    best, best_acc = None, 0
    for lr in (0.1, 0.01):
        model = torch.nn.Linear(2, 2)
        opt = torch.optim.SGD(model.parameters(), lr=lr)
        for x, y in loader:
            opt.zero_grad()
            model(x).sum().backward()
            opt.step()
        acc = evaluate(model)
        if acc > best_acc:
            best_acc = acc
            best = model
    return best
--- no training
def pick(models, evaluate):
    best, best_acc = None, 0
    for model in models:
        acc = evaluate(model)
        if acc > best_acc:
            best, best_acc = model.state_dict(), acc
    return best
--- keys renamed
def convert(model, path):
    state = model.state_dict()
    for key in list(state):
        state[key.replace('a', 'b')] = state.pop(key)
    model.load_state_dict(state)
--- clients of federated learning
def federated(clients, server):
    weights = []
    for client in clients:
        model = server.copy_of_model()
        client.train_model(model)
        weights.append(model.state_dict())
    return weights
--- state of the optimizer
def train(model, optimizer, loader, evaluate):
    best, best_acc = None, 0
    for epoch in range(10):
        for x, y in loader:
            optimizer.zero_grad()
            model(x).sum().backward()
            optimizer.step()
        if evaluate(model) > best_acc:
            best = optimizer.state_dict()
    return best
--- restored from a deep copy
import copy
def find_lr(model, opt, loader):
    saved = copy.deepcopy(model.state_dict())
    for x in loader:
        opt.zero_grad()
        model(x).sum().backward()
        opt.step()
    model.load_state_dict(saved)
--- loaded into another model
def distill(model, student, opt, loader):
    saved = model.state_dict()
    for x in loader:
        opt.zero_grad()
        student(x).sum().backward()
        opt.step()
    student.load_state_dict(saved)
--- parameters for the optimizer
import torch
def train(model, loader):
    for epoch in range(3):
        if epoch > 1:
            params = list(model.parameters())
            opt = torch.optim.SGD(params, lr=0.1)
            for x in loader:
                model(x).sum().backward()
                opt.step()
--- early stopping that copies
import copy
class EarlyStopping:
    def __init__(self):
        self.best = None
        self.state = None
    def __call__(self, loss, model):
        if self.best is None or loss < self.best:
            self.best = loss
            self.state = copy.deepcopy(model.state_dict())
    def restore(self, model):
        model.load_state_dict(self.state)
--- target network by load_state_dict
import torch
class Agent:
    def __init__(self):
        self.net = torch.nn.Linear(2, 2)
        self.target = torch.nn.Linear(2, 2)
        self.target.load_state_dict(self.net.state_dict())
        self.count = 0
    def learn(self, opt, x):
        loss = self.net(x).sum()
        loss.backward()
        opt.step()
        self.count += 1
        if self.count > 100:
            self.target.load_state_dict(self.net.state_dict())
--- data parallel unwrapped
def train(model, opt, loader):
    for epoch in range(3):
        for x in loader:
            model(x).sum().backward()
            opt.step()
        if epoch > 1:
            module = model.module
            module.train()
--- saved after the last step
def train(model, opt, loader):
    states = []
    for x in loader:
        model(x).sum().backward()
        opt.step()
    states.append(model.state_dict())
    return states
"""
)


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG)
def test_a_live_state_that_is_kept_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", RIGHT.values(), ids=RIGHT)
def test_copies_and_states_used_at_once_are_left_alone(program: str) -> None:
    assert codes_in(program, notes=False) == []
