from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.checkpoint import checkpoint

from tensorcopy.live.graph import GraphPath, GraphPosition, graph_path, graph_position, share_version, version_of


@pytest.fixture
def w() -> torch.Tensor:
    return torch.ones(3, requires_grad=True)


def test_the_position_tells_leaf_non_leaf_parameter_and_off_the_graph(w: torch.Tensor) -> None:
    with torch.inference_mode():
        inference = torch.zeros(3)
    assert graph_position(w) == GraphPosition(place="leaf", requires_grad=True)
    assert graph_position(w * 2) == GraphPosition(place="non-leaf", grad_fn="MulBackward0", requires_grad=True)
    assert graph_position(w.detach()) == GraphPosition(place="off the graph")
    assert graph_position(inference) == GraphPosition(place="inference tensor")
    assert graph_position(torch.nn.Parameter(w)) == GraphPosition(place="leaf", requires_grad=True, parameter=True)
    assert graph_position(np.zeros(3)) is None


def test_a_retained_grad_is_told(w: torch.Tensor) -> None:
    y = w * 2
    y.retain_grad()
    position = graph_position(y)
    assert position is not None
    assert position.retains_grad


def test_the_path_lists_the_operations_in_the_order_of_the_computation(w: torch.Tensor) -> None:
    y = w * 2
    assert graph_path(w, y.exp().sum()).nodes == ("MulBackward0", "ExpBackward0", "SumBackward0")
    assert graph_path(y, y.exp().sum()).nodes == ("ExpBackward0", "SumBackward0")
    assert graph_path(w, w) == GraphPath(reaches=True)


def test_the_path_found_is_the_shortest(w: torch.Tensor) -> None:
    assert graph_path(w, w.exp().log() + w).nodes == ("AddBackward0",)


def test_outputs_of_one_operation_are_told_apart() -> None:
    first, second = torch.ones(2, 3, requires_grad=True).unbind()
    assert graph_path(first, first * 2).reaches
    assert not graph_path(first, second * 2).reaches


@pytest.mark.parametrize(
    ("result", "cut"),
    [
        (lambda w: w.detach(), "the second tensor is off the graph"),
        (lambda w: torch.nn.Parameter(w), "the second tensor is a leaf of its own"),
        (lambda w: w.detach() * torch.ones(3, requires_grad=True), "graph ends in Tensor of shape \\(3,\\)"),
        (lambda w: torch.ones(3, requires_grad=True) * w.detach(), "enter it at input 1 of MulBackward0"),
        (lambda w: w.detach().numpy(), "the second object is no tensor"),
    ],
)
def test_a_cut_says_where_to_look(w: torch.Tensor, result: Any, cut: str) -> None:
    found = graph_path(w, result(w))
    assert not found.reaches
    assert found.nodes == ()
    with pytest.raises(ValueError, match=cut):
        raise ValueError(found.cut)


def test_an_input_without_gradient_is_named_once_however_many_outputs_lead_there() -> None:
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, constant: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return x * 2, x * 3

    first, second = Both.apply(torch.ones(3), torch.ones(3, requires_grad=True))
    found = graph_path(torch.ones(3, requires_grad=True), first + second)
    assert found.cut.count("input 0 of BothBackward") == 1


def test_a_source_that_needs_no_gradient_is_named_as_the_cut() -> None:
    assert graph_path(torch.ones(3), torch.ones(3)).cut.startswith("the first tensor does not require grad")


def test_a_tensor_changed_in_place_is_not_the_one_that_was_used(w: torch.Tensor) -> None:
    y = w * 2
    z = y.sin()
    y.add_(1)
    assert "not made from the first as it is now" in graph_path(y, z).cut


def test_the_path_agrees_with_differentiation_on_random_graphs() -> None:
    generator = torch.Generator().manual_seed(0)
    for _ in range(50):
        tensors = [torch.ones(2, requires_grad=True) for _ in range(3)]
        for _ in range(8):
            i, j, cut = torch.randint(0, len(tensors), (3,), generator=generator).tolist()
            left = tensors[i].detach() if cut % 3 == 0 else tensors[i]
            tensors.append(left * tensors[j])
        last = tensors[-1]
        for leaf in tensors[:3]:
            (gradient,) = torch.autograd.grad(last.sum(), leaf, allow_unused=True, retain_graph=True)
            assert graph_path(leaf, last).reaches is (gradient is not None)


def test_a_graph_of_many_thousand_nodes_is_walked_without_recursion(w: torch.Tensor) -> None:
    y = w
    for _ in range(5000):
        y = y * 1.0
    assert len(graph_path(w, y).nodes) == 5000


def test_looking_runs_no_hook_and_unpacks_nothing(w: torch.Tensor) -> None:
    def must_not_run(*_: Any) -> Any:
        raise AssertionError("ran")

    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, must_not_run):
        y = checkpoint(torch.exp, w.exp(), use_reentrant=False).exp()
    y.register_hook(must_not_run)
    w.register_hook(must_not_run)
    assert graph_path(w, y).reaches


def test_the_graph_can_be_walked_after_backward_freed_its_buffers(w: torch.Tensor) -> None:
    y = w.exp()
    y.sum().backward()
    assert graph_path(w, y).nodes == ("ExpBackward0",)


def test_version_counters_are_told_shared_or_separate_only_where_proved() -> None:
    x = torch.zeros(4)
    assert share_version(x, x) is True
    assert share_version(x, x[1:]) is True
    assert share_version(x[1:], x[:2]) is True
    assert share_version(x, torch.zeros(4)) is False
    assert share_version(x, x.detach()) is None
    assert share_version(x, x.data) is None
    assert share_version(x, x.numpy()) is False
    x.detach().add_(1)
    assert share_version(x, torch.zeros(4)) is False


def test_asking_about_versions_changes_none() -> None:
    x = torch.zeros(4)
    share_version(x, x.detach())
    assert version_of(x) == 0


def test_an_inference_tensor_and_an_array_have_no_version() -> None:
    with torch.inference_mode():
        x = torch.zeros(3)
    assert (version_of(x), version_of(np.zeros(3))) == (None, None)
