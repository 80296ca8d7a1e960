"""Common claims about copying that are false: each is refuted by what `compare` measures on a source of its own."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import torch

import tensorcopy as tc
from tensorcopy.benchmarking.comparison import Comparison
from tensorcopy.benchmarking.measurements import Measurement

SOURCES = {
    "leaf": lambda: torch.arange(1000.0).requires_grad_(),
    "matrix": lambda: torch.arange(1000.0).reshape(10, 100).requires_grad_(),
    "slice": lambda: torch.arange(100_000.0)[:3],
    "expanded": lambda: torch.arange(3.0).expand(1000, 3),
    "integers": lambda: np.array([[1, 2, 3], [4, 5, 6]]),
    "identifiers": lambda: np.array([16777217]),
    "floats": lambda: np.arange(1000, dtype=np.float32),
    "doubles": lambda: np.array([0.1, 0.2]),
    "list": lambda: [1, 2],
}


@cache
def compared(source: str, group: str, want: str = "") -> Comparison:
    return tc.compare(SOURCES[source](), group=group, want=want, time_budget=0.05)


def measured(source: str, group: str, code: str, want: str = "") -> Measurement:
    return compared(source, group, want).named(code)


REPEAT = "x.repeat(2, *[1] * x.dim())"
EXPAND = "x.unsqueeze(0).expand(2, *x.shape)"
EMPTY_LIKE = "torch.empty_like(x).copy_(x)"
RESULTS = [
    ("x.clone().detach() copies the graph along", "leaf", "copy", "x.clone().detach()", "graph", "cuts"),
    ("x.clone().detach() is the call that keeps the graph", "leaf", "copy", "x.clone()", "graph", "keeps"),
    ("empty_like().copy_() leaves the graph behind", "leaf", "copy", EMPTY_LIKE, "graph", "keeps"),
    ("its result does not require grad", "leaf", "copy", EMPTY_LIKE, "requires_grad", True),
    ("torch.tensor(x) is a shallow copy", "leaf", "copy", "torch.tensor(x)", "memory", "copies"),
    ("torch.tensor(x) keeps something of the graph", "leaf", "copy", "torch.tensor(x)", "graph", "cuts"),
    ("as_tensor(tensor) sets requires_grad to False", "leaf", "copy", "torch.as_tensor(x)", "requires_grad", True),
    ("stack uses less memory than cat: stack", "matrix", "repeat", "torch.stack((x, x))", "allocated", 8000),
    ("stack uses less memory than cat: cat", "matrix", "repeat", "torch.cat((x, x))", "allocated", 8000),
    ("repeat does not allocate full copies", "matrix", "repeat", REPEAT, "allocated", 8000),
    ("repeat drops the graph", "matrix", "repeat", REPEAT, "graph", "keeps"),
    ("expand creates a new tensor", "matrix", "repeat", EXPAND, "memory", "shares"),
    ("expand is a copy of values that drops the graph", "matrix", "repeat", EXPAND, "graph", "keeps"),
    ("where memory matters, stack: expand allocates", "matrix", "repeat", EXPAND, "allocated", 0),
    ("from_numpy copies", "floats", "to-tensor", "torch.from_numpy(x)", "memory", "shares"),
    ("as_tensor uses less memory: as_tensor", "floats", "to-tensor", "torch.as_tensor(x)", "allocated", 0),
    ("as_tensor uses less memory: from_numpy", "floats", "to-tensor", "torch.from_numpy(x)", "allocated", 0),
    ("torch.Tensor(float32 array) copies", "floats", "to-tensor", "torch.Tensor(x)", "memory", "shares"),
    ("torch.Tensor(array) keeps the dtype", "integers", "to-tensor", "torch.Tensor(x)", "dtype", "float32"),
    (".to(dtype) goes on sharing", "leaf", "cast", "x.to(torch.float64)", "memory", "copies"),
    ("a list can be shared by as_tensor", "list", "list", "torch.as_tensor(x)", "memory", "copies"),
]


@pytest.mark.parametrize(
    ("claim", "source", "group", "code", "field", "truth"), RESULTS, ids=[row[0] for row in RESULTS]
)
def test_a_false_claim_is_refuted_by_the_result(claim, source, group, code, field, truth):
    assert getattr(measured(source, group, code).result, field) == truth


CAUTIONS = [
    ("new_tensor is simple and intuitive", "leaf", "copy", "x.new_tensor(x)", "warns: To copy construct"),
    ("what expand gives can be written like a copy", "matrix", "repeat", EXPAND, "several elements lie on the same"),
    ("torch.Tensor cannot change the dtype", "integers", "to-tensor", "torch.Tensor(x)", "the dtype becomes float32"),
    (
        "tolist is the most flexible",
        "doubles",
        "to-tensor",
        "torch.tensor(x.tolist())",
        "rounds to float32: 0.1",
    ),
    ("copy.copy(x) is a copy", "leaf", "copy", "copy.copy(x)", "autograd does not notice writes"),
    (".data is as good as detach()", "leaf", "graph", "x.data", "autograd does not notice writes"),
]


@pytest.mark.parametrize(("claim", "source", "group", "code", "text"), CAUTIONS, ids=[row[0] for row in CAUTIONS])
def test_a_false_claim_is_refuted_by_a_caution(claim, source, group, code, text):
    assert [c for c in measured(source, group, code).cautions if text in c] != []


def test_torch_tensor_of_identifiers_is_shown_to_change_them():
    assert measured("identifiers", "to-tensor", "torch.Tensor(x)").wrong == ("16777217 becomes 16777216.0 at [0]",)


def test_the_copy_of_a_slice_is_as_large_as_the_slice_and_deepcopy_drags_its_storage_along():
    assert measured("slice", "copy", "x.clone().detach()").result.allocated == 12
    dragged = measured("slice", "copy", "copy.deepcopy(x)")
    assert dragged.result.allocated == 400_000
    assert "carries the whole storage of 400,000 bytes for 12" in dragged.cautions


def test_the_copy_of_an_expanded_tensor_is_larger_than_the_memory_behind_it():
    assert measured("expanded", "copy", "x.clone().detach()").result.allocated == 12_000


def test_cat_of_twice_x_is_no_copy_of_x():
    with pytest.raises(KeyError):
        measured("leaf", "copy", "torch.cat((x, x))")
    assert measured("leaf", "repeat", "torch.cat((x, x))").result.shape == (2000,)


@pytest.mark.parametrize(
    ("source", "group", "want", "never"),
    [
        ("leaf", "copy", "own,cut-graph", {EMPTY_LIKE, "torch.tensor(x)", "x.new_tensor(x)", "copy.copy(x)"}),
        ("leaf", "copy", "own,keep-graph", {"x.clone().detach()", "torch.tensor(x)", "x.detach().clone()"}),
        ("leaf", "graph", "cut-graph", {"x.data", "x.requires_grad_(False)"}),
        ("matrix", "repeat", "own", {EXPAND}),
        ("identifiers", "to-tensor", "", {"torch.Tensor(x)"}),
    ],
)
def test_what_the_claims_recommend_is_not_recommended(source, group, want, never):
    chosen = compared(source, group, want).chosen
    assert chosen is not None
    assert chosen.code not in never
