"""Making a tensor from another tensor: torch.tensor, as_tensor, asarray, new_tensor and the legacy constructors."""

from __future__ import annotations

from functools import partial

from ._refusals import INTEGER_GRADIENT
from ._templates import cut_copy, kept_copy, self_or_copy, view, where
from .model import (
    Call,
    Device,
    Dtype,
    Graph,
    Layout,
    Rejection,
    RequiresGrad,
    ReturnsSelf,
    Subclass,
    Trait,
    Value,
    Warns,
    Was,
    Wrong,
)

_COPY_CONSTRUCT = Warns(text="To copy construct from a tensor, it is recommended to use sourceTensor.")
_NOW_KEEPS = Warns(
    given=Trait.REQUIRES_GRAD,
    text="unspecified requires_grad now defaults to obj.requires_grad instead of False",
    once=True,
    since="torch 2.12",
)
_DROPPED = Was(
    before="torch 2.12",
    note="requires_grad was switched off where it was not asked for, also on the caller's own tensor",
    facts={"graph": Graph.CUTS, "requires_grad": RequiresGrad.NO, "warns": ()},
)
_TENSOR = ("torch.tensor",)
_AS_TENSOR = ("torch.as_tensor",)
_ASARRAY = ("torch.asarray",)
_itself = partial(
    view,
    device=Device.DEFAULT,
    layout=Layout.SAME,
    returns_self=ReturnsSelf.ALWAYS,
    subclass=Subclass.SAME,
)

OPERATIONS = (
    cut_copy(
        name="torch.tensor(tensor)",
        summary="A copy off the graph, with a warning that asks for detach().clone().",
        call=Call(names=_TENSOR),
        examples=("torch.tensor(x)",),
        device=Device.DEFAULT,
        subclass=Subclass.DROPS,
        rejects=(
            Rejection(
                code="torch.vmap(torch.tensor)(torch.ones(2))", error="RuntimeError", text="Can't detach views in-place"
            ),
        ),
        warns=(_COPY_CONSTRUCT,),
    ),
    cut_copy(
        name="torch.tensor(tensor, requires_grad=True)",
        summary="A new leaf with the values of the tensor.",
        call=Call(names=_TENSOR, when=where(requires_grad=Value.TRUE)),
        examples=("torch.tensor(x, requires_grad=True)",),
        requires_grad=RequiresGrad.YES,
        device=Device.DEFAULT,
        subclass=Subclass.DROPS,
        rejects=(INTEGER_GRADIENT,),
        warns=(_COPY_CONSTRUCT,),
    ),
    cut_copy(
        name="torch.Tensor.new_tensor(tensor)",
        summary="A copy off the graph, with a warning that asks for detach().clone().",
        call=Call(names=("torch.Tensor.new_tensor",), source=1),
        examples=("x.new_tensor(x)",),
        rejects=(
            Rejection(code="torch.vmap(lambda a: a.new_tensor(a))(torch.ones(2))", error="RuntimeError", text=""),
            Rejection(given=Trait.LAZY_BIT, error="RuntimeError", text="doesn't correspond to a device"),
        ),
        silently_wrong=(
            Wrong(
                code="torch.ones(1, dtype=torch.int64).new_tensor(torch.tensor([1.7])).item()",
                gives="1",
                wanted="1.7",
                why="the result takes the dtype of the receiver, not of the data",
            ),
        ),
        warns=(_COPY_CONSTRUCT,),
    ),
    _itself(
        name="torch.as_tensor(tensor)",
        summary="The tensor itself, graph and all.",
        call=Call(names=_AS_TENSOR),
        examples=("torch.as_tensor(x)", "torch.as_tensor(x, dtype=x.dtype)", "torch.as_tensor(x, device='cpu')"),
    ),
    self_or_copy(
        name="torch.as_tensor(tensor, dtype)",
        summary="The tensor itself if it has the dtype, else a converted copy on the graph.",
        call=Call(names=_AS_TENSOR, when=where(dtype=Value.GIVEN)),
        examples=("torch.as_tensor(x, dtype=torch.float64)",),
        copies_if=(Trait.OTHER_DTYPE,),
        dtype=Dtype.GIVEN,
        device=Device.DEFAULT,
        subclass=Subclass.SAME_OR_PLAIN,
    ),
    _itself(
        name="torch.asarray(tensor)",
        summary="The tensor itself, graph and all.",
        call=Call(names=_ASARRAY),
        examples=("torch.asarray(x)", "torch.asarray(x, copy=None)", "torch.asarray(x, copy=False)"),
        silently_wrong=(
            Wrong(
                code="a = torch.ones(1, requires_grad=True)\ntorch.asarray(a, requires_grad=False)\na.requires_grad",
                gives="False",
                wanted="True",
                why="the flag is switched off on the caller's own tensor, which is the result",
            ),
            Wrong(
                code="a = torch.ones(1); torch.asarray(a, requires_grad=True); a.requires_grad",
                gives="True",
                wanted="False",
                why="the flag is switched on on the caller's own tensor, which is the result",
            ),
        ),
        warns=(_NOW_KEEPS,),
        was=(
            Was(
                before="torch 2.12",
                note=_DROPPED.note,
                facts=dict(_DROPPED.facts) | {"returns_self": ReturnsSelf.SOMETIMES, "subclass": Subclass.WITH_MEMORY},
            ),
        ),
    ),
    kept_copy(
        name="torch.asarray(tensor, copy=True)",
        summary="A copy in a plain tensor, on the graph.",
        call=Call(names=_ASARRAY, when=where(copy=Value.TRUE)),
        examples=("torch.asarray(x, copy=True)",),
        device=Device.DEFAULT,
        subclass=Subclass.DROPS,
        warns=(_NOW_KEEPS,),
        was=(_DROPPED,),
    ),
    self_or_copy(
        name="torch.asarray(tensor, dtype)",
        summary="The tensor itself if it has the dtype, else a converted copy on the graph.",
        call=Call(names=_ASARRAY, when=where(dtype=Value.GIVEN)),
        examples=("torch.asarray(x, dtype=torch.float64)",),
        copies_if=(Trait.OTHER_DTYPE,),
        dtype=Dtype.GIVEN,
        device=Device.DEFAULT,
        subclass=Subclass.SAME_OR_PLAIN,
        rejects=(
            Rejection(
                code="torch.asarray(torch.tensor([1]), dtype=torch.float32, copy=False)",
                error="ValueError",
                text="can't alias tensor with dtype 'Long' into dtype 'Float'",
            ),
        ),
        warns=(_NOW_KEEPS,),
        was=(_DROPPED,),
    ),
)
