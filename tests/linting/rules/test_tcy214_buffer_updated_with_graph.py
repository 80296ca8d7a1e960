"""Buffers updated from the graph."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, lines_of, marked_lines

CODE = "TCY214"
HEAD = """
import torch
from torch import nn
class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.register_buffer("mean", torch.zeros(2))
        self.scale = torch.ones(2)
"""
FOUND = cases(
    """
--- assigned
    def forward(self, x):
        h = self.fc(x)
        self.mean = 0.9 * self.mean + 0.1 * h.mean(0)  # here
        return h - self.mean
--- written by methods
    def forward(self, x):
        h = self.fc(x)
        self.mean.mul_(0.9).add_(0.1 * h.mean(0))  # here
        return h - self.mean
--- augmented
    def forward(self, x):
        h = self.fc(x)
        self.mean += h.mean(0)  # here
        return h
--- copied into
    def forward(self, x):
        h = self.fc(x)
        self.mean.copy_(0.5 * self.mean + h.mean(0))  # here
        return h
--- one slot
    def forward(self, x):
        h = self.fc(x)
        self.mean[0] = h.sum()  # here
        return h
"""
)
SILENT = cases(
    """
--- detached
    def forward(self, x):
        h = self.fc(x)
        self.mean = 0.9 * self.mean + 0.1 * h.mean(0).detach()
        self.mean.mul_(0.9).add_(h.detach().mean(0))
        return h - self.mean
--- without grad
    def forward(self, x):
        h = self.fc(x)
        with torch.no_grad():
            self.mean.mul_(0.9).add_(h.mean(0))
        return h
--- through data
    def forward(self, x):
        h = self.fc(x)
        self.mean.data.copy_(h.mean(0))
        return h
--- of an input
    def forward(self, x):
        self.mean.mul_(0.9).add_(x.mean(0))
        return self.fc(x)
--- replaced
    def forward(self, x):
        h = self.fc(x)
        self.mean = h.mean(0)
        return h
--- a cache that is off unless asked for
    def forward(self, x, use_cache=False):
        h = self.fc(x)
        if use_cache:
            self.mean[0] = h.sum()
        return h
--- a cache that starts empty
    def reset(self):
        self.register_buffer("cache", None, persistent=False)

    def forward(self, x):
        h = self.fc(x)
        self.cache = h if self.cache is None else torch.cat([self.cache, h], dim=1)
        return h
--- no buffer
    def forward(self, x):
        h = self.fc(x)
        self.last = h.mean(0)
        return h
"""
)


@pytest.mark.parametrize("method", FOUND.values(), ids=FOUND)
def test_a_buffer_that_carries_the_graph_on_is_found(method: str) -> None:
    assert lines_of(CODE, HEAD + method) == marked_lines(HEAD + method)


@pytest.mark.parametrize("method", SILENT.values(), ids=SILENT)
def test_buffers_updated_off_the_graph_are_fine(method: str) -> None:
    assert lines_of(CODE, HEAD + method) == []
