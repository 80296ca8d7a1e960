"""A tensor that belongs to somebody else is given another shape: not a view of it, the object itself."""

from __future__ import annotations

import ast

from ..flow.events import Reshaped, on
from ..flow.values import Region, Value
from ..model import Level, Rule
from ._reading import means_to_write
from ._witness import caller_that_reads, has_callers

RULE = Rule(
    code="TCY117",
    name="reshaped-in-place",
    level=Level.WARNING,
    summary="an in-place change of shape reaches everybody who holds the tensor",
)


@on("Reshaped")
def of_somebody_else(event: Reshaped) -> None:
    """``x.squeeze_(0)`` of an argument, or of what a loop over the object's own entries gives."""
    frame, value = event.frame, event.value
    if frame.function is None or means_to_write(frame) or any(step.name != "=" for step in value.steps()):
        return
    if frame.cls is None or frame.function.is_static:
        value = value.with_(regions=tuple(r for r in value.regions if not r.many))
    owner = next((r for r in value.regions if _is_held_elsewhere(r, value)), None)
    receiver = event.node.func.value if isinstance(event.node.func, ast.Attribute) else None
    if owner is None or not isinstance(receiver, ast.Name):
        return
    given = owner.origin == "parameter" and has_callers(frame) and caller_that_reads(frame, owner.name) is None
    whose = "the caller's tensor" if owner.origin == "parameter" else "the stored tensor"
    event.report(
        RULE,
        event.node,
        f"{event.name}() changes the shape of {receiver.id} itself, which is {whose}: it keeps the new shape, and the "
        f"next call starts from that; write {receiver.id} = {receiver.id}.{event.name.rstrip('_')}(...)",
        level=Level.NOTE if given else None,
    )


def _is_held_elsewhere(region: Region, value: Value) -> bool:
    """Whether the object is an argument, or an entry of an object that is a dict; elements of arguments may be new."""
    if region.origin == "parameter":
        return region.name != "self" and not region.many
    return region.many and region.kept == "entries" and "subclass" not in value.traits
