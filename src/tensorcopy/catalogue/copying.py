"""Calls whose purpose is a new tensor with the values of another one."""

from __future__ import annotations

from .model import Call, Graph, Layout, Memory, Operation, RequiresGrad, Subclass, Version

OPERATIONS = (
    Operation(
        name="torch.Tensor.clone",
        summary="A copy of its own that stays on the graph.",
        call=Call(names=("torch.Tensor.clone", "torch.clone")),
        examples=("x.clone()", "torch.clone(x)", "x.clone(memory_format=torch.preserve_format)"),
        memory=Memory.COPIES,
        graph=Graph.KEEPS,
        requires_grad=RequiresGrad.SAME,
        layout=Layout.PRESERVED,
        version=Version.SEPARATE,
        subclass=Subclass.KEEPS,
        aten="clone",
    ),
)
