"""Tensor calls that put dimensions or elements in another order: by strides as a view, or as a copy."""

from __future__ import annotations

from ._templates import both, kept_copy, view
from .model import (
    Call,
    Layout,
    Rejection,
    ReturnsSelf,
    Style,
    Subclass,
    Trait,
)

_MATRIX = Rejection(given=Trait.ONE_D, error="RuntimeError", text="only supported on matrices or batches of matrices")
_SAME_ORDER = Rejection(
    given=Trait.NOT_2D, error="RuntimeError", text="does not match the length of the desired ordering of dimensions"
)

OPERATIONS = (
    view(
        name="torch.Tensor.transpose",
        summary="A view with two dimensions exchanged.",
        call=Call(names=tuple(f"torch{c}.{n}" for n in ("transpose", "swapaxes", "swapdims") for c in (".Tensor", ""))),
        examples=("x.transpose(0, -1)", "x.swapaxes(0, -1)", "x.swapdims(0, -1)"),
        aten="transpose.int",
    ),
    view(
        name="torch.Tensor.t",
        summary="A view with both dimensions exchanged; a vector stays as it is.",
        call=both("t"),
        examples=("x.t()",),
        rejects=(
            Rejection(given=Trait.MORE_THAN_2D, error="RuntimeError", text="t() expects a tensor with <= 2 dimensions"),
        ),
        aten="t",
    ),
    view(
        name="torch.Tensor.T",
        summary="A view with all dimensions in reverse order.",
        call=Call(names=("torch.Tensor.T",), style=Style.ATTRIBUTE),
        examples=("x.T",),
        aten="numpy_T",
    ),
    view(
        name="torch.Tensor.mT",
        summary="A view with the last two dimensions exchanged.",
        call=Call(names=("torch.Tensor.mT",), style=Style.ATTRIBUTE),
        examples=("x.mT",),
        returns_self=ReturnsSelf.SOMETIMES,
        subclass=Subclass.WITH_MEMORY,
        rejects=(_MATRIX,),
        aten="mT",
    ),
    view(
        name="torch.Tensor.H",
        summary="A view of a matrix, transposed and conjugated by a bit.",
        call=Call(names=("torch.Tensor.H",), style=Style.ATTRIBUTE),
        examples=("x.H",),
        returns_self=ReturnsSelf.SOMETIMES,
        subclass=Subclass.WITH_MEMORY,
        rejects=(
            Rejection(given=Trait.ONE_D, error="RuntimeError", text="only supported on matrices (2-D tensors)"),
            Rejection(given=Trait.MORE_THAN_2D, error="RuntimeError", text="only supported on matrices (2-D tensors)"),
        ),
        aten="matrix_H",
    ),
    view(
        name="torch.Tensor.mH",
        summary="A view of a batch of matrices, transposed and conjugated by a bit.",
        call=Call(names=("torch.Tensor.mH", "torch.Tensor.adjoint", "torch.adjoint")),
        examples=("x.mH", "x.adjoint()"),
        returns_self=ReturnsSelf.SOMETIMES,
        subclass=Subclass.WITH_MEMORY,
        rejects=(_MATRIX,),
        aten="adjoint",
    ),
    view(
        name="torch.Tensor.permute",
        summary="A view with the dimensions in the order given.",
        call=both("permute"),
        examples=("x.permute(1, 0)",),
        rejects=(_SAME_ORDER,),
        aten="permute",
    ),
    view(
        name="torch.Tensor.movedim",
        summary="A view with one dimension moved.",
        call=Call(names=tuple(f"torch{c}.{n}" for n in ("movedim", "moveaxis") for c in (".Tensor", ""))),
        examples=("x.movedim(0, -1)", "x.moveaxis(0, -1)"),
        aten="movedim.int",
    ),
    view(
        name="torch.Tensor.diagonal",
        summary="A view of the diagonal.",
        call=Call(names=("torch.Tensor.diagonal", "torch.diagonal", "torch.linalg.diagonal")),
        examples=("x.diagonal()", "torch.linalg.diagonal(x)"),
        rejects=(Rejection(given=Trait.LESS_THAN_2D, error="IndexError", text="Dimension out of range"),),
        aten="diagonal",
    ),
    kept_copy(
        name="torch.diag",
        summary="The diagonal of a matrix as a copy, or a matrix from a vector; NumPy's diag gives a view.",
        call=both("diag"),
        examples=("torch.diag(x)",),
        layout=Layout.CONTIGUOUS,
        rejects=(
            Rejection(given=Trait.MORE_THAN_2D, error="RuntimeError", text="Supports 1D or 2D tensors"),
            Rejection(given=Trait.ZERO_D, error="RuntimeError", text="Supports 1D or 2D tensors"),
        ),
    ),
    kept_copy(
        name="torch.flip",
        summary="A copy in reverse order; torch has no negative strides. NumPy's flip gives a view.",
        call=Call(names=("torch.flip", "torch.Tensor.flip", "torch.fliplr", "torch.flipud", "torch.Tensor.flipud")),
        examples=("x.flip(0)",),
    ),
    kept_copy(
        name="torch.rot90",
        summary="A copy, turned by a quarter; NumPy's rot90 gives a view.",
        call=both("rot90"),
        examples=("torch.rot90(x)",),
        layout=Layout.DENSE,
        rejects=(Rejection(given=Trait.LESS_THAN_2D, error="RuntimeError", text="expected total dims >= 2"),),
    ),
    kept_copy(
        name="torch.roll",
        summary="A copy with the elements moved around in a circle.",
        call=both("roll"),
        examples=("x.roll(1)",),
        layout=Layout.CONTIGUOUS,
    ),
)
