"""Keeps or cuts: proved by differentiating the result with respect to the leaf behind the source."""

from __future__ import annotations

from tensorcopy.catalogue import Graph, Kind, Operation, RequiresGrad, Trait

from .measuring import ENTRIES, Cell, cells, each, of, tensors


def cuts(op: Operation, cell: Cell) -> bool:
    return op.graph is Graph.CUTS or bool(cell.traits & set(op.cuts_if))


def with_leaf(op: Operation) -> list[Cell]:
    return [c for c in cells(op.name) if c.error is None and c.keeps_graph is not None]


@of(lambda op: op.graph is not Graph.NOT_APPLICABLE)
def test_gradients_reach_the_source_as_stated(op):
    wrong = [f"{c}: keeps is {c.keeps_graph}" for c in with_leaf(op) if c.keeps_graph is cuts(op, c)]
    assert wrong == []


@of(lambda op: op.graph is Graph.DEPENDS)
def test_an_entry_depending_on_the_source_shows_both_outcomes(op):
    assert {c.keeps_graph for c in with_leaf(op)} == {True, False}


def test_the_graph_is_not_applicable_exactly_where_no_source_can_be_on_one():
    on_graph = {Kind.TENSOR, Kind.MODULE}
    assert [op.name for op in ENTRIES if (op.graph is Graph.NOT_APPLICABLE) is (op.source in on_graph)] == []


def test_conditions_are_given_exactly_where_the_graph_depends():
    assert [op.name for op in ENTRIES if (op.graph is Graph.DEPENDS) is not bool(op.cuts_if)] == []


def test_what_refuses_the_graph_or_leaves_torch_cuts_it():
    refusing = {Trait.REQUIRES_GRAD}
    off = {Kind.ARRAY, Kind.ARRAYS, Kind.NUMBERS, Kind.SCALAR, Kind.BUFFER, Kind.TEXT, Kind.STORAGE}
    cut = [op for op in ENTRIES if op.graph in {Graph.KEEPS, Graph.DEPENDS}]
    assert [op.name for op in cut if op.result in off or refusing & {r.given for r in op.rejects}] == []


@of(lambda op: op.graph is Graph.KEEPS)
def test_an_entry_that_keeps_the_graph_is_seen_to_do_so(op):
    assert True in {c.keeps_graph for c in with_leaf(op)}


def test_a_result_made_of_arrays_never_requires_grad_unless_asked():
    off_graph = [op for op in ENTRIES if op.source not in {Kind.TENSOR, Kind.MODULE}]
    assert {op.requires_grad for op in off_graph} <= {RequiresGrad.NO, RequiresGrad.NOT_APPLICABLE}


@of(lambda op: op.requires_grad is RequiresGrad.IF_DIFFERENTIABLE)
def test_an_entry_whose_flag_depends_on_the_result_shows_both_outcomes(op):
    on_graph = [t.requires_grad for c in cells(op.name) if c.error is None and c.source == "leaf" for t in tensors(c.y)]
    assert set(on_graph) == {True, False}


def expected_requires_grad(op: Operation, cell: Cell) -> bool:
    source = cell.required_grad
    return {
        RequiresGrad.SAME: source,
        RequiresGrad.NO: False,
        RequiresGrad.YES: True,
        RequiresGrad.IF_DIFFERENTIABLE: source
        and not any(not (t.is_floating_point() or t.is_complex()) for t in tensors(cell.y)),
    }[op.requires_grad]


@each
def test_requires_grad_of_the_result_is_as_stated(op):
    measured = [c for c in cells(op.name) if c.error is None and tensors(c.y)]
    assert (op.requires_grad is RequiresGrad.NOT_APPLICABLE) is (not measured)
    wrong = [
        f"{c}: requires_grad is {t.requires_grad}"
        for c in measured
        for t in tensors(c.y)
        if t.requires_grad is not expected_requires_grad(op, c)
    ]
    assert wrong == []
