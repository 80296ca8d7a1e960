"""A clone of an expanded tensor that is only read: every repeated element is written out."""

from __future__ import annotations

import ast

from ..flow.events import Call, on_call
from ..model import Level, Rule
from ._uses import is_only_read

RULE = Rule(
    code="TCY407",
    name="clone-of-expanded",
    level=Level.WARNING,
    summary="an expanded tensor is cloned, which writes out its repeated elements, and the clone is only read",
)


@on_call("torch.Tensor.clone")
def cloned(event: Call) -> None:
    """``cached = bias.clone()`` where ``bias`` was expanded."""
    receiver = event.receiver
    func = event.node.func
    if receiver is None or "expanded" not in receiver.traits or "on one branch" in receiver.traits:
        return
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, (ast.Name, ast.Attribute)) or event.node.args:
        return
    parent = event.frame.unit.parents.get(event.node)
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, (ast.Add, ast.Sub)):
        return  # a copy that is for nothing whatever it is of
    if not is_only_read(event.frame, event.node):
        return
    expansion = next((s.node for s in receiver.steps() if isinstance(s.node, ast.Call)), None)
    event.report(
        RULE,
        event.node,
        "the tensor is expanded: its repeated elements take no memory. clone() writes each of them out; clone before "
        "expanding, or leave the clone out, since it is only read",
        related=((expansion, "expanded here"),) if expansion is not None else (),
    )
