"""``x.cpu().detach()``: the transfer is recorded in the graph, and taken off it at once."""

from __future__ import annotations

from ..flow.events import Call, on_call
from ..model import Level, Rule
from ._chains import chained, swapped

RULE = Rule(
    code="TCY412",
    name="cpu-before-detach",
    level=Level.NOTE,
    summary="cpu().detach() records a node of the graph that detach().cpu() does not",
)


@on_call("torch.Tensor.detach")
def detached(event: Call) -> None:
    """The values, the device and the lack of a graph are the same in the other order."""
    inner = chained(event.node, "cpu")
    if inner is not None:
        event.report(
            RULE,
            event.node,
            "cpu() records a node of the graph, which detach() leaves behind at once; detach().cpu() gives the same "
            "without it",
            fix=swapped(event.node, inner),
        )
