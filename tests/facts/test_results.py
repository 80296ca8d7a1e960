"""The dtype, device, strides and class of every result."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from tensorcopy.catalogue import Device, Dtype, Kind, Layout, Operation, Subclass

from .measuring import EACH, Cell, as_torch, asked_dtype, cells, of, pieces
from .sources import dense

CLASSES = {
    Kind.TENSOR: torch.Tensor,
    Kind.ARRAY: (np.ndarray, np.generic),  # NumPy turns results without dimensions into numbers
    Kind.MASKED: np.ma.MaskedArray,
    Kind.SEQUENCE: list,
    Kind.SCALAR: (int, float, complex, bool, np.generic),
    Kind.NUMBERS: (list, int, float, complex, bool),
    Kind.BUFFER: (bytes, bytearray, memoryview),
    Kind.STORAGE: (torch.UntypedStorage, torch.TypedStorage),
    Kind.MODULE: nn.Module,
    Kind.MAPPING: dict,
    Kind.TENSORS: (tuple, list),
    Kind.ARRAYS: (tuple, list),
    Kind.TEXT: str,
    Kind.NOTHING: type(None),
    Kind.CAPSULE: object,
    Kind.OTHER: object,
}
REAL_OF = {torch.complex32: torch.float16, torch.complex64: torch.float32, torch.complex128: torch.float64}


def results(op: Operation) -> list[tuple[Cell, object]]:
    """Each cell with every tensor or array in its result."""
    done = [c for c in cells(op.name) if c.error is None]
    return [(c, p) for c in done for p in pieces(c.y) if isinstance(p, torch.Tensor | np.ndarray)]


def same_dtype(wanted, got) -> bool:
    return wanted == got or (as_torch(wanted) is not None and as_torch(wanted) == as_torch(got))


def expected_dtype(op: Operation, cell: Cell):
    own = next((p.dtype for p in pieces(cell.x) if hasattr(p, "dtype")), None)
    if op.dtype in {Dtype.GIVEN, Dtype.FIXED, Dtype.DEFAULT}:
        return asked_dtype(op, cell.example)
    if op.dtype is Dtype.SAME:
        return own
    if op.dtype is Dtype.REAL:
        return REAL_OF.get(own, own) if isinstance(own, torch.dtype) else np.empty(0, own).real.dtype
    if op.dtype is Dtype.COMPLEX:
        return next((c for c, r in REAL_OF.items() if r == own), own)
    if op.dtype is Dtype.NATIVE:
        return own.newbyteorder("=")
    return None


@EACH
def test_result_is_of_the_stated_kind(op):
    done = [c for c in cells(op.name) if c.error is None]
    wrong = [f"{c}: {type(c.value)}" for c in done if not isinstance(c.value, CLASSES[op.result])]
    assert wrong == []


@EACH
def test_dtype_follows_the_stated_rule(op):
    wrong = []
    for cell, part in results(op):
        wanted = expected_dtype(op, cell)
        if wanted is not None and not same_dtype(wanted, part.dtype):
            wrong.append(f"{cell}: {part.dtype} instead of {wanted}")
    assert wrong == []


def strides(part) -> list[int]:
    """Strides in elements, of the dimensions where they matter."""
    steps = part.stride() if isinstance(part, torch.Tensor) else [s // part.itemsize for s in part.strides]
    return [s for n, s in zip(part.shape, steps, strict=True) if n != 1]


def row_major(part) -> bool:
    return part.is_contiguous() if isinstance(part, torch.Tensor) else part.flags.c_contiguous


def column_major(part) -> bool:
    return part.T.is_contiguous() if isinstance(part, torch.Tensor) else part.flags.f_contiguous


def follows(layout: Layout, cell: Cell, part) -> bool:
    source = next(pieces(cell.x), part)
    kept = layout is Layout.PRESERVED and (cell.shares_by_address or dense(source))
    if layout is Layout.SAME or kept:
        return strides(part) == strides(source)
    if layout is Layout.PRESERVED:
        return dense(part)
    return {Layout.CONTIGUOUS: row_major, Layout.FORTRAN: column_major, Layout.DENSE: dense}[layout](part)


CHECKED = {Layout.SAME, Layout.PRESERVED, Layout.CONTIGUOUS, Layout.FORTRAN, Layout.DENSE}


@of(lambda op: op.layout in CHECKED)
def test_strides_follow_the_stated_rule(op):
    measured = [(c, p) for c, p in results(op) if 0 not in p.shape]
    wrong = [f"{c}: shape {p.shape}, strides {strides(p)}" for c, p in measured if not follows(op.layout, c, p)]
    assert wrong == []


@of(lambda op: op.result in {Kind.TENSOR, Kind.TENSORS})
def test_device_follows_the_stated_rule(op):
    found = {p.device.type for _, p in results(op) if isinstance(p, torch.Tensor)}
    assert found <= ({"meta"} if op.device is Device.GIVEN and "meta" in op.example else {"cpu"})


@EACH
def test_classes_are_kept_or_dropped_as_stated(op):
    wrong = [f"{c}: {type(p)}" for c, p in results(op) if not right_class(op, c, p)]
    assert wrong == []


def right_class(op: Operation, cell: Cell, part) -> bool:
    plain = np.ndarray if isinstance(part, np.ndarray) else torch.Tensor
    if op.subclass is Subclass.DROPS:
        return type(part) is plain
    if op.subclass is Subclass.KEEPS:
        return type(part) is (torch.Tensor if type(cell.x) is nn.Parameter else type(cell.x))
    if op.subclass is Subclass.SAME:
        return type(part) is type(cell.x)
    if op.subclass is Subclass.SAME_OR_PLAIN:
        return type(part) is (type(cell.x) if cell.y is cell.x else plain)
    if op.subclass is Subclass.WITH_MEMORY:
        kept = type(cell.x) if cell.y is cell.x or type(cell.x) is not nn.Parameter else torch.Tensor
        return type(part) is kept
    if op.subclass is Subclass.KEEPS_BUT_MEMMAP:
        return type(part) is (plain if type(cell.x) is np.memmap else type(cell.x))
    if op.subclass is Subclass.MEMMAP:
        return type(part) is np.memmap
    return op.subclass is not Subclass.PARAMETER or isinstance(part, nn.Parameter)


@of(lambda op: op.source is Kind.TENSOR)
def test_a_copy_of_a_slice_carries_the_whole_storage_only_where_stated(op):
    found = [p for c, p in results(op) if c.source == "slice of a large one" and c.shares_by_bytes is False]
    carried = [p for p in found if isinstance(p, torch.Tensor) and p.untyped_storage().nbytes() >= 1600]
    assert bool(carried) is op.whole_storage
