"""Calls whose purpose is a new tensor with the values of another one."""

from __future__ import annotations

from dataclasses import replace

from ._refusals import COMPLEX_GRADIENT
from ._templates import both, chain, cut_copy, kept_copy, where
from .model import (
    Call,
    Device,
    Dtype,
    Layout,
    Memory,
    Rejection,
    RequiresGrad,
    ReturnsSelf,
    Style,
    Subclass,
    Trait,
    Value,
    Version,
    Wrong,
)

_CLONE, _DETACH, _COPY = "torch.Tensor.clone", "torch.Tensor.detach", "torch.Tensor.copy_"

OPERATIONS = (
    kept_copy(
        name="torch.Tensor.clone",
        summary="A copy of its own that stays on the graph.",
        call=both("clone"),
        examples=("x.clone()", "torch.clone(x)", "x.clone(memory_format=torch.preserve_format)"),
        silently_wrong=(
            Wrong(
                code="torch.arange(4.0).as_strided((2, 3), (1, 1)).clone().is_contiguous()",
                gives="False",
                wanted="True",
                why="the strides of a source that overlaps itself keep their order, so the copy is not row-major",
            ),
        ),
        aten="clone",
    ),
    kept_copy(
        name="torch.Tensor.clone(memory_format=torch.contiguous_format)",
        summary="A row-major copy that stays on the graph.",
        call=Call(names=("torch.Tensor.clone", "torch.clone"), when=where(memory_format=Value.GIVEN)),
        examples=("x.clone(memory_format=torch.contiguous_format)",),
        layout=Layout.CONTIGUOUS,
        aten="clone",
    ),
    kept_copy(
        name="torch.Tensor.clone(memory_format=torch.channels_last)",
        summary="A copy whose channels lie side by side; for four dimensions only.",
        call=Call(names=("torch.Tensor.clone", "torch.clone"), when=where(memory_format=Value.GIVEN)),
        examples=("x.clone(memory_format=torch.channels_last)",),
        layout=Layout.GIVEN,
        rejects=(Rejection(given=Trait.NOT_4D, error="RuntimeError", text="required rank 4 tensor"),),
        aten="clone",
    ),
    cut_copy(
        name="torch.Tensor.detach().clone()",
        summary="A copy of its own that is off the graph; the usual way to keep values only.",
        call=chain(_DETACH, _CLONE),
        examples=("x.detach().clone()",),
    ),
    cut_copy(
        name="torch.Tensor.clone().detach()",
        summary="A copy of its own that is off the graph; builds a graph node and drops it at once.",
        call=chain(_CLONE, _DETACH),
        examples=("x.clone().detach()",),
    ),
    cut_copy(
        name="torch.Tensor.detach().clone().requires_grad_()",
        summary="A new leaf with the same values and the same requires_grad.",
        call=chain(_DETACH, _CLONE, "torch.Tensor.requires_grad_"),
        examples=("x.detach().clone().requires_grad_(x.requires_grad)",),
        requires_grad=RequiresGrad.SAME,
    ),
    cut_copy(
        name="torch.no_grad: torch.Tensor.clone",
        summary="A copy that is off the graph because none is recorded.",
        call=chain("torch.no_grad", _CLONE),
        examples=("with torch.no_grad(): y = x.clone()\ny",),
    ),
    cut_copy(
        name="torch.inference_mode: torch.Tensor.clone",
        summary="A copy off the graph that can never be saved for a backward pass.",
        call=chain("torch.inference_mode", _CLONE),
        examples=("with torch.inference_mode(): y = x.clone()\ny",),
        rejects=(
            Rejection(
                code="with torch.inference_mode(): y = torch.ones(2).clone()\ny * torch.ones(2, requires_grad=True)",
                error="RuntimeError",
                text="Inference tensors cannot be saved for backward",
            ),
        ),
    ),
    kept_copy(
        name="torch.empty_like().copy_()",
        summary="A copy that keeps the graph, through CopyBackwards.",
        call=chain("torch.empty_like", _COPY),
        examples=("torch.empty_like(x).copy_(x)", "torch.zeros_like(x).copy_(x)"),
    ),
    kept_copy(
        name="torch.empty().copy_()",
        summary="A row-major copy in a plain tensor, on the graph.",
        call=chain("torch.empty", _COPY),
        examples=("torch.empty(x.shape, dtype=x.dtype).copy_(x)",),
        layout=Layout.CONTIGUOUS,
    ),
    kept_copy(
        name="torch.Tensor.new_empty().copy_()",
        summary="A row-major copy of the source's dtype and device, on the graph.",
        call=chain("torch.Tensor.new_empty", _COPY),
        examples=("x.new_empty(x.shape).copy_(x)",),
        layout=Layout.CONTIGUOUS,
    ),
    cut_copy(
        name="torch.no_grad: torch.empty_like().copy_()",
        summary="A copy off the graph because none is recorded.",
        call=chain("torch.no_grad", "torch.empty_like", _COPY),
        examples=("with torch.no_grad(): y = torch.empty_like(x).copy_(x)\ny",),
    ),
    kept_copy(
        name="torch.Tensor.to(copy=True)",
        summary="Always a copy, on the graph, converted in the same pass if a dtype or device is named.",
        call=Call(names=("torch.Tensor.to",), when=where(copy=Value.TRUE)),
        examples=("x.to(x.dtype, copy=True)", "x.to('cpu', copy=True)", "x.to(copy=True)"),
        aten="to.dtype",
    ),
    cut_copy(
        name="torch.tensor(x.tolist())",
        summary="A detour through Python numbers: a copy, orders of magnitude slower, in the default dtype.",
        call=chain("torch.Tensor.tolist", "torch.tensor"),
        examples=("torch.tensor(x.tolist())",),
        dtype=Dtype.INFERRED,
        device=Device.DEFAULT,
        layout=Layout.CONTIGUOUS,
        subclass=Subclass.DROPS,
        silently_wrong=(
            Wrong(
                code="torch.tensor(torch.tensor([0.1], dtype=torch.float64).tolist()).dtype",
                gives="torch.float32",
                wanted="torch.float64",
                why="Python floats become the default dtype",
            ),
            Wrong(
                code="tuple(torch.tensor(torch.empty(0, 3).tolist()).shape)",
                gives="(0,)",
                wanted="(0, 3)",
                why="an empty list does not say how long its rows would be",
            ),
        ),
    ),
    cut_copy(
        name="torch.from_numpy(x.numpy().copy())",
        summary="A copy by way of NumPy; the graph must be cut before.",
        call=chain("torch.Tensor.numpy", "numpy.ndarray.copy", "torch.from_numpy"),
        examples=("torch.from_numpy(x.detach().numpy().copy())",),
        layout=Layout.CONTIGUOUS,
        subclass=Subclass.DROPS,
        rejects=(
            Rejection(given=Trait.CONJ_BIT, error="RuntimeError", text="conjugate bit set"),
            Rejection(given=Trait.NEG_BIT, error="RuntimeError", text="negative bit set"),
            Rejection(given=Trait.NO_NUMPY_DTYPE, error="TypeError", text="Got unsupported ScalarType BFloat16"),
        ),
    ),
    kept_copy(
        name="torch.Tensor.__add__(0)",
        summary="A copy by arithmetic, in the promoted dtype.",
        call=Call(names=("torch.Tensor.__add__",), style=Style.OPERATOR),
        examples=("x + 0",),
        dtype=Dtype.PROMOTED,
    ),
    kept_copy(
        name="torch.Tensor.__mul__(1)",
        summary="A copy by arithmetic, in the promoted dtype.",
        call=Call(names=("torch.Tensor.__mul__",), style=Style.OPERATOR),
        examples=("x * 1",),
        dtype=Dtype.PROMOTED,
    ),
    kept_copy(
        name="torch.Tensor.__pos__",
        summary="No copy at all: the very same object.",
        call=Call(names=("torch.Tensor.__pos__", "torch.positive", "torch.Tensor.positive"), style=Style.OPERATOR),
        examples=("+x", "torch.positive(x)"),
        memory=Memory.SHARES,
        layout=Layout.SAME,
        version=Version.SHARED,
        returns_self=ReturnsSelf.ALWAYS,
        subclass=Subclass.SAME,
        rejects=(Rejection(given=Trait.BOOL, error="RuntimeError", text="on a bool tensor is not supported"),),
        aten="positive",
    ),
    kept_copy(
        name="torch.ops.aten.lift_fresh_copy",
        summary="A row-major copy, as captured graphs use it for constants.",
        call=Call(names=("torch.ops.aten.lift_fresh_copy",)),
        examples=("torch.ops.aten.lift_fresh_copy(x)",),
        layout=Layout.CONTIGUOUS,
        rejects=(COMPLEX_GRADIENT,),
        aten="lift_fresh_copy",
    ),
    kept_copy(
        name="torch.view_copy",
        summary="What view does, always as a row-major copy.",
        call=Call(names=("torch.view_copy",)),
        examples=("torch.view_copy(x, x.shape)",),
        layout=Layout.CONTIGUOUS,
        rejects=(replace(COMPLEX_GRADIENT, until="torch 2.13"),),
        aten="view_copy",
    ),
)
