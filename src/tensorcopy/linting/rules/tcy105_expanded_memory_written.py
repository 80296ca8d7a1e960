"""A write into an expanded tensor, whose elements share memory."""

from __future__ import annotations

from ..flow import values as v
from ..flow.events import Call, Write, on, on_call
from ..flow.values import Step, Value
from ..model import Level, Rule

RULE = Rule(
    code="TCY105",
    name="expanded-memory-written",
    level=Level.ERROR,
    summary="a tensor from expand() repeats elements in memory; a write to one changes its repeats, or raises",
)


@on("Write")
def written(event: Write) -> None:
    """``y = x.expand(4); y[0] = 1``: all four elements change."""
    value = event.value
    if value.kind != v.TENSOR or "expanded" not in value.traits or "on one branch" in value.traits:
        return
    step = _expansion(value)
    if step is None:
        return
    unless = " (unless a conversion on the way happened to copy)" if "may copy" in value.traits else ""
    event.report(
        RULE,
        step.node,
        f"expand() repeats elements without copying them{unless}, and the result is written in place: "
        f"one write changes every repeat, or raises; copy first, with repeat() or clone()",
        related=((event.node, "the expanded memory is written here"),),
    )


@on_call("torch.nn.Module.register_buffer", "?.register_buffer")
def registered(event: Call) -> None:
    """A buffer is written by load_state_dict, which raises on expanded memory."""
    value = event.argument(1, "tensor")
    if value is None or "expanded" not in value.traits or (step := _expansion(value)) is None:
        return
    event.report(
        RULE,
        step.node,
        "an expanded tensor as a buffer: load_state_dict copies into it, which raises, since its elements share memory; "
        "register expand(...).clone()",
        related=((event.node, "registered here"),),
    )


def _expansion(value: Value) -> Step | None:
    return next((s for s in value.steps() if any(w in s.name for w in ("expand", "broadcast_to"))), None)
