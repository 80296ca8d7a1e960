"""Methods that hand out a buffer which their next call overwrites."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, codes_in, lines_of, marked_lines

CODE = "TCY103"
WRONG = cases(
    """
--- add_
import torch
class Mean:
    def __init__(self):
        self.total = torch.zeros(3)
    def update(self, x):
        self.total.add_(x)
        return self.total # here
--- copy_
import torch
class A:
    def __init__(self):
        self.out = torch.empty(3)
    def __call__(self, x):
        self.out.copy_(x)
        return self.out # here
--- out=
import torch
class A:
    def __init__(self):
        self.out = torch.empty(3)
    def forward(self, x, w):
        torch.mul(x, w, out=self.out)
        return self.out # here
--- np out
import numpy as np
class A:
    def __init__(self):
        self.out = np.empty(3)
    def apply(self, x, w):
        np.multiply(x, w, out=self.out)
        return self.out # here
--- np copyto
import numpy as np
class A:
    def __init__(self):
        self.out = np.empty(3)
    def apply(self, x):
        np.copyto(self.out, x)
        return self.out # here
--- view of buffer
import numpy as np
class Env:
    def __init__(self):
        self.state = np.zeros(4)
    def step(self, a):
        self.state[0] += a
        return self.state, 0.0, False, {} # here
--- in tuple with reshape
import numpy as np
class Env:
    def __init__(self):
        self.state = np.zeros(4)
    def step(self, a):
        self.state += a
        return self.state.reshape(2, 2), 1.0 # here
--- two methods
import numpy as np
class Env:
    def __init__(self):
        self.state = np.zeros(4)
    def _get_obs(self):
        return self.state # here
    def step(self, a):
        self.state += a
        return self._get_obs(), 0.0
--- local name
import numpy as np
class Env:
    def __init__(self):
        self.state = np.zeros(4)
    def step(self, a):
        s = self.state
        s += a
        return s # here
--- from_numpy of it
import numpy as np
import torch
class Env:
    def __init__(self):
        self.state = np.zeros(4)
    def step(self, a):
        self.state += a
        return torch.from_numpy(self.state) # here
--- numpy of it
import torch
class Env:
    def __init__(self):
        self.state = torch.zeros(4)
    def step(self, a):
        self.state += a
        return self.state.numpy() # here
--- dict
import numpy as np
class Env:
    def __init__(self):
        self.state = np.zeros(4)
    def step(self, a):
        self.state += a
        return {'obs': self.state} # here
--- buffer of module
import torch
from torch import nn
class Ema(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer('mean', torch.zeros(3))
    def forward(self, x):
        self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        return self.mean # here
"""
)
RIGHT = cases(
    """
--- copy
import numpy as np
class Env:
    def __init__(self):
        self.state = np.zeros(4)
    def step(self, a):
        self.state += a
        return self.state.copy(), 0.0
--- new value in each call
import numpy as np
class Env:
    def __init__(self):
        self.state = np.zeros(4)
    def step(self, a):
        self.state = self.state + a
        return self.state
--- cache filled by position
import torch
class Cache:
    def __init__(self):
        self.keys = torch.zeros(1, 128, 8)
        self.values = torch.zeros(1, 128, 8)
        self.at = 0
    def append(self, k, v):
        self.keys[:, self.at] = k
        self.values[:, self.at] = v
        self.at += 1
        return self.keys, self.values
--- in-place operator
import numpy as np
class Vector:
    def __init__(self):
        self.data = np.zeros(3)
    def __iadd__(self, other):
        self.data += other
        return self
--- says that it writes
import torch
class Buffer:
    def __init__(self):
        self.x = torch.zeros(3)
    def zero_(self):
        self.x.zero_()
        return self.x
--- computed from it
import torch
class Mean:
    def __init__(self):
        self.total = torch.zeros(3)
        self.count = 0
    def __call__(self, x):
        self.total += x
        self.count += 1
        return self.total / self.count
--- a number
import numpy as np
class Env:
    def __init__(self):
        self.state = np.zeros(4)
    def step(self, a):
        self.state += a
        return float(self.state.sum())
--- made in the call
import numpy as np
class Env:
    def reset(self):
        self.state = np.zeros(4)
        self.state[0] = 1
        return self.state
--- running statistics
import torch
from torch import nn
class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer('mean', torch.zeros(3))
    def forward(self, x):
        with torch.no_grad():
            self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        return (x - self.mean)
--- property
import numpy as np
class Env:
    def __init__(self):
        self._state = np.zeros(4)
    @property
    def state(self):
        return self._state
    def step(self, a):
        self._state += a
"""
)


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG)
def test_a_buffer_that_is_handed_out_and_overwritten_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", RIGHT.values(), ids=RIGHT)
def test_copies_caches_and_new_values_are_left_alone(program: str) -> None:
    assert codes_in(program, notes=False) == []
