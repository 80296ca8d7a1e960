"""Calls that put several tensors, or one tensor several times, into one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from ._refusals import COMPLEX_GRADIENT
from ._templates import kept_copy, method
from .model import Call, Dtype, Layout, Memory, Rejection, ReturnsSelf, Subclass, Trait, Version

_join = partial(kept_copy, layout=Layout.DENSE)
_repeat = partial(kept_copy, layout=Layout.CONTIGUOUS)


def _joining(*names: str) -> Call:
    return Call(names=tuple(f"torch.{n}" for n in names), in_sequence=True)


OPERATIONS = (
    _join(
        name="torch.cat",
        summary="One new tensor with all of them one after the other, on the graph of each.",
        call=_joining("cat", "concat", "concatenate"),
        examples=("torch.cat((x, x))", "torch.cat((x,))", "torch.concat([x, x])"),
        rejects=(
            Rejection(
                given=Trait.ZERO_D,
                error="RuntimeError",
                text="zero-dimensional tensor (at position 0) cannot be concatenated",
            ),
        ),
        aten="cat",
    ),
    _join(
        name="torch.stack",
        summary="One new tensor with a new dimension, on the graph of each.",
        call=_joining("stack"),
        examples=("torch.stack((x, x))", "torch.stack((x,))"),
        rejects=(
            Rejection(
                code="torch.stack([torch.ones(2), torch.ones(3)])",
                error="RuntimeError",
                text="stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1",
            ),
        ),
        aten="stack",
    ),
    _join(
        name="torch.hstack",
        summary="cat along the second dimension (the first of vectors).",
        call=_joining("hstack", "column_stack"),
        examples=("torch.hstack((x, x))",),
        aten="hstack",
    ),
    _join(
        name="torch.vstack",
        summary="cat along the first dimension, after making each at least two-dimensional.",
        call=_joining("vstack", "row_stack", "dstack"),
        examples=("torch.vstack((x, x))",),
        aten="vstack",
    ),
    _repeat(
        name="torch.Tensor.repeat",
        summary="A row-major tensor with the source several times over: new memory for every repetition.",
        call=method("repeat"),
        examples=("x.repeat(2, *[1] * x.dim())", "x.repeat([1] * x.dim())"),
        aten="repeat",
    ),
    _repeat(
        name="torch.tile",
        summary="repeat under NumPy's name, with dimensions filled in on the left.",
        call=Call(names=("torch.tile", "torch.Tensor.tile")),
        examples=("x.tile((2, 1))", "x.tile((1,))"),
        aten="tile",
    ),
    _repeat(
        name="torch.repeat_interleave",
        summary="A row-major tensor with each row several times in a row.",
        call=Call(names=("torch.repeat_interleave", "torch.Tensor.repeat_interleave")),
        examples=("torch.repeat_interleave(x, 2, dim=0)",),
        rejects=(Rejection(given=Trait.ZERO_D, error="IndexError", text="Dimension out of range"),),
        aten="repeat_interleave.self_int",
    ),
    _repeat(
        name="torch.ops.aten.expand_copy",
        summary="What expand does, with memory for every repetition.",
        call=Call(names=("torch.ops.aten.expand_copy", "torch.expand_copy")),
        examples=("torch.ops.aten.expand_copy(x, [2, *x.shape])",),
        rejects=(replace(COMPLEX_GRADIENT, until="torch 2.13"),),
        aten="expand_copy",
    ),
    _join(
        name="torch.nn.functional.pad",
        summary="A larger copy with a border; with no border at all still a copy.",
        call=Call(names=("torch.nn.functional.pad",)),
        examples=("nn.functional.pad(x, (0, 0))", "nn.functional.pad(x, (1, 1))"),
        rejects=(
            Rejection(
                given=Trait.ZERO_D,
                error="RuntimeError",
                text="Padding length should be less than or equal to two times the input dimension",
            ),
        ),
    ),
    _join(
        name="torch.nn.utils.parameters_to_vector",
        summary="One new vector with all of them one after the other, on the graph of each.",
        call=Call(names=("torch.nn.utils.parameters_to_vector",), in_sequence=True),
        examples=("nn.utils.parameters_to_vector([x])",),
        layout=Layout.CONTIGUOUS,
        rejects=(
            Rejection(given=Trait.NOT_FLAT, error="RuntimeError", text="view size is not compatible with input tensor"),
        ),
    ),
    kept_copy(
        name="torch.nn.functional.dropout(training=False)",
        summary="The tensor itself while not training, or with probability 0: a later write is seen by both.",
        call=Call(names=("torch.nn.functional.dropout",)),
        examples=(
            "nn.functional.dropout(x, 0.5, training=False)",
            "nn.functional.dropout(x, 0.5, False)",
            "nn.Identity()(x)",
        ),
        memory=Memory.SHARES,
        layout=Layout.SAME,
        version=Version.SHARED,
        returns_self=ReturnsSelf.ALWAYS,
        subclass=Subclass.SAME,
    ),
    kept_copy(
        name="torch.clamp",
        summary="A copy with the values limited.",
        call=Call(names=("torch.clamp", "torch.Tensor.clamp", "torch.clip", "torch.Tensor.clip")),
        examples=("x.clamp(max=100)",),
        dtype=Dtype.PROMOTED,
        rejects=(
            Rejection(given=Trait.COMPLEX, error="RuntimeError", text="clamp is not supported for complex types"),
        ),
    ),
    kept_copy(
        name="torch.nan_to_num",
        summary="A copy with NaN and infinities replaced; a copy also where there are none.",
        call=Call(names=("torch.nan_to_num", "torch.Tensor.nan_to_num")),
        examples=("x.nan_to_num()",),
        rejects=(COMPLEX_GRADIENT,),
    ),
    kept_copy(
        name="torch.triu",
        summary="A copy with the elements below the diagonal set to zero.",
        call=Call(names=("torch.triu", "torch.Tensor.triu", "torch.tril", "torch.Tensor.tril")),
        examples=("torch.triu(x)",),
        layout=Layout.CONTIGUOUS,
        rejects=(
            Rejection(
                given=Trait.LESS_THAN_2D, error="RuntimeError", text="input tensor must have at least 2 dimensions"
            ),
        ),
    ),
)
