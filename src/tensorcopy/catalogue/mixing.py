"""Operators and NumPy functions on a tensor beside an array: which library computes, and which calls are refused."""

from __future__ import annotations

from functools import partial

from .model import (
    Call,
    Dtype,
    Kind,
    Layout,
    Memory,
    Operation,
    Rejection,
    RequiresGrad,
    Style,
    Subclass,
    Trait,
)

_mixed = partial(
    Operation,
    source=Kind.ARRAY,
    memory=Memory.COPIES,
    requires_grad=RequiresGrad.NO,
    dtype=Dtype.PROMOTED,
    layout=Layout.PRESERVED,
    subclass=Subclass.NOT_APPLICABLE,
)


def _refused(code: str, text: str) -> Rejection:
    """A call that ends in a TypeError."""
    return Rejection(code=code, error="TypeError", text=text)


OPERATIONS = (
    _mixed(
        name="torch.Tensor.__add__(ndarray)",
        summary="torch computes and gives a tensor; with the array on the left side it is refused.",
        call=Call(names=("torch.Tensor.__add__", "torch.Tensor.__mul__"), style=Style.OPERATOR, source=1),
        examples=("left + x", "left * x"),
        setup="left = torch.ones(tuple(x.shape)[::-1]).T",
        unless=(
            Trait.NO_TORCH_DTYPE,
            Trait.BIG_ENDIAN,
            Trait.NEGATIVE_STRIDE,
            Trait.UNSIGNED_WIDE,
            Trait.ARRAY_SUBCLASS,
        ),
        rejects=(
            _refused(
                "np.arange(3.0) * torch.arange(3.0)", "unsupported operand type(s) for *: 'numpy.ndarray' and 'Tensor'"
            ),
            _refused(
                "np.arange(3.0) @ torch.arange(3.0)", "unsupported operand type(s) for @: 'numpy.ndarray' and 'Tensor'"
            ),
            _refused(
                "np.arange(3.0) < torch.arange(3.0)", "not supported between instances of 'numpy.ndarray' and 'Tensor'"
            ),
            _refused(
                "np.arange(3.0) + torch.arange(3.0)", "Concatenation operation is not implemented for NumPy arrays"
            ),
        ),
    ),
)
