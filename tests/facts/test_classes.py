"""What kind of object comes back, and what becomes of a subclass and of a Parameter."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from tensorcopy.catalogue import Kind, Memory, Operation, ReturnsSelf, Subclass

from .measuring import ENTRIES, Cell, cells, each, of, results

CLASSES = {
    Kind.TENSOR: torch.Tensor,
    Kind.ARRAY: (np.ndarray, np.generic),  # NumPy turns results without dimensions into numbers
    Kind.MASKED: np.ma.MaskedArray,
    Kind.SCALAR: (int, float, complex, bool, np.generic),
    Kind.NUMBERS: (list, int, float, complex, bool),
    Kind.BUFFER: (bytes, bytearray, memoryview),
    Kind.STORAGE: (torch.UntypedStorage, torch.TypedStorage),
    Kind.MODULE: nn.Module,
    Kind.MAPPING: dict,
    Kind.TEXT: str,
    Kind.NOTHING: type(None),
}
ELEMENTS = {Kind.TENSORS: torch.Tensor, Kind.ARRAYS: (np.ndarray, np.generic)}


def of_kind(kind: Kind, value: object) -> bool:
    if kind in ELEMENTS:
        return isinstance(value, list | tuple) and all(isinstance(v, ELEMENTS[kind]) for v in value)
    if kind is Kind.CAPSULE:
        return type(value).__name__ == "PyCapsule"
    if kind is Kind.OTHER:
        return not any(of_kind(k, value) for k in {*CLASSES, *ELEMENTS, Kind.CAPSULE} if k is not Kind.TENSORS)
    return isinstance(value, CLASSES[kind]) and not (kind is Kind.ARRAY and isinstance(value, np.ma.MaskedArray))


@each
def test_result_is_of_the_stated_kind(op):
    done = [c for c in cells(op.name) if c.error is None]
    assert [f"{c}: {type(c.value)}" for c in done if not of_kind(op.result, c.value)] == []


def right_class(word: Subclass, cell: Cell, part) -> bool:
    plain = np.ndarray if isinstance(part, np.ndarray) else torch.Tensor
    own = type(cell.x)
    wanted = {
        Subclass.DROPS: plain,
        Subclass.KEEPS: torch.Tensor if own is nn.Parameter else own,
        Subclass.SAME: own,
        Subclass.SAME_OR_PLAIN: own if cell.same_object else plain,
        Subclass.WITH_MEMORY: torch.Tensor if own is nn.Parameter and not cell.same_object else own,
        Subclass.KEEPS_BUT_MEMMAP: plain if own is np.memmap else own,
        Subclass.MEMMAP: np.memmap,
        Subclass.TARGET: type(cell.target),
        Subclass.PARAMETER: nn.Parameter,
    }.get(word)
    return isinstance(part, nn.Parameter) if word is Subclass.PARAMETER else wanted is None or type(part) is wanted


@each
def test_classes_are_kept_or_dropped_as_stated(op):
    assert [f"{c}: {type(p)}" for c, p in results(op) if not right_class(op.subclass, c, p)] == []


@of(lambda op: op.subclass is Subclass.KEEPS and op.source is Kind.TENSOR)
def test_a_parameter_is_not_said_to_become_a_tensor_where_it_stays(op):
    assert [c for c, p in results(op) if isinstance(c.x, nn.Parameter) and isinstance(p, nn.Parameter)] == []


@of(lambda op: op.result is Kind.NUMBERS)
def test_numbers_come_both_alone_and_in_lists(op):
    assert {isinstance(c.value, list) for c in cells(op.name) if c.error is None} == {True, False}


def test_memmaps_are_spoken_of_only_where_arrays_are_the_source():
    spoken = [op for op in ENTRIES if op.subclass in {Subclass.KEEPS_BUT_MEMMAP, Subclass.MEMMAP}]
    assert {op.source for op in spoken} == {Kind.ARRAY}


def test_the_class_depends_on_sharing_only_where_the_object_may_come_back():
    depending = [op for op in ENTRIES if op.subclass in {Subclass.WITH_MEMORY, Subclass.SAME_OR_PLAIN}]
    assert [op.name for op in depending if op.returns_self in {ReturnsSelf.NEVER, ReturnsSelf.ALWAYS}] == []


def test_classes_are_not_applicable_only_where_source_and_result_are_of_two_libraries():
    def same_library(op: Operation) -> bool:
        kinds = {op.source, op.result}
        return kinds <= {Kind.TENSOR, Kind.TENSORS} or kinds <= {Kind.ARRAY, Kind.ARRAYS, Kind.MASKED}

    matrices = {"numpy.asmatrix", "numpy.matrix", "torch.Tensor.new_empty_strided"}
    silent = {op.name for op in ENTRIES if op.subclass is Subclass.NOT_APPLICABLE and same_library(op)}
    assert silent == matrices


@of(lambda op: op.source is Kind.TENSOR)
def test_a_copy_of_a_slice_carries_the_whole_storage_only_where_stated(op):
    found = [p for c, p in results(op) if c.source == "slice of a large one" and c.shares_by_bytes is False]
    carried = [p for p in found if isinstance(p, torch.Tensor) and p.untyped_storage().nbytes() >= 1600]
    assert bool(carried) is op.whole_storage


def test_only_a_copy_of_a_tensor_can_carry_its_storage():
    carrying = [op for op in ENTRIES if op.whole_storage]
    assert [op.name for op in carrying if op.memory is not Memory.COPIES or op.source is not Kind.TENSOR] == []


def test_the_same_object_depends_on_sharing_only_where_memory_depends():
    depending = [op for op in ENTRIES if op.returns_self is ReturnsSelf.WHEN_SHARING]
    assert [op.name for op in depending if op.memory is not Memory.DEPENDS] == []
