"""Modules and their state: which calls hand out the live parameters, which copy, and which move them."""

from __future__ import annotations

from functools import partial

from ._templates import into_tensor, view, where
from .model import (
    Call,
    Crash,
    Dtype,
    Graph,
    Kind,
    Layout,
    Memory,
    Operation,
    Rejection,
    RequiresGrad,
    ReturnsSelf,
    Subclass,
    Value,
    Version,
    Wrong,
)

_of_module = partial(
    Operation,
    source=Kind.MODULE,
    memory=Memory.SHARES,
    graph=Graph.KEEPS,
    requires_grad=RequiresGrad.YES,
    dtype=Dtype.SAME,
    layout=Layout.SAME,
)
_STATE_DICT = ("torch.nn.Module.state_dict",)
_LOAD = ("torch.nn.Module.load_state_dict",)
_PLAIN_PARAMETER = (
    "m = nn.Module(); m.w = nn.Parameter(torch.zeros(x.shape, dtype=torch.complex128), requires_grad=False); dst = m.w"
)
_BUFFER = "m = nn.Module(); m.register_buffer('w', torch.zeros(x.shape, dtype=torch.complex128)); dst = m.w"


def _follows_training(snapshot: str) -> Wrong:
    """A snapshot of the best weights that keeps changing."""
    return Wrong(
        code=f"m = nn.Linear(1, 1, bias=False); nn.init.ones_(m.weight)\nbest = {snapshot}\n"
        "nn.init.zeros_(m.weight); best['weight'].item()",
        gives="0.0",
        wanted="1.0",
        why="the dict holds the live weights; copy.deepcopy or a clone of each isolates it",
    )


