"""What `compare` is asked must make sense: anything else is an error in three parts, before anything is measured."""

from __future__ import annotations

from typing import Any

import pytest

import tensorcopy as tc
from tensorcopy.errors import BadArgumentError

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("want", [3, None, ["own", 2], {"own": 1}])
def test_wishes_are_words(want: Any) -> None:
    with pytest.raises(BadArgumentError, match="is not understood"):
        tc.compare(torch.ones(2), want=want)


@pytest.mark.parametrize("budget", ["x", None, -1, float("nan"), float("inf"), True])
def test_the_time_budget_is_a_number_of_seconds(budget: Any) -> None:
    with pytest.raises(BadArgumentError, match="it is a number of seconds"):
        tc.compare(torch.ones(2), time_budget=budget)
