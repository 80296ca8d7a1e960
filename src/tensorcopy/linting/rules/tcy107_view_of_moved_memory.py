"""A view over the memory of a tensor or an array, which then moves elsewhere."""

from __future__ import annotations

from ..flow import values as v
from ..flow.events import Call, on_call
from ..flow.values import Step, Value
from ..model import Level, Rule
from ._reading import is_read_after

RULE = Rule(
    code="TCY107",
    name="view-of-moved-memory",
    level=Level.ERROR,
    summary="share_memory_() and the like move memory elsewhere; views made before look at the old one, which is freed",
)
_CROSSING = ("numpy", "asarray", "as_tensor", "from_dlpack")


@on_call("torch.Tensor.share_memory_", "torch.Tensor.resize_", "torch.Tensor.set_", "numpy.ndarray.resize")
def moved(event: Call) -> None:
    """``a = t.numpy(); t.share_memory_(); a`` reads memory that has been freed."""
    receiver = event.receiver
    if receiver is None or not receiver.regions:
        return
    for name, value in event.frame.state.names.items():
        step = _crossing(value, receiver)
        if step is None or not is_read_after(event.frame, name, event.node):
            continue
        event.report(
            RULE,
            step.node,
            f"{name} shares memory that {event.name.rpartition('.')[2]}() later moves elsewhere; from then on it no "
            f"longer follows its source and may look at freed memory; take it afterwards, or copy it",
            related=((event.node, "the memory moves here"),),
        )


def _crossing(value: Value | None, moved: Value) -> Step | None:
    """The step by which a value of the other library came to lie on the memory that moves."""
    if value is None or value.kind not in v.NUMERIC or value.kind == moved.kind or value.regions != moved.regions:
        return None
    return next((s for s in value.steps() if any(word in s.name for word in _CROSSING)), None)
