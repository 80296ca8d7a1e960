"""A write that autograd does not see, under a value that backward needs."""

from __future__ import annotations

from ..flow import values as v
from ..flow.events import BackPropagated, Returned, on
from ..flow.frame import Frame
from ..model import Level, Rule
from ._recorded import level_recorded
from ._saving import spoiled_in

RULE = Rule(
    code="TCY208",
    name="write-under-saved-value",
    level=Level.ERROR,
    summary="a write through .data or NumPy changes what backward needs: the gradient is wrong, and nothing raises",
)


@on("BackPropagated")
def back_propagated(event: BackPropagated) -> None:
    """``y = x.exp(); y.data.clamp_(max=1); y.sum().backward()``."""
    if event.value.graph != v.OFF:
        _tell(event, event.frame)


@on("Returned")
def returned(event: Returned) -> None:
    """The value leaves the function with its graph."""
    if event.value.graph == v.ON and event.frame.depth == 0:
        _tell(event, event.frame)


def _tell(event: BackPropagated | Returned, frame: Frame) -> None:
    for spoiled in spoiled_in(frame, silent=True):
        event.report(
            RULE,
            spoiled.write.node,
            f"{spoiled.what} saved this memory for backward; autograd does not see a write through .data or NumPy, "
            "so that the gradient is computed from the new values and is wrong; write out of place, or to a clone",
            [(spoiled.node, "saved for backward here"), (event.node, "the gradient is needed here")],
            level=level_recorded(frame),
        )
