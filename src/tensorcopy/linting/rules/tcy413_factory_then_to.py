"""``torch.zeros(n).to(device)``: made on the CPU and moved, where it could be made on the device."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Call, on_call
from ..flow.places import replaced
from ..model import Fix, Level, Rule
from ._chains import chained

RULE = Rule(
    code="TCY413",
    name="factory-then-to",
    level=Level.NOTE,
    summary="a tensor is made on the CPU and moved, instead of being made on the device",
)
_MADE = ("zeros", "ones", "full", "empty", "eye", "arange", "linspace", "logspace")


@on_call("torch.Tensor.to", "torch.Tensor.cuda")
def moved(event: Call) -> None:
    """Random numbers are left alone: each device draws others."""
    inner = chained(event.node, *_MADE)
    if inner is None or any(k.arg in ("device", "out", None) for k in inner.keywords):
        return
    device = _device(event)
    if device is None or event.receiver is None or "made" not in event.receiver.traits:
        return
    arguments = [ast.unparse(a) for a in inner.args] + [ast.unparse(k) for k in inner.keywords] + [f"device={device}"]
    text = f"{ast.unparse(inner.func)}({', '.join(arguments)})"
    event.report(
        RULE,
        event.node,
        "the tensor is filled on the CPU and then transferred; with device= it is filled where it is needed",
        fix=lambda lines: Fix(title="make it on the device", edits=(replaced(event.node, text, lines),), safe=True),
    )


def _device(event: Call) -> str | None:
    """The device that is asked for, as text of the program; None if the argument may be a dtype or a tensor."""
    node = event.node
    if event.name.endswith("cuda"):
        return '"cuda"' if not node.args and not node.keywords else None
    if len(node.args) + len(node.keywords) != 1:
        return None
    if node.keywords:
        return ast.unparse(node.keywords[0].value) if node.keywords[0].arg == "device" else None
    value = event.args[0]
    return ast.unparse(node.args[0]) if value is not None and value.kind in (v.DEVICE, v.TEXT) else None
