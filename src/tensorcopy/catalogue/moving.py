"""Tensor calls that move to another device or into memory that other processes see."""

from __future__ import annotations

from functools import partial

from ._templates import kept_copy, method, view, where
from .model import (
    Call,
    Crash,
    Device,
    Layout,
    ReturnsSelf,
    Subclass,
    Value,
)

_itself = partial(
    view,
    device=Device.GIVEN,
    layout=Layout.SAME,
    returns_self=ReturnsSelf.ALWAYS,
    subclass=Subclass.SAME,
)
_NO_CUDA = "Torch not compiled with CUDA enabled"

OPERATIONS = (
    _itself(
        name="torch.Tensor.to(device), same device",
        summary="The tensor itself if it lies on that device already: no copy, so a later write is seen by both.",
        call=Call(names=("torch.Tensor.to",), when=where(device=Value.DEVICE)),
        examples=("x.to('cpu')", "x.to(device='cpu')", "x.to(x.device)"),
        aten="to.dtype_layout",
    ),
    _itself(
        name="torch.Tensor.cpu, on the CPU",
        summary="The tensor itself if it lies on the CPU already.",
        call=method("cpu"),
        examples=("x.cpu()",),
        aten="cpu",
    ),
    kept_copy(
        name="torch.Tensor.to(device), another device",
        summary="A copy on that device, on the graph; the meta device keeps shape, dtype and strides only.",
        call=Call(names=("torch.Tensor.to", "torch.Tensor.cuda"), when=where(device=Value.DEVICE)),
        examples=("x.to('meta')",),
        device=Device.GIVEN,
        aten="to.dtype_layout",
        note="Shown with the meta device, which every machine has; its values are not there to be read.",
    ),
    view(
        name="torch.Tensor.share_memory_",
        summary="Moves the storage into shared memory, in place; every tensor over it follows, no array does.",
        call=method("share_memory_"),
        examples=("x.share_memory_()",),
        layout=Layout.SAME,
        returns_self=ReturnsSelf.ALWAYS,
        subclass=Subclass.SAME,
        changes_object=True,
        crashes=(
            Crash(
                code="t = torch.full((4096,), 1.5); a = t.numpy()\nt.share_memory_(); t.fill_(7.0)\n"
                "assert (a == 7.0).all(), 'the array was left behind in freed memory'",
                ends=("AssertionError", "SIGSEGV", "SIGBUS", "SIGABRT"),
                why="an array made before looks at memory that was given back",
            ),
        ),
    ),
)
