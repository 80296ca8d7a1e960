"""Arguments that are written under another name, or returned as if they were new."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, codes_in, lines_of, marked_lines

CODE = "TCY112"
WRONG = cases(
    """
--- torch out
import torch
def shift(x: torch.Tensor, y):
    torch.add(x, y, out=x) # here
    return x
def g(a: torch.Tensor):
    b = shift(a, 1)
    return b - a
--- normalise returned
import torch
def normalise(x: torch.Tensor):
    x -= x.mean() # here
    return x
def g(a: torch.Tensor):
    b = normalise(a)
    return b, a
--- called twice at module level
import torch
def normalise(x):
    x /= x.max() # here
    return x
raw = torch.arange(4.)
first = normalise(raw)
print(raw, first)
--- alias loop
import torch
def cumulate(x: torch.Tensor):
    out = x # here
    for i in range(1, len(x)):
        out[i] += out[i - 1]
    return out
--- alias then method
import torch
def noise(x: torch.Tensor):
    y = x # here
    y.add_(torch.randn_like(y))
    return y
--- images = noise attr
import torch
class A:
    def f(self, noise: torch.Tensor):
        images = noise # here
        images[0, 0] = 1
        return images, noise
"""
)
RIGHT = cases(
    """
--- shared where in place was asked for
import numpy as np
class Drawing:
    def draw(self, image: np.ndarray, x):
        if self.inplace:
            target = image
        else:
            target = image * 0
        target[x:] = 1
        return target
--- cloned before the first write
import torch
def relative(action: torch.Tensor, keys, state):
    converted = action
    cloned = False
    for k in keys:
        if k:
            if not cloned:
                converted = action.clone()
                cloned = True
            converted[..., :k] -= state
    return converted
--- the second argument is written, and bound to its own name
import numpy as np
def filled(targets, output, symbol):
    for i in range(3):
        output[i] = symbol
    return output
def run(targets, n):
    output = np.ones(n)
    output = filled(targets, output, 1)
    output = filled(targets, output, 2)
    return output, targets.sum()
--- an argument that is written under its own name as well
import numpy as np
def filled(border: np.ndarray, inner):
    border[1:-1, 1:-1] = 0
    image = border
    image[1:-1, 1:-1] = inner
    return image
--- copied first
import torch
def scaled(features: torch.Tensor):
    out = features.clone()
    out[:, 0] /= 2
    return out
--- a new value under the name
import torch
def scaled(features: torch.Tensor):
    out = features
    out = out / 2
    out[:, 0] = 0
    return out
--- says that it works in place
import torch
def relu_(x: torch.Tensor):
    y = x
    y[y < 0] = 0
    return y
def scatter_rows(x: torch.Tensor, inplace=True):
    y = x
    y[0] = 1
    return y
--- result under the same name
import torch
def normalise(x: torch.Tensor):
    x -= x.mean()
    return x
raw = torch.arange(4.)
raw = normalise(raw)
print(raw)
--- source not used again
import torch
def normalise(x: torch.Tensor):
    x -= x.mean()
    return x
raw = torch.arange(4.)
first = normalise(raw)
print(first)
--- called for its effect
import torch
def normalise(x: torch.Tensor):
    x -= x.mean()
    return x
raw = torch.arange(4.)
normalise(raw)
print(raw)
--- called with a copy
import torch
def normalise(x: torch.Tensor):
    x -= x.mean()
    return x
raw = torch.arange(4.)
first = normalise(raw.clone())
print(raw, first)
--- both branches copy
import torch
def prepared(x: torch.Tensor, flip: bool):
    y = x.flip(0) if flip else x.clone()
    y[0] = 1
    return y, x
--- loop over a new list
import torch
def accumulate(parts: list[torch.Tensor]):
    total = torch.zeros_like(parts[0])
    for part in parts:
        total += part
    return total
--- parameters updated by an optimizer
import torch
class Sgd:
    def __init__(self, params, lr):
        self.params, self.lr = list(params), lr
    def step(self):
        for p in self.params:
            p.data.add_(p.grad, alpha=-self.lr)
"""
)


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG)
def test_an_argument_that_is_written_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", RIGHT.values(), ids=RIGHT)
def test_copies_and_meant_writes_are_left_alone(program: str) -> None:
    assert codes_in(program, notes=False) == []
