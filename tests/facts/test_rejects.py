"""Every source that a call refuses is refused with the stated class and text, and no other source is."""

from __future__ import annotations

import pytest

from tensorcopy.catalogue import Operation, Rejection

from .measuring import ENTRIES, RELEASES, Cell, cells, each, of, raised_by

BY_CODE = [(op, r) for op in ENTRIES for r in op.rejects if r.code and r.holds_on(RELEASES)]


def named(op: Operation, cell: Cell) -> list[Rejection]:
    return [r for r in op.rejects if r.given in cell.traits and r.holds_on(RELEASES)]


def agrees(rejection: Rejection, error: Exception) -> bool:
    return rejection.error in {c.__name__ for c in type(error).__mro__} and rejection.text in str(error)


@each
def test_sources_are_refused_only_as_stated(op):
    wrong = []
    for cell in cells(op.name):
        stated = named(op, cell)
        if cell.error is None and stated:
            wrong.append(f"{cell}: accepted")
        if cell.error is not None and not any(agrees(r, cell.error) for r in stated):
            wrong.append(f"{cell}: {type(cell.error).__name__}: {str(cell.error)[:200]}")
    assert wrong == []


@of(lambda op: op.rejects)
def test_every_stated_refusal_happens(op):
    errors = [c.error for c in cells(op.name) if c.error is not None]
    stated = [r for r in op.rejects if r.given and r.holds_on(RELEASES)]
    assert [r for r in stated if not any(agrees(r, e) for e in errors)] == []


@pytest.mark.parametrize(
    ("op", "rejection"), BY_CODE, ids=lambda v: v.name if isinstance(v, Operation) else v.code[:40]
)
def test_a_refused_call_raises_the_stated_error(op, rejection):
    error = raised_by(rejection.code)
    assert error is not None
    assert agrees(rejection, error), f"{type(error).__name__}: {error}"