OPERATIONS = (
    _of_module(
        name="torch.nn.Module.state_dict",
        summary="A new dict over the live parameters, each detached: training goes on inside it.",
        call=Call(names=_STATE_DICT),
        examples=("x.state_dict()", "dict(x.state_dict())", "copy.copy(x.state_dict())"),
        result=Kind.MAPPING,
        graph=Graph.CUTS,
        requires_grad=RequiresGrad.NO,
        silently_wrong=(
            _follows_training("m.state_dict()"),
            _follows_training("dict(m.state_dict())"),
            _follows_training("copy.copy(m.state_dict())"),
        ),
    ),
    _of_module(
        name="torch.nn.Module.state_dict(keep_vars=True)",
        summary="A new dict with the parameters themselves.",
        call=Call(names=_STATE_DICT, when=where(keep_vars=Value.TRUE)),
        examples=("x.state_dict(keep_vars=True)",),
        result=Kind.MAPPING,
    ),
    _of_module(
        name="copy.deepcopy(state_dict)",
        summary="A dict of copies: a snapshot that training does not change.",
        call=Call(names=("copy.deepcopy",)),
        examples=("copy.deepcopy(x.state_dict())", "{k: v.clone() for k, v in x.state_dict().items()}"),
        result=Kind.MAPPING,
        memory=Memory.COPIES,
        graph=Graph.CUTS,
        requires_grad=RequiresGrad.NO,
    ),
    _of_module(
        name="copy.deepcopy(module)",
        summary="A module of its own, with new leaves; hooks on tensors are lost, .grad is copied.",
        call=Call(names=("copy.deepcopy",)),
        examples=("copy.deepcopy(x)",),
        result=Kind.MODULE,
        memory=Memory.COPIES,
        graph=Graph.CUTS,
    ),
    _of_module(
        name="copy.copy(module)",
        summary="A second module object over the same parameters.",
        call=Call(names=("copy.copy",)),
        examples=("copy.copy(x)",),
        result=Kind.MODULE,
    ),
    _of_module(
        name="torch.nn.Module.parameters",
        summary="The live parameters.",
        call=Call(names=("torch.nn.Module.parameters", "torch.nn.Module.named_parameters", "torch.nn.Module.buffers")),
        examples=("list(x.parameters())",),
        result=Kind.TENSORS,
    ),
    into_tensor(
        name="torch.nn.Module.load_state_dict, into a parameter",
        summary="Copies the values into the module's own memory, without recording them on the graph.",
        call=Call(names=_LOAD, source=1, writes_to=(0,)),
        examples=("m.load_state_dict({'w': x})",),
        setup=_PLAIN_PARAMETER,
        probe="m.w",
        result=Kind.OTHER,
        graph=Graph.CUTS,
        requires_grad=RequiresGrad.NO,
        subclass=Subclass.PARAMETER,
        rejects=(
            Rejection(
                code="nn.Linear(1, 1, bias=False).load_state_dict({'weight': torch.ones(2, 2)})",
                error="RuntimeError",
                text="size mismatch for weight",
            ),
            Rejection(
                code="nn.Linear(1, 1, bias=False).load_state_dict({})",
                error="RuntimeError",
                text="Missing key(s) in state_dict",
            ),
        ),
        silently_wrong=(
            Wrong(
                code="m = nn.Module(); m.register_buffer('n', torch.zeros(1, dtype=torch.int64))\n"
                "m.load_state_dict({'n': torch.tensor([1.7])}); m.n.item()",
                gives="1",
                wanted="1.7",
                why="the values are converted to the module's dtype, whatever is lost",
            ),
        ),
    ),
    into_tensor(
        name="torch.nn.Module.load_state_dict, into a buffer",
        summary="Copies the values into the module's own memory, without recording them on the graph.",
        call=Call(names=_LOAD, source=1, writes_to=(0,)),
        examples=("m.load_state_dict({'w': x})",),
        setup=_BUFFER,
        probe="m.w",
        result=Kind.OTHER,
        graph=Graph.CUTS,
        requires_grad=RequiresGrad.NO,
    ),
    view(
        name="torch.nn.Module.load_state_dict(assign=True)",
        summary="Makes the tensors of the dict the module's own: later changes to them are changes of the module.",
        call=Call(names=_LOAD, when=where(assign=Value.TRUE), source=1),
        examples=("m.load_state_dict({'w': x}, assign=True)",),
        setup=_BUFFER,
        probe="m.w",
        result=Kind.OTHER,
        layout=Layout.SAME,
        returns_self=ReturnsSelf.ALWAYS,
        subclass=Subclass.SAME,
        changes_object=True,
    ),
    _of_module(
        name="torch.nn.Module.to(dtype)",
        summary="The module itself; parameters of another dtype move to new memory, away from their aliases.",
        call=Call(
            names=(
                "torch.nn.Module.to",
                "torch.nn.Module.float",
                "torch.nn.Module.double",
                "torch.nn.Module.half",
                "torch.nn.Module.bfloat16",
            )
        ),
        examples=("x.to(torch.float64)", "x.to(dtype=torch.float64)"),
        setup="old = x.weight.detach()",
        probe="[y.weight]",
        result=Kind.MODULE,
        dtype=Dtype.GIVEN,
        changes_object=True,
        silently_wrong=(
            Wrong(
                code="m = nn.Linear(1, 1, bias=False); a = m.weight.detach().numpy(); m.double()\n"
                "nn.init.constant_(m.weight, 5.0); a.item() == 5.0",
                gives="False",
                wanted="True",
                why="the parameter object stays, the memory behind it is new",
            ),
        ),
    ),
    _of_module(
        name="torch.nn.Module.share_memory",
        summary="The module itself, its parameters moved into shared memory; arrays over them are left behind.",
        call=Call(names=("torch.nn.Module.share_memory",)),
        examples=("x.share_memory()",),
        probe="[y.weight]",
        result=Kind.MODULE,
        changes_object=True,
        crashes=(
            Crash(
                code="m = nn.Linear(64, 64); a = m.weight.detach().numpy(); m.share_memory()\n"
                "nn.init.constant_(m.weight, 7.0)\n"
                "assert (a == 7.0).all(), 'the array was left behind in freed memory'",
                ends=("AssertionError", "SIGSEGV", "SIGBUS", "SIGABRT"),
                why="an array made before looks at memory that was given back",
            ),
        ),
    ),
    view(
        name="torch.nn.utils.vector_to_parameters",
        summary="Lays each parameter over a part of the vector, through .data: they share it from then on.",
        call=Call(names=("torch.nn.utils.vector_to_parameters",)),
        examples=("nn.utils.vector_to_parameters(x, [dst])\ndst",),
        setup="x = x.reshape(-1); dst = nn.Parameter(torch.zeros(x.numel(), dtype=x.dtype), requires_grad=False)",
        graph=Graph.CUTS,
        requires_grad=RequiresGrad.NO,
        layout=Layout.SAME,
        version=Version.SEPARATE,
        subclass=Subclass.PARAMETER,
        changes_object=True,
    ),
)
