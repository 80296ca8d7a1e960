"""Every value that comes out wrong without an error does come out, and differs from the one a reader expects."""

from __future__ import annotations

import warnings

import pytest

from tensorcopy.catalogue.model import reached

from .measuring import ENTRIES, NAMESPACE, RELEASES, always_warning, evaluate

WRONG = [
    pytest.param(wrong, id=f"{op.name} {number}")
    for op in ENTRIES
    for number, wrong in enumerate(op.silently_wrong)
    if reached(wrong.since, RELEASES)
]


@pytest.mark.parametrize("wrong", WRONG)
def test_the_wrong_value_comes_out_without_an_error_and_is_not_the_one_expected(wrong):
    with warnings.catch_warnings(record=True), always_warning():
        got = evaluate(wrong.code, dict(NAMESPACE))
    assert got == evaluate(wrong.gives, dict(NAMESPACE))
    assert got != evaluate(wrong.wanted, dict(NAMESPACE))
