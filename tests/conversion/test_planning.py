"""A plan says what the call will do, and says it without doing it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch

import tensorcopy as tc
from tensorcopy.errors import BadArgumentError, CannotShareError


def test_a_plan_of_sharing_moves_no_byte():
    plan = tc.plan(np.zeros((2, 3)), to="torch")
    assert (plan.shares, plan.bytes_moved, plan.graph, plan.dtype, plan.shape) == (True, 0, "none", "float64", (2, 3))


def test_a_plan_of_a_cast_names_both_dtypes_and_the_bytes():
    plan = tc.plan(np.zeros(4), to="torch", dtype=torch.float32)
    assert (plan.shares, plan.bytes_moved) == (False, 16)
    assert "convert float64 to float32" in str(plan)


@pytest.mark.parametrize(
    ("source", "called"),
    [
        ([torch.ones(2)], "list of tensors"),
        (([np.ones(2)],), "tuple of arrays"),
        ([pd.Series([1.0])], "list of Series objects"),
        ([1.0, 2], "list"),
        ([], "list"),
    ],
)
def test_a_plan_says_what_a_list_holds(source, called):
    assert tc.plan(source, to="torch").source == called


def test_a_plan_says_when_the_graph_is_cut():
    x = torch.ones(2, requires_grad=True)
    assert [tc.plan(x).graph, tc.plan(x, detach=False).graph] == ["cuts", "keeps"]
    assert [tc.plan(x, to="torch").graph, tc.plan(x, to="numpy", detach=True).graph] == ["keeps", "cuts"]
    assert tc.plan(torch.ones(2)).graph == "none"


def test_a_plan_raises_what_the_call_would_raise_for_its_memory():
    with pytest.raises(CannotShareError, match="negative stride"):
        tc.plan(np.zeros(3)[::-1], to="torch", copy=False)
    with pytest.raises(BadArgumentError, match="unknown option 'typo'"):
        tc.plan(np.zeros(3), to="torch", typo=1)


def test_plans_compare_by_value_and_print_in_lines():
    first, second = (tc.plan(np.zeros(3), to="torch") for _ in range(2))
    assert first == second
    assert str(first).splitlines()[0] == "NumPy array -> torch tensor, float64 3 on cpu"


def test_planning_leaves_the_source_as_it_is():
    source = np.arange(3.0)
    tc.plan(source, to="torch", dtype="int64")
    tc.plan(source)
    assert source.tolist() == [0.0, 1.0, 2.0]
