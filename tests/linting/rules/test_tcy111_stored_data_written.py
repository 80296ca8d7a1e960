"""Stored data that a method hands out and writes."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, codes_in, lines_of, marked_lines

CODE = "TCY111"
WRONG = cases(
    """
--- getitem
import torch
class Data(torch.utils.data.Dataset):
    def __init__(self, x):
        self.x = torch.as_tensor(x)
    def __getitem__(self, i):
        row = self.x[i] # here
        row -= row.mean()
        return row
--- np list
import numpy as np
class Data:
    def __init__(self, n):
        self.images = [np.zeros((4, 4)) for _ in range(n)]
    def __getitem__(self, i):
        img = self.images[i] # here
        img[0, 0] = 1
        return img
--- dict sample
import numpy as np
class Data:
    def __init__(self, n):
        self.images = np.zeros((n, 4, 4))
    def __getitem__(self, i):
        img = self.images[i] # here
        img /= 255
        return {'image': img}
--- transform mean
import numpy as np
class Norm:
    def __init__(self):
        self.mean = np.zeros(3)
    def __call__(self, x):
        m = self.mean # here
        m += x.mean()
        return x - m
--- augment slice
import torch
class Data:
    def __init__(self, x):
        self.x = torch.zeros(100, 3)
    def __getitem__(self, i):
        w = self.x[i:i + 10] # here
        w[0] = 0
        return w
--- sample method
import numpy as np
class Replay:
    def __init__(self):
        self.obs = np.zeros((100, 3))
    def sample(self):
        o = self.obs[:32] # here
        o -= o.mean(0)
        return o
--- numpy of stored
import torch
class Data:
    def __init__(self):
        self.x = torch.zeros(100, 3)
    def __getitem__(self, i):
        a = self.x[i].numpy() # here
        a *= 2
        return a
"""
)
RIGHT = cases(
    """
--- handed in anew for each call
import torch
class Ablation:
    def set_batch(self, activations: torch.Tensor, n):
        self.activations = activations.clone().unsqueeze(0).repeat(n, 1, 1)
    def __call__(self, x):
        output = self.activations
        for i in range(output.size(0)):
            output[i, x[i], :] = 0
        return output
--- a place for what the object knows at each call
import torch
class Environment:
    def __init__(self):
        self.table = torch.zeros(10, 4)
        self.at, self.last = 0, 0.0
    def get_observation(self):
        row = self.table[self.at, :]
        row[-1] = self.last
        row[-2] = self.left()
        return row
--- copied first
import torch
class Data(torch.utils.data.Dataset):
    def __init__(self, x):
        self.x = torch.as_tensor(x)
    def __getitem__(self, i):
        row = self.x[i].clone()
        row -= row.mean()
        return row
--- a new value
import numpy as np
class Data:
    def __init__(self, n):
        self.images = np.zeros((n, 4, 4))
    def __getitem__(self, i):
        return {'image': self.images[i] / 255}
--- ring buffer filled by index
import numpy as np
class Replay:
    def __init__(self):
        self.obs = np.zeros((100, 3))
        self.at = 0
    def add(self, obs):
        self.obs[self.at] = obs
        self.at += 1
    def sample(self, n):
        return self.obs[np.random.randint(0, self.at, n)]
--- rows picked by a mask are copies
import numpy as np
class Replay:
    def __init__(self):
        self.obs = np.zeros((100, 3))
    def sample(self, idx: list):
        o = self.obs[[0, 1, 2]]
        o -= o.mean(0)
        return o
--- made in the call
import numpy as np
class Data:
    def __getitem__(self, i):
        self.row = np.zeros(4)
        row = self.row
        row[0] = i
        return row
--- running statistics
import torch
class Norm(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer('mean', torch.zeros(3))
    def forward(self, x):
        if self.training:
            with torch.no_grad():
                self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        return x - self.mean
--- cache of keys
import torch
class Cache:
    def __init__(self):
        self.keys = torch.zeros(1, 128, 8)
    def update(self, k, at):
        self.keys[:, at] = k
        return self.keys
"""
)


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG)
def test_stored_data_written_by_what_hands_it_out_are_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", RIGHT.values(), ids=RIGHT)
def test_copies_new_values_and_meant_writes_are_left_alone(program: str) -> None:
    assert codes_in(program, notes=False) == []
