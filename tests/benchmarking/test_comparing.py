"""`compare` on what people pass, sensible or not."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import tensorcopy as tc
from tensorcopy.benchmarking import probing
from tensorcopy.benchmarking.groups import GROUPS, SAMPLES
from tensorcopy.benchmarking.measurements import Status
from tensorcopy.catalogue import Kind, families
from tensorcopy.errors import BadArgumentError, UnsupportedSourceError


def compared(x, **options):
    return tc.compare(x, time_budget=0.02, **options)


def within_itself():
    nest: list[object] = []
    nest.append(nest)
    return nest


STRANGE = {
    "no elements": lambda: torch.empty(0, 3),
    "no dimensions": lambda: torch.tensor(2.5, requires_grad=True),
    "inference tensor": lambda: torch.inference_mode()(lambda: torch.ones(3))(),
    "elements that overlap": lambda: torch.arange(4.0).as_strided((2, 3), (1, 1)),
    "Parameter": lambda: torch.nn.Parameter(torch.ones(2, 2)),
    "packed field": lambda: np.zeros(3, dtype=[("a", "u1"), ("b", "f8")])["b"],
    "broadcast and writable by accident": lambda: np.broadcast_arrays(np.arange(3.0), np.ones((2, 3)))[0],
    "nothing but NaN": lambda: np.array([np.nan, np.inf]),
    "big-endian": lambda: np.ones(3, ">f4"),
    "bytes of somebody": lambda: np.frombuffer(b"12345678", np.float64),
    "one hundred thousand": lambda: torch.zeros(200_000).requires_grad_(),
    "on a graph and large": lambda: torch.zeros(200_000, requires_grad=True) * 2,
    "list of tensors": lambda: [torch.tensor(1.0, requires_grad=True), 2.0],
    "tuple": lambda: (1, 2),
    "large nest": lambda: [[1.5] * 3] * 50_000,
    "empty list": list,
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_source_has_a_recommendation(name):
    assert compared(STRANGE[name]()).chosen is not None


def test_native_byte_order_is_no_other_dtype():
    assert compared(STRANGE["big-endian"]()).named("torch.tensor(x.tolist())").cautions == ()


@pytest.mark.parametrize("want", ["keep-graph", "cut-graph"])
def test_ways_to_copy_are_asked_to_copy_whatever_becomes_of_the_graph(want):
    found = compared(torch.ones(3, requires_grad=True), want=want)
    assert (found.chosen.result.memory, found.chosen.result.graph) == ("copies", f"{want.split('-')[0]}s")
    assert compared(torch.ones(3, requires_grad=True), want=[want, "share"]).chosen.result.memory == "shares"


HOPELESS = {
    "objects": lambda: np.array([object(), None], dtype=object),
    "records": lambda: np.zeros(3, dtype=[("a", "i4"), ("b", "f8")]),
    "text": lambda: np.array(["a", "b"]),
    "dates": lambda: np.array(["2020-01-01"], "M8[D]"),
    "masked": lambda: np.ma.masked_array([1.0, 999.0], [0, 1]),
    "ragged": lambda: [[1, 2], [3]],
    "list that holds itself further on": lambda: (nest := [1, 2], nest.append(nest))[0],
    "words": lambda: ["a", "b"],
    "nothings": lambda: [None, 1],
}


@pytest.mark.parametrize("name", HOPELESS)
def test_a_source_that_no_tensor_can_hold_has_none_and_the_reason_says_so(name):
    found = compared(HOPELESS[name]())
    assert found.chosen is None
    assert found.recommendation.reason.startswith("none of the ")


@pytest.mark.parametrize("x", [None, 5, "abc", {}, torch.nn.Linear(2, 2), np.float64(3), (k for k in range(3))])
def test_what_the_catalogue_has_no_calls_for_is_refused(x):
    with pytest.raises(UnsupportedSourceError, match=f"cannot compare ways to handle {type(x).__name__}"):
        compared(x)


@pytest.mark.parametrize("x", [torch.eye(3).to_sparse(), torch.ones(3, device="meta")])
def test_a_tensor_without_one_block_of_memory_is_refused(x):
    with pytest.raises(UnsupportedSourceError, match="cannot compare ways to handle a tensor on"):
        compared(x)


def test_a_list_within_itself_is_refused():
    with pytest.raises(UnsupportedSourceError, match="nested more than 64 deep"):
        compared(within_itself())


def test_an_unknown_group_is_refused_with_those_that_there_are():
    with pytest.raises(BadArgumentError, match=r"no group 'list' .* one of copy, graph, to-array, repeat, cast"):
        compared(torch.ones(2), group="list")


def test_nothing_can_keep_a_graph_that_is_not_there():
    with pytest.raises(BadArgumentError, match="nothing can keep the graph of a tensor that does not require grad"):
        compared(torch.ones(2), want="keep-graph")


def test_a_dtype_that_is_wanted_is_written_into_the_calls():
    found = compared(torch.ones(2), want="dtype=float16")
    assert {m.result.dtype for m in found.measurements if "float16" in m.code or "half" in m.code} == {"float16"}
    assert found.chosen.result.dtype == "float16"


def test_a_cast_that_loses_values_says_which_and_tensorcopy_refuses_it():
    found = compared(torch.tensor([0.5, 300.0]), want="dtype=uint8")
    assert found.named("x.byte()").cautions == ("uint8 cannot hold all values: 0.5 becomes 0 at [0]",)
    ours = next(m for m in found.measurements if m.ours)
    assert (ours.status, ours.reason.partition(":")[0]) == (Status.REFUSED, "LossyConversionError")


def test_what_would_take_too_long_or_too_much_is_not_run(monkeypatch):
    monkeypatch.setattr(probing, "available_bytes", lambda: 10)
    found = compared(torch.zeros(200_000))
    assert found.named("x.clone()").reason.startswith("would need about")
    monkeypatch.setattr(probing, "_seconds_at_least", lambda call, x, enough: len(x) / 1000)
    reason = compared(torch.zeros(200_000)).named("x.clone()").reason
    assert reason == "would take about 2.1e+02 s; a larger time budget allows it"


def test_every_family_of_calls_between_tensors_answers_a_question_or_is_none_of_its_own():
    """A family that is new has to be put on one side or the other."""
    asked = {family for group in GROUPS.values() for family in group.families}
    between = {
        family
        for family, entries in families().items()
        if any(op.source is op.result is kind and not op.setup for op in entries for kind in SAMPLES)
    }
    parts_and_other_values = {
        "complex_bits", "creating", "exporting", "indexing", "reordering", "sharing_processes", "splitting", "writing",
        "numpy_masked", "numpy_viewing", "numpy_writing",
    }  # fmt: skip
    assert between - asked == parts_and_other_values


def test_samples_are_of_the_kinds_that_are_asked_about():
    assert {kind for group in GROUPS.values() for kind in group.sources} == set(SAMPLES) == {
        Kind.TENSOR, Kind.ARRAY, Kind.MASKED, Kind.SEQUENCE
    }  # fmt: skip
