"""``item()`` in an inner loop: on an accelerator, each one waits for all that was started."""

from __future__ import annotations

import ast

from ..flow.events import Call, on_call
from ..model import Level, Rule

RULE = Rule(
    code="TCY409",
    name="item-in-inner-loop",
    level=Level.NOTE,
    summary="item() in an inner loop waits for the device at every turn",
)


@on_call("torch.Tensor.item")
def waited_for(event: Call) -> None:
    """A tensor read as a number in the inner of two loops."""
    loops = [loop for loop in event.frame.loops if isinstance(loop, (ast.For, ast.AsyncFor, ast.While))]
    if len(loops) < 2 or event.receiver is None or "inferred" in event.receiver.traits:
        return
    event.report(
        RULE,
        event.node,
        "item() waits until the device has computed the number, at every turn of the inner loop; add up detached "
        "tensors and read them once behind it",
        related=((loops[-1], "in this loop"),),
    )
