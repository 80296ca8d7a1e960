from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from tensorcopy.live.nests import leaves


class Pair(NamedTuple):
    left: Any
    right: Any


@dataclass
class Batch:
    x: Any
    y: Any = None


@pytest.mark.parametrize(
    ("nest", "expected"),
    [
        (1, [("", 1)]),
        ([1, (2, 3)], [("[0]", 1), ("[1][0]", 2), ("[1][1]", 3)]),
        (OrderedDict(a=1, b={"c": 2}), [("['a']", 1), ("['b']['c']", 2)]),
        (Pair(1, [2]), [(".left", 1), (".right[0]", 2)]),
        (Batch(1), [(".x", 1), (".y", None)]),
        (deque([1]), [("[0]", 1)]),
        ({1}, [("{…}", 1)]),
        ("text", [("", "text")]),
        ([], []),
    ],
)
def test_every_leaf_is_found_in_order_with_its_path(nest: Any, expected: list[tuple[str, Any]]) -> None:
    assert list(leaves(nest)) == expected


def test_a_module_gives_its_parameters_and_buffers() -> None:
    assert [path for path, _ in leaves(torch.nn.BatchNorm1d(2))] == [
        ".weight", ".bias", ".running_mean", ".running_var", ".num_batches_tracked",
    ]  # fmt: skip


def test_arrays_and_tensors_are_leaves() -> None:
    nest = [np.zeros(3), torch.zeros(3)]
    assert all(a is b for (_, a), b in zip(leaves(nest), nest, strict=True))


def test_a_cycle_ends_and_depth_has_no_limit() -> None:
    cycle: list[Any] = [1]
    cycle.append(cycle)
    assert list(leaves(cycle)) == [("[0]", 1)]
    deep: list[Any] = [7]
    for _ in range(20_000):
        deep = [deep]
    assert [leaf for _, leaf in leaves(deep)] == [7]
