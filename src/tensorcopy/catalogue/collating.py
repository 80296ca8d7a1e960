"""Batches: what torch.utils.data makes of samples."""

from __future__ import annotations

from ._refusals import FROM_ARRAY
from ._templates import array_to_tensor, kept_copy, view
from .model import (
    Call,
    Device,
    Dtype,
    Kind,
    Layout,
    Memory,
    Operation,
    Rejection,
    RequiresGrad,
    ReturnsSelf,
    Subclass,
    Trait,
    Wrong,
)

_COLLATE = ("torch.utils.data.default_collate", "torch.utils.data.dataloader.default_collate")
_CONVERT = ("torch.utils.data.default_convert",)

OPERATIONS = (
    kept_copy(
        name="torch.utils.data.default_collate(tensors)",
        summary="torch.stack: one new tensor, on the graph of each sample.",
        call=Call(names=_COLLATE, in_sequence=True),
        examples=("data.default_collate([x, x])",),
        layout=Layout.DENSE,
        rejects=(
            Rejection(
                code="data.default_collate([torch.ones(2), torch.ones(3)])",
                error="RuntimeError",
                text="stack expects each tensor to be equal size",
            ),
            Rejection(
                code="data.default_collate([None, None])",
                error="TypeError",
                text="default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists",
            ),
        ),
    ),
    array_to_tensor(
        name="torch.utils.data.default_collate(ndarrays)",
        summary="A tensor over each array, stacked into one new tensor.",
        call=Call(names=_COLLATE, in_sequence=True),
        examples=("data.default_collate([x, x])",),
        memory=Memory.COPIES,
        device=Device.DEFAULT,
        layout=Layout.CONTIGUOUS,
        rejects=(
            Rejection(given=Trait.OBJECT, error="TypeError", text="default_collate: batch must contain tensors"),
            *FROM_ARRAY,
        ),
    ),
    Operation(
        name="torch.utils.data.default_collate(numbers)",
        summary="One new tensor; Python floats become float64, where torch.tensor makes float32.",
        call=Call(names=_COLLATE, in_sequence=True),
        examples=("data.default_collate([x, x])",),
        source=Kind.SCALAR,
        memory=Memory.COPIES,
        requires_grad=RequiresGrad.NO,
        dtype=Dtype.INFERRED,
        device=Device.DEFAULT,
        layout=Layout.CONTIGUOUS,
        silently_wrong=(
            Wrong(
                code="data.default_collate([1.5, 2.5]).dtype",
                gives="torch.float64",
                wanted="torch.float32",
                why="Python floats are collated in double precision",
            ),
        ),
    ),
    view(
        name="torch.utils.data.default_convert(tensor)",
        summary="The tensor itself.",
        call=Call(names=_CONVERT),
        examples=("data.default_convert(x)",),
        layout=Layout.SAME,
        returns_self=ReturnsSelf.ALWAYS,
        subclass=Subclass.SAME,
    ),
    array_to_tensor(
        name="torch.utils.data.default_convert(ndarray)",
        summary="A tensor over the array's memory: a dataset's own array reaches the training loop.",
        call=Call(names=_CONVERT),
        examples=("data.default_convert(x)",),
        unless=(Trait.OBJECT, Trait.ARRAY_SUBCLASS),
        device=Device.DEFAULT,
        rejects=FROM_ARRAY,
        silently_wrong=(
            Wrong(
                code="type(data.default_convert(np.array([None]))) is torch.Tensor",
                gives="False",
                wanted="True",
                why="arrays of objects and of text, and subclasses of ndarray, come back as they are",
            ),
        ),
    ),
)
