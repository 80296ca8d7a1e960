"""Gradients under a second name, written in place."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, codes_in, lines_of, marked_lines

CODE = "TCY118"
WRONG = cases(
    """
--- a momentum by parameter
def step(self, lr):
    for p in self.params:
        if p not in self.state:
            self.state[p] = p.grad # here
        else:
            self.state[p].mul_(0.9).add_(p.grad)
--- through a variable
def step(state, p):
    if "buffer" not in state:
        state["buffer"] = p.grad # here
    buffer = state["buffer"]
    buffer.mul_(0.9)
--- by an operator
def step(state, p):
    if p in state:
        state[p] += p.grad
    else:
        state[p] = p.grad # here
"""
)
RIGHT = cases(
    """
--- copied
def step(state, p):
    if p in state:
        state[p] += p.grad
    else:
        state[p] = p.grad.clone()
--- only read, or replaced
def step(state, p):
    state[p] = p.grad
    total = state[p].sum()
    state[p] = state[p] * 0.9
    return total
--- the gradient itself is set
def step(p, g):
    p.grad = g.grad
    p.grad.mul_(2)
"""
)


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG)
def test_a_gradient_that_is_written_under_another_name_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", RIGHT.values(), ids=RIGHT)
def test_copies_and_gradients_that_are_read_are_left_alone(program: str) -> None:
    assert codes_in(program, notes=False) == []
