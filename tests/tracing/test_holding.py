"""What the variables of a traced function hold is alive when its recording ends, and dead after that."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
import torch

import tensorcopy as tc
from tensorcopy.tracing.holding import Holding


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.head = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x).data)  # type: ignore[no-any-return]


def trained(*, step: bool) -> weakref.ref[Any]:
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net(torch.ones(4, 2)).sum().backward()
    if step:
        optimizer.step()
    return weakref.ref(net)


@pytest.mark.parametrize("step", [False, True])
def test_a_cut_is_found_although_the_model_dies_with_the_function(step: bool) -> None:
    recorder = tc.trace()
    net = recorder(trained)(step=step)

    (finding,) = recorder.capture.findings
    assert (finding.name, "body.bias, body.weight never get" in finding.message) == ("gradient-cut", True)
    gc.collect()
    assert net() is None


def test_what_a_function_called_has_and_drops_is_not_judged() -> None:
    recorder = tc.trace()

    @recorder
    def outer() -> None:
        trained(step=False)
        gc.collect()

    outer()

    assert recorder.capture.findings == ()


def test_a_function_that_is_compiled_as_one_graph_stays_so() -> None:
    net = torch.nn.Linear(2, 2)
    compiled = torch.compile(lambda x: net(x).relu(), backend="eager", fullgraph=True)
    holding = Holding(trained)
    compiled(torch.ones(1, 2)).sum().backward()
    holding.release()

    assert net.weight.grad is not None


def test_nothing_stays_hooked() -> None:
    before = torch.autograd.backward
    tc.trace()(trained)(step=True)

    assert torch.autograd.backward is before
