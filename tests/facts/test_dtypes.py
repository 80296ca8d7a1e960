"""Where the dtype of every result comes from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from tensorcopy.catalogue import Dtype, Kind, Operation

from .measuring import (
    ENTRIES,
    Cell,
    as_torch,
    asked_dtype,
    cells,
    each,
    of,
    pieces,
    rerun,
    results,
    tensors,
)

REAL_OF = {torch.complex32: torch.float16, torch.complex64: torch.float32, torch.complex128: torch.float64}
WITHOUT = {Dtype.PYTHON, Dtype.NOT_APPLICABLE}


def own_dtype(cell: Cell) -> Any:
    return next((p.dtype for p in pieces(cell.x) if hasattr(p, "dtype")), None)


def same(wanted: Any, got: Any) -> bool:
    return wanted == got or (wanted is not None and as_torch(wanted) is not None and as_torch(wanted) == as_torch(got))


def holds(rule: Dtype, op: Operation, cell: Cell, part: Any) -> bool:
    own, got = own_dtype(cell), part.dtype
    if rule is Dtype.PROMOTED:
        return (
            torch.can_cast(own, got)
            if isinstance(own, torch.dtype) and isinstance(got, torch.dtype)
            else goes_up(own, got)
        )
    if rule is Dtype.INFERRED:
        return got in inferred(cell, part)
    return same(expected(rule, op, cell, own), got)


def expected(rule: Dtype, op: Operation, cell: Cell, own: Any) -> Any:
    if rule in {Dtype.GIVEN, Dtype.FIXED, Dtype.DEFAULT}:
        return asked_dtype(op, cell.example)
    if rule is Dtype.REAL:
        return REAL_OF.get(own, own) if isinstance(own, torch.dtype) else np.empty(0, own).real.dtype
    if rule is Dtype.COMPLEX:
        return next((c for c, r in REAL_OF.items() if r == own), own)
    if rule is Dtype.FORMAT:
        return np.dtype(memoryview(cell.x).format)
    return {Dtype.SAME: own, Dtype.NATIVE: native(own), Dtype.TARGET: getattr(cell.target, "dtype", None)}[rule]


def native(dtype: Any) -> Any:
    return dtype.newbyteorder("=") if isinstance(dtype, np.dtype) else dtype


def goes_up(own: Any, got: Any) -> bool:
    """Whether a value of the one can be held by the other, across libraries."""
    first, second = (np.empty(0, d).dtype if isinstance(d, np.dtype) else np.dtype(str(d)[6:]) for d in (own, got))
    return np.can_cast(first, second, "safe")


def inferred(cell: Cell, part: Any) -> set[Any]:
    """What a reader of Python numbers may make of the first one."""
    value = cell.x.tolist() if hasattr(cell.x, "tolist") else cell.x
    while isinstance(value, list | tuple | np.ndarray) and len(value):
        value = value[0]
    value = value.item() if isinstance(value, np.generic) else value
    kind = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}.get(type(value), "float64")
    if isinstance(part, np.ndarray):
        return {np.dtype(kind)}
    return {getattr(torch, kind), {"float64": torch.float32, "complex128": torch.complex64}.get(kind)}


@each
def test_dtype_follows_the_stated_rule(op):
    found = [] if op.dtype in WITHOUT else results(op)
    assert [f"{c}: {p.dtype}" for c, p in found if not holds(op.dtype, op, c, p)] == []


def test_a_rule_is_given_exactly_where_the_result_has_a_dtype():
    assert [op.name for op in ENTRIES if (op.dtype in WITHOUT) is bool(results(op))] == []


LOOSE = {Dtype.PROMOTED, Dtype.INFERRED, Dtype.REAL, Dtype.COMPLEX, Dtype.NATIVE, Dtype.FORMAT}


@of(lambda op: op.dtype in LOOSE)
def test_no_rule_is_given_where_the_dtype_stays_the_same(op):
    assert not all(holds(Dtype.SAME, op, c, p) for c, p in results(op))


@of(lambda op: op.dtype is Dtype.GIVEN)
def test_a_dtype_that_is_given_is_named_by_every_example(op):
    assert [e for e in op.examples if asked_dtype(op, e) is None] == []
    assert op.dtype_name == ""


def test_words_about_numbers_and_destinations_stand_only_where_they_are():
    assert {op.result for op in ENTRIES if op.dtype is Dtype.PYTHON} == {Kind.NUMBERS, Kind.SCALAR}
    assert [op.name for op in ENTRIES if op.dtype is Dtype.TARGET and not op.writes] == []
    assert [
        op.name for op in ENTRIES if op.result in {Kind.NUMBERS, Kind.SCALAR} and op.dtype is not Dtype.PYTHON
    ] == []


@of(lambda op: op.dtype is Dtype.PYTHON)
def test_python_numbers_are_pythons_own(op):
    def kinds(value: Any) -> set[type]:
        return {k for v in value for k in kinds(v)} if isinstance(value, list) else {type(value)}

    found = {k for c in cells(op.name) if c.error is None for k in kinds(c.value)}
    assert found <= {int, float, complex, bool, np.longdouble, *({object} if "numpy" in op.name else ())}


@contextmanager
def double_by_default() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(torch.float32)


@of(lambda op: op.dtype in {Dtype.DEFAULT, Dtype.FIXED, Dtype.GIVEN} and op.result.value == "tensor")
def test_the_default_dtype_is_followed_only_as_stated(op):
    found = {t.dtype for t in tensors(rerun(op, double_by_default()))}
    assert found == {torch.float64 if op.dtype is Dtype.DEFAULT else as_torch(asked_dtype(op, op.example))}
