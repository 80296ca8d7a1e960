"""``x.clone().cpu()``: the transfer to another device makes new memory by itself."""

from __future__ import annotations

import ast

from ..flow.events import Call, on_call
from ..flow.places import replaced
from ..model import Fix, Level, Rule
from ._chains import chained

RULE = Rule(
    code="TCY410",
    name="clone-before-transfer",
    level=Level.NOTE,
    summary="a tensor is cloned before it is moved, though a move makes new memory by itself",
)


@on_call("torch.Tensor.cpu", "torch.Tensor.cuda", "?.cpu", "?.cuda")
def moved(event: Call) -> None:
    """On the same device the move gives back the tensor itself, so that one of the two copies is needed."""
    inner = chained(event.node, "clone")
    if inner is None or inner.args or inner.keywords or event.node.args or event.node.keywords:
        return
    assert isinstance(event.node.func, ast.Attribute)
    assert isinstance(inner.func, ast.Attribute)
    device = event.node.func.attr
    text = f"{ast.unparse(inner.func.value)}.to({device!r}, copy=True)".replace("'", '"')
    event.report(
        RULE,
        event.node,
        f"clone() copies on the old device, and {device}() once more to the new one; to(..., copy=True) copies "
        "once, whichever device the tensor is on",
        fix=lambda lines: Fix(title="copy once", edits=(replaced(event.node, text, lines),), safe=True),
    )
