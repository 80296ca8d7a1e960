"""Tensor calls about complex numbers: views of their parts, and the lazy bits that stand for conjugation or sign."""

from __future__ import annotations

from ._templates import both, self_or_copy, view
from .model import Call, Dtype, Layout, Rejection, ReturnsSelf, Style, Subclass, Trait

_NOT_REAL = Rejection(given=Trait.NOT_COMPLEX, error="RuntimeError", text="only supported for complex tensors")

OPERATIONS = (
    view(
        name="torch.Tensor.real",
        summary="A view of the real parts; a real tensor comes back itself.",
        call=Call(names=("torch.Tensor.real", "torch.real"), style=Style.ATTRIBUTE),
        examples=("x.real", "torch.real(x)"),
        dtype=Dtype.REAL,
        returns_self=ReturnsSelf.SOMETIMES,
        subclass=Subclass.WITH_MEMORY,
        aten="real",
    ),
    view(
        name="torch.Tensor.imag",
        summary="A view of the imaginary parts; with the negative bit if the source has the conjugate bit.",
        call=Call(names=("torch.Tensor.imag", "torch.imag"), style=Style.ATTRIBUTE),
        examples=("x.imag",),
        dtype=Dtype.REAL,
        rejects=(
            Rejection(
                given=Trait.NOT_COMPLEX,
                error="RuntimeError",
                text="imag is not implemented for tensors with non-complex",
            ),
        ),
        aten="imag",
    ),
    view(
        name="torch.view_as_real",
        summary="A view with one more dimension for real and imaginary part.",
        call=Call(names=("torch.view_as_real",)),
        examples=("torch.view_as_real(x)",),
        dtype=Dtype.REAL,
        rejects=(
            Rejection(
                given=Trait.NOT_COMPLEX, error="RuntimeError", text="view_as_real is only supported for complex tensors"
            ),
            Rejection(given=Trait.CONJ_BIT, error="RuntimeError", text="doesn't work on unresolved conjugated tensors"),
        ),
        aten="view_as_real",
    ),
    view(
        name="torch.view_as_complex",
        summary="A view of pairs in the last dimension as complex numbers.",
        call=Call(names=("torch.view_as_complex",)),
        examples=("torch.view_as_complex(x)",),
        setup="x = torch.stack((x, x), -1)[..., :] if x.is_floating_point() else x",
        dtype=Dtype.COMPLEX,
        rejects=(
            Rejection(given=Trait.NOT_FLOATING, error="RuntimeError", text="view_as_complex is only supported for"),
            Rejection(given=Trait.BFLOAT16, error="RuntimeError", text="view_as_complex is only supported for"),
            Rejection(given=Trait.COMPLEX, error="RuntimeError", text="view_as_complex is only supported for"),
            Rejection(
                code="torch.view_as_complex(torch.ones(2, 3))",
                error="RuntimeError",
                text="must have a last dimension of size 2",
            ),
        ),
        aten="view_as_complex",
    ),
    view(
        name="torch.Tensor.conj",
        summary="A view with the conjugate bit set; a real tensor comes back itself.",
        call=both("conj"),
        examples=("x.conj()",),
        layout=Layout.SAME,
        returns_self=ReturnsSelf.SOMETIMES,
        subclass=Subclass.WITH_MEMORY,
        aten="conj",
    ),
    self_or_copy(
        name="torch.Tensor.conj_physical",
        summary="The conjugate written out as a copy; a real tensor comes back itself.",
        call=both("conj_physical"),
        examples=("x.conj_physical()",),
        copies_if=(Trait.COMPLEX,),
    ),
    self_or_copy(
        name="torch.Tensor.resolve_conj",
        summary="The tensor itself, or a copy with the conjugation carried out.",
        call=both("resolve_conj"),
        examples=("x.resolve_conj()",),
        copies_if=(Trait.CONJ_BIT,),
        aten="resolve_conj",
    ),
    self_or_copy(
        name="torch.Tensor.resolve_neg",
        summary="The tensor itself, or a copy with the negation carried out.",
        call=both("resolve_neg"),
        examples=("x.resolve_neg()",),
        copies_if=(Trait.NEG_BIT,),
        aten="resolve_neg",
    ),
    view(
        name="torch._neg_view",
        summary="A view with the negative bit set.",
        call=Call(names=("torch._neg_view",)),
        examples=("torch._neg_view(x)",),
        layout=Layout.SAME,
        aten="_neg_view",
    ),
)
