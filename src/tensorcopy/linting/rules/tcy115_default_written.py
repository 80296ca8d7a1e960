"""A tensor or an array that is a default is written in place: the next call starts from what is left."""

from __future__ import annotations

from ..flow.events import Write, on
from ..model import Level, Rule
from ._reading import written_name

RULE = Rule(
    code="TCY115",
    name="default-written",
    level=Level.ERROR,
    summary="a default is made once, with the function; what is written into it stays there for the next call",
)


@on("Write")
def written(event: Write) -> None:
    """``def add(x, total=torch.zeros(2)): total += x``."""
    region = next((r for r in event.value.regions if r.origin == "default"), None)
    if region is None or region.node is None or event.how == "call" or _is_replaced_on_a_branch(event):
        return
    name = written_name(event.node)
    event.report(
        RULE,
        event.node,
        f"{name or region.name} is the default of a parameter, made once for all calls, and is written in place: the "
        f"next call without this argument starts from what is left; make it in the function, with None as the default",
        related=((region.node, "made here, once"),),
    )


def _is_replaced_on_a_branch(event: Write) -> bool:
    """Whether the function makes a value of its own for some arguments, maybe just for those of the default."""
    return "on one branch" in event.value.traits and any(region.origin == "fresh" for region in event.value.regions)
