"""A NumPy view of a tensor whose memory then moves elsewhere."""

from __future__ import annotations

from ..flow import values as v
from ..flow.events import Call, on_call
from ..model import Level, Rule
from ._reading import is_read_after

RULE = Rule(
    code="TCY107",
    name="view-of-moved-memory",
    level=Level.ERROR,
    summary="share_memory_() and the like move a tensor to other memory; arrays made before look at the old one, which is freed",
)


@on_call("torch.Tensor.share_memory_", "torch.Tensor.resize_", "torch.Tensor.set_")
def moved(event: Call) -> None:
    """``a = t.numpy(); t.share_memory_(); a`` reads memory that has been freed."""
    receiver = event.receiver
    if receiver is None or not receiver.regions:
        return
    for name, value in event.frame.state.names.items():
        if value is None or value.kind != v.ARRAY or value.step is None or not set(value.regions) & set(receiver.regions):
            continue
        step = next((s for s in value.steps() if "numpy" in s.name), None)
        if step is not None and is_read_after(event.frame, name, event.node):
            event.report(
                RULE,
                step.node,
                f"{name} shares the tensor's memory, which {event.name.rpartition('.')[2]}() later moves elsewhere: from then "
                f"on {name} no longer follows the tensor and looks at freed memory; take the array afterwards, or copy it",
                related=((event.node, "the tensor moves to other memory here"),),
            )
