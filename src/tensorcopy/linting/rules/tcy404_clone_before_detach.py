"""``x.clone().detach()``: the clone is recorded in the graph, and taken off it at once."""

from __future__ import annotations

from ..flow.events import Call, on_call
from ..model import Level, Rule
from ._chains import chained, swapped

RULE = Rule(
    code="TCY404",
    name="clone-before-detach",
    level=Level.NOTE,
    summary="clone().detach() records a node of the graph that detach().clone() does not",
)


@on_call("torch.Tensor.detach")
def detached(event: Call) -> None:
    """The values, the memory and the lack of a graph are the same in the other order."""
    inner = chained(event.node, "clone")
    if inner is not None:
        event.report(
            RULE,
            event.node,
            "clone() records a node of the graph, which detach() leaves behind at once; detach().clone() gives the "
            "same without it",
            fix=swapped(event.node, inner),
        )
