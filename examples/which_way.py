"""Which call to write for your own data: `tensorcopy.compare` on three things that a weather project has at hand.

``make demo`` ends with it. Each call was run on the very object: what shares, what copies, what keeps the graph, what
is refused and what comes out silently wrong with it, and how long it takes.
"""

from __future__ import annotations

import numpy as np
import torch

import tensorcopy as tc
from tensorcopy.reporting import Medium, render

ROWS = 5
SECONDS = 0.5


def stations() -> np.ndarray:
    """Station numbers as a file format hands them out: integers beyond 2**24, in memory that must not be written."""
    numbers = np.arange(16_777_217, 16_777_217 + 2 * 10_000, 2)
    numbers.flags.writeable = False
    return numbers


def weights() -> torch.Tensor:
    """A layer's weights, of which the best are to be kept while training goes on."""
    torch.manual_seed(0)
    return torch.nn.Linear(256, 256).weight.detach().clone().requires_grad_()


def losses() -> list[float]:
    """What a training loop has gathered."""
    return [1.0 / (epoch + 1) for epoch in range(1000)]


def answer(question: str, x: object, want: str = "") -> str:
    """The question, then what was measured, the first rows of each table."""
    found = tc.compare(x, want=want, time_budget=SECONDS)
    return f"{question}\n\n{render(found.report(most=ROWS), 'text', Medium(columns=100))}"


if __name__ == "__main__":
    print(answer("How do station numbers become a tensor of their own?", stations(), "own"))
    print(answer("How are the best weights kept, without the graph?", weights(), "own,cut-graph"))
    print(answer("How does a list of losses become a tensor?", losses()))
