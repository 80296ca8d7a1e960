"""Every warning is given as stated, and by no other source."""

from __future__ import annotations

import warnings

import pytest

from tensorcopy.catalogue import Operation, Warns
from tensorcopy.catalogue.model import reached

from .measuring import ENTRIES, NAMESPACE, RELEASES, Cell, always_warning, cells, evaluate

STATED = [(op, w) for op in ENTRIES for w in op.warns if reached(w.since, RELEASES)]
BY_SOURCE = [pytest.param(op, w, id=f"{op.name} {w.text[:30]}") for op, w in STATED if not w.code]
BY_CODE = [pytest.param(w, id=w.code) for w in dict.fromkeys(w for _, w in STATED if w.code)]


def gives(warned: list[warnings.WarningMessage], stated: Warns) -> bool:
    return any(stated.text in str(w.message) and w.category.__name__ == stated.category for w in warned)


def done(op: Operation) -> list[Cell]:
    return [c for c in cells(op.name) if c.error is None]


@pytest.mark.parametrize(("op", "stated"), BY_SOURCE)
def test_the_stated_sources_warn_and_no_others(op, stated):
    expected = {str(c): stated.given is None or stated.given in c.traits for c in done(op)}
    assert {str(c): gives(c.warned, stated) for c in done(op)} == expected
    assert True in expected.values()


@pytest.mark.parametrize("stated", BY_CODE)
def test_the_stated_code_warns(stated):
    with warnings.catch_warnings(record=True) as warned, always_warning():
        evaluate(stated.code, dict(NAMESPACE))
    assert gives(warned, stated)
