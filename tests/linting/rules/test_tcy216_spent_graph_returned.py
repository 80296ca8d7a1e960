"""Values returned with a graph that was gone through."""

from __future__ import annotations

import pytest

from tensorcopy.linting.model import Level
from tests.linting.programs import cases, found_in, lines_of, marked_lines

CODE = "TCY216"
FOUND = cases(
    """
--- loss of a step
import torch
def step(model, x, optimizer):
    loss = model(x).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss  # here
--- energy beside its gradient
from torch.autograd import grad
def potential_grad(potential_fn, z):
    energy = potential_fn(z)
    grads = grad(energy, [z])
    return grads, energy  # here
--- in a dict
import torch
def step(model, x):
    loss = model(x).mean()
    loss.backward()
    return {"loss": loss, "n": len(x)}  # here
"""
)
SILENT = cases(
    """
--- detached
import torch
def step(model, x):
    loss = model(x).mean()
    loss.backward()
    return loss.detach(), loss.item()
--- rebound
import torch
def step(model, x):
    loss = model(x).mean()
    loss.backward()
    loss = loss.detach()
    return loss
--- graph kept
import torch
def step(model, x):
    loss = model(x).mean()
    loss.backward(retain_graph=True)
    grads = torch.autograd.grad(loss, x, create_graph=True)
    return loss, grads
--- no gradient taken
import torch
def loss_of(model, x):
    loss = model(x).mean()
    return loss
--- other grad
import jax
from jax import grad
def f(loss, x):
    g = grad(loss, x)
    return loss, g
"""
)


@pytest.mark.parametrize("program", FOUND.values(), ids=FOUND)
def test_a_value_returned_with_a_spent_graph_is_noted(program: str) -> None:
    found = [f for f in found_in(program) if f.code == CODE]

    assert [(f.place.line, f.level) for f in found] == [(line, Level.NOTE) for line in marked_lines(program)]


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_values_without_graph_or_with_one_that_is_needed_are_fine(program: str) -> None:
    assert lines_of(CODE, program) == []
