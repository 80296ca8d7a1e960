"""The strides of every result."""

from __future__ import annotations

import numpy as np
import torch

from tensorcopy.catalogue import Kind, Layout, Operation
from tensorcopy.live.traits import dense

from .measuring import ENTRIES, Cell, of, pieces, results


def strides(part) -> list[int]:
    """Strides in elements, of the dimensions where they matter."""
    steps = part.stride() if isinstance(part, torch.Tensor) else [s // part.itemsize for s in part.strides]
    return [s for n, s in zip(part.shape, steps, strict=True) if n != 1]


def row_major(part) -> bool:
    return part.is_contiguous() if isinstance(part, torch.Tensor) else part.flags.c_contiguous


def column_major(part) -> bool:
    backwards = range(part.ndim - 1, -1, -1)
    return part.permute(*backwards).is_contiguous() if isinstance(part, torch.Tensor) else part.flags.f_contiguous


def given(cell: Cell, part) -> bool:
    """The memory format that the example names; a source that needs no change may come back as it is."""
    return part is cell.x or part.is_contiguous(
        memory_format=getattr(torch, cell.example.split("torch.")[-1].rstrip(")"))
    )


def follows(layout: Layout, cell: Cell, part) -> bool:
    source = next(pieces(cell.x), part)
    kept = layout is Layout.PRESERVED and (cell.shares_by_address or dense(source))
    if layout is Layout.SAME or kept:
        return strides(part) == strides(source)
    if layout is Layout.GIVEN:
        return given(cell, part)
    if layout is Layout.TARGET:
        return strides(part) == strides(cell.target)
    holds = {Layout.CONTIGUOUS: row_major, Layout.FORTRAN: column_major, Layout.DENSE: dense, Layout.PRESERVED: dense}
    return holds[layout](part)


def with_strides(op: Operation) -> list[tuple[Cell, object]]:
    return [(c, p) for c, p in results(op) if 0 not in p.shape]


@of(lambda op: op.layout not in {Layout.DERIVED, Layout.NOT_APPLICABLE})
def test_strides_follow_the_stated_rule(op):
    found = with_strides(op)
    assert [f"{c}: shape {p.shape}, strides {strides(p)}" for c, p in found if not follows(op.layout, c, p)] == []


def test_a_rule_is_given_exactly_where_the_result_has_strides():
    assert [op.name for op in ENTRIES if (op.layout is Layout.NOT_APPLICABLE) is bool(results(op))] == []


STRICTER = {
    Layout.DERIVED: [Layout.SAME, Layout.PRESERVED, Layout.CONTIGUOUS, Layout.FORTRAN, Layout.DENSE],
    Layout.PRESERVED: [Layout.SAME],
    Layout.DENSE: [Layout.CONTIGUOUS, Layout.FORTRAN, Layout.PRESERVED],
}


def shows_orders(op: Operation) -> bool:
    """Whether sources in several orders, with and without gaps, are accepted."""
    sources = {c.source for c, _ in with_strides(op)}
    return sources >= {"transposed", "strided slice"} or sources >= {"column-major array", "strided array"}


def copies_gaps(op: Operation) -> bool:
    """Whether a source with gaps is copied, or the shape stays, so that words about strides can be told apart."""
    found = with_strides(op)
    if op.layout is Layout.DERIVED:
        return all(p.ndim == c.x.ndim for c, p in found) and op.result in {Kind.TENSOR, Kind.ARRAY}
    return any(not c.shares_by_address and not dense(c.x) for c, _ in found)


@of(lambda op: op.layout in STRICTER and op.source in {Kind.TENSOR, Kind.ARRAY})
def test_no_stricter_word_about_strides_would_hold(op):
    found = with_strides(op)
    could = [w for w in STRICTER[op.layout] if all(follows(w, c, p) for c, p in found)]
    assert could == [] or not shows_orders(op) or not copies_gaps(op)


def test_words_about_what_is_given_or_written_stand_only_where_it_is():
    assert [op.name for op in ENTRIES if op.layout is Layout.GIVEN and "_format" not in op.example] == []
    assert [op.name for op in ENTRIES if op.layout is Layout.TARGET and not op.writes] == []


def test_what_has_no_strides_is_laid_out_in_rows():
    plain = [op for op in ENTRIES if op.source in {Kind.SEQUENCE, Kind.SCALAR, Kind.BUFFER} and results(op)]
    assert {op.layout for op in plain} == {Layout.CONTIGUOUS}


def test_orders_are_told_apart():
    a = np.arange(6.0).reshape(2, 3)
    assert [row_major(a), column_major(a), dense(a), dense(a[:, ::2]), dense(a.T)] == [True, False, True, False, True]
