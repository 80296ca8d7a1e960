"""A write into an expanded tensor, whose elements share memory."""

from __future__ import annotations

from ..flow import values as v
from ..flow.events import Call, Write, on, on_call
from ..flow.places import inserted_after
from ..flow.values import Step, Value
from ..model import Fix, Level, Rule

RULE = Rule(
    code="TCY105",
    name="expanded-memory-written",
    level=Level.ERROR,
    summary="a tensor from expand() repeats elements in memory; a write to one changes its repeats, or raises",
)
_EXPANDING = ("expand", "broadcast_to", "meshgrid")


@on("Write")
def written(event: Write) -> None:
    """``y = x.expand(4); y[0] = 1``: all four elements change."""
    value = event.value
    if value.kind not in v.NUMERIC or "expanded" not in value.traits or value.traits & {"on one branch", "readonly"}:
        return
    step = _expansion(value)
    if step is None:
        return
    unless = " (unless a conversion on the way happened to copy)" if "may copy" in value.traits else ""
    event.report(
        RULE,
        step.node,
        f"{_called(step)}() repeats elements without copying them{unless}, and the result is written in place: "
        f"one write changes every repeat, or raises; copy first, with repeat() or clone()",
        related=((event.node, "the expanded memory is written here"),),
        level=Level.NOTE if _is_cast(value) else None,
        fix=lambda lines: _cloned(step, lines),
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
        "an expanded tensor as a buffer: load_state_dict copies into it, which raises, since elements share memory; "
        "register expand(...).clone()",
        related=((event.node, "registered here"),),
        fix=lambda lines: _cloned(step, lines),
    )


def _is_cast(value: Value) -> bool:
    """``x.expand(4).float()``: as a rule there is something to convert, and what is written is a copy."""
    casts = ("to", "type", "astype", "float", "double", "half", "long", "int", "bool", "cpu", "cuda")
    return "may copy" in value.traits and any(_called(step) in casts for step in value.steps())


def _expansion(value: Value) -> Step | None:
    return next((s for s in value.steps() if any(word in s.name for word in _EXPANDING)), None)


def _called(step: Step) -> str:
    return step.name.partition("(")[0].rpartition(".")[2]


def _cloned(step: Step, lines: list[str]) -> Fix | None:
    """A clone of an expanded tensor has memory for every element. Of several results none can be cloned in place."""
    if _called(step) == "meshgrid":
        return None
    return Fix(title="Clone what is written", edits=(inserted_after(step.node, ".clone()", lines),), safe=False)
