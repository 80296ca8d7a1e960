"""New tensors that take shape, dtype and device from another one, and none of its values."""

from __future__ import annotations

from functools import partial

from ._refusals import INTEGER_GRADIENT
from ._templates import array_copy, cut_copy, method, where
from .model import Call, Layout, RequiresGrad, Subclass, Value, Wrong

_like = partial(cut_copy, takes_values=False)
_new = partial(cut_copy, takes_values=False, layout=Layout.CONTIGUOUS)

OPERATIONS = (
    _like(
        name="torch.empty_like",
        summary="An uninitialised tensor like the source, off the graph.",
        call=Call(names=("torch.empty_like",)),
        examples=("torch.empty_like(x)",),
        aten="empty_like",
    ),
    _like(
        name="torch.zeros_like",
        summary="A tensor of zeros like the source, off the graph.",
        call=Call(names=("torch.zeros_like", "torch.ones_like", "torch.full_like")),
        examples=("torch.zeros_like(x)", "torch.ones_like(x)", "torch.full_like(x, 1)"),
        aten="zeros_like",
    ),
    _like(
        name="torch.zeros_like(requires_grad=True)",
        summary="A leaf of zeros that requires grad.",
        call=Call(
            names=("torch.zeros_like", "torch.ones_like", "torch.empty_like", "torch.full_like"),
            when=where(requires_grad=Value.TRUE),
        ),
        examples=("torch.zeros_like(x, requires_grad=True)",),
        requires_grad=RequiresGrad.YES,
        rejects=(INTEGER_GRADIENT,),
    ),
    _like(
        name="torch.zeros_like(memory_format=torch.contiguous_format)",
        summary="A row-major tensor of zeros.",
        call=Call(
            names=("torch.zeros_like", "torch.ones_like", "torch.empty_like"), when=where(memory_format=Value.GIVEN)
        ),
        examples=("torch.zeros_like(x, memory_format=torch.contiguous_format)",),
        layout=Layout.CONTIGUOUS,
    ),
    _new(
        name="torch.Tensor.new_zeros",
        summary="A row-major tensor in the source's dtype and device.",
        call=Call(names=tuple(f"torch.Tensor.new_{n}" for n in ("zeros", "ones", "empty"))),
        examples=("x.new_zeros(x.shape)", "x.new_ones(x.shape)", "x.new_empty(x.shape)"),
        aten="new_zeros",
    ),
    _new(
        name="torch.Tensor.new_full",
        summary="A row-major tensor of one value in the source's dtype and device.",
        call=method("new_full"),
        examples=("x.new_full((2,), 1)",),
        silently_wrong=(
            Wrong(
                code="torch.ones(1, dtype=torch.int64).new_full((1,), 1.7).item()",
                gives="1",
                wanted="1.7",
                why="the value is converted to the source's dtype",
            ),
        ),
        aten="new_full",
    ),
    _like(
        name="torch.Tensor.new_empty_strided",
        summary="An uninitialised tensor with the strides given.",
        call=Call(names=("torch.Tensor.new_empty_strided", "torch.empty_strided")),
        examples=(
            "x.new_empty_strided(x.shape, x.stride())",
            "torch.empty_strided(x.shape, x.stride(), dtype=x.dtype)",
        ),
        layout=Layout.SAME,
        subclass=Subclass.NOT_APPLICABLE,
        aten="new_empty_strided",
    ),
    array_copy(
        name="numpy.empty_like",
        summary="A new array like the source, without its values.",
        call=Call(names=("numpy.empty_like", "numpy.zeros_like", "numpy.ones_like", "numpy.full_like")),
        examples=("np.empty_like(x)", "np.zeros_like(x)"),
        takes_values=False,
    ),
    array_copy(
        name="numpy.empty_like(subok=False)",
        summary="A new plain ndarray like the source, without its values.",
        call=Call(names=("numpy.empty_like", "numpy.zeros_like"), when=where(subok=Value.FALSE)),
        examples=("np.empty_like(x, subok=False)",),
        subclass=Subclass.DROPS,
        takes_values=False,
    ),
)
