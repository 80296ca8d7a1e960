"""Tensor calls that give parts of a tensor as views."""

from __future__ import annotations

from ._refusals import DIMENSION_OF_ZERO_D
from ._templates import both, kept_copy, method, view
from .model import (
    Call,
    Kind,
    Layout,
    Memory,
    Rejection,
    Trait,
)

OPERATIONS = (
    view(
        name="torch.Tensor.narrow",
        summary="A view of a range along one dimension.",
        call=both("narrow"),
        examples=("x.narrow(0, 0, 1)",),
        rejects=(
            Rejection(given=Trait.ZERO_D, error="RuntimeError", text="narrow() cannot be applied to a 0-dim tensor"),
            Rejection(given=Trait.EMPTY, error="RuntimeError", text="exceeds dimension size"),
        ),
        aten="narrow",
    ),
    view(
        name="torch.Tensor.select",
        summary="A view of one index along one dimension.",
        call=both("select"),
        examples=("x.select(0, 0)",),
        rejects=(
            Rejection(given=Trait.ZERO_D, error="IndexError", text="select() cannot be applied to a 0-dim tensor"),
            Rejection(given=Trait.EMPTY, error="IndexError", text="index 0 out of range for tensor of size"),
        ),
        aten="select.int",
    ),
    view(
        name="torch.Tensor.unfold",
        summary="A view of sliding windows, whose elements overlap if the step is shorter than the window.",
        call=method("unfold"),
        examples=("x.unfold(0, 1, 1)",),
        rejects=(
            Rejection(given=Trait.EMPTY, error="RuntimeError", text="maximum size for tensor at dimension 0 is 0"),
        ),
        aten="unfold",
    ),
    view(
        name="torch.Tensor.chunk",
        summary="A tuple of views, one for each part.",
        call=both("chunk"),
        examples=("x.chunk(2)",),
        result=Kind.TENSORS,
        rejects=(
            Rejection(given=Trait.ZERO_D, error="RuntimeError", text="chunk expects at least a 1-dimensional tensor"),
        ),
        aten="chunk",
    ),
    view(
        name="torch.Tensor.split",
        summary="A tuple of views of the length given.",
        call=Call(names=tuple(f"torch{c}.{n}" for n in ("split", "split_with_sizes") for c in (".Tensor", ""))),
        examples=("x.split(1)", "x.split_with_sizes(list(x.shape[:1]))"),
        result=Kind.TENSORS,
        rejects=(
            Rejection(given=Trait.ZERO_D, error="RuntimeError", text="split expects at least a 1-dimensional tensor"),
        ),
        aten="split.Tensor",
    ),
    view(
        name="torch.Tensor.tensor_split",
        summary="A tuple of views, of lengths as even as can be.",
        call=both("tensor_split"),
        examples=("x.tensor_split(2)",),
        result=Kind.TENSORS,
        rejects=(Rejection(given=Trait.ZERO_D, error="RuntimeError", text="expected at least a 1-dimensional tensor"),),
        aten="tensor_split.sections",
    ),
    view(
        name="torch.Tensor.hsplit",
        summary="A tuple of views along the second dimension (the first of a vector).",
        call=both("hsplit"),
        examples=("x.hsplit(1)",),
        result=Kind.TENSORS,
        rejects=(
            Rejection(given=Trait.ZERO_D, error="RuntimeError", text="requires a tensor with at least 1 dimension"),
        ),
        aten="hsplit.int",
    ),
    view(
        name="torch.Tensor.vsplit",
        summary="A tuple of views along the first dimension.",
        call=both("vsplit"),
        examples=("x.vsplit(1)",),
        result=Kind.TENSORS,
        rejects=(
            Rejection(
                given=Trait.LESS_THAN_2D, error="RuntimeError", text="requires a tensor with at least 2 dimension"
            ),
        ),
        aten="vsplit.int",
    ),
    view(
        name="torch.Tensor.dsplit",
        summary="A tuple of views along the third dimension.",
        call=both("dsplit"),
        examples=("x.dsplit(1)",),
        result=Kind.TENSORS,
        rejects=(
            Rejection(
                given=Trait.LESS_THAN_3D, error="RuntimeError", text="requires a tensor with at least 3 dimension"
            ),
        ),
        aten="dsplit.int",
    ),
    view(
        name="torch.Tensor.unbind",
        summary="A tuple of views, one for each index along a dimension.",
        call=both("unbind"),
        examples=("x.unbind()",),
        result=Kind.TENSORS,
        rejects=(DIMENSION_OF_ZERO_D,),
        aten="unbind.int",
    ),
    view(
        name="list(torch.Tensor)",
        summary="A list of views, one for each row; writing one writes the tensor.",
        call=Call(names=("torch.Tensor.__iter__",)),
        examples=("list(x)",),
        result=Kind.TENSORS,
        rejects=(Rejection(given=Trait.ZERO_D, error="TypeError", text="iteration over a 0-d tensor"),),
    ),
    kept_copy(
        name="torch.unsafe_chunk",
        summary="The parts of chunk without view tracking: the memory is shared, and autograd is not told.",
        call=Call(
            names=("torch.unsafe_chunk", "torch.Tensor.unsafe_chunk", "torch.unsafe_split", "torch.Tensor.unsafe_split")
        ),
        examples=("torch.unsafe_chunk(x, 2)",),
        result=Kind.TENSORS,
        memory=Memory.DEPENDS,
        copies_if=(Trait.LAZY_BIT,),
        layout=Layout.DERIVED,
        rejects=(
            Rejection(given=Trait.ZERO_D, error="RuntimeError", text="chunk expects at least a 1-dimensional tensor"),
        ),
    ),
)
