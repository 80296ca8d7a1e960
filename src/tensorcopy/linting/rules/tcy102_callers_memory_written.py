"""A function converts or views its argument, writes the result, and so changes what the caller passed."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Write, on
from ..flow.values import Step
from ..model import Level, Rule
from ._reading import is_read_after, means_to_write, only_where_it_converts, written_name

RULE = Rule(
    code="TCY102",
    name="callers-memory-written",
    level=Level.ERROR,
    summary="what is written in place shares memory with an argument, so the caller's data change",
)

# Steps that look at one memory in one shape or another, as opposed to conversions into another object.
_VIEWS = frozenset(("[...]", "=", "unpacking", "iteration", ".T", ".real", ".imag", ".mT"))


@on("Write")
def converted_argument(event: Write) -> None:
    """``x = torch.from_numpy(argument); x /= 255; return x``."""
    frame, value = event.frame, event.value
    if frame.function is None or event.how == "call" or isinstance(frame.function.node, ast.Lambda):
        return
    roots = [r for r in value.regions if r.origin == "parameter" and r.name != "self"]
    if not roots:
        return
    step = _conversion(value) or (None if roots[0].many else _rebound(event, roots[0].name))
    if step is None or means_to_write(frame) or only_where_it_converts(frame, step.node):
        return
    name = written_name(event.node)
    if not name or not is_read_after(frame, name, event.node):
        return
    maybe = "may copy" in value.traits or "on one branch" in value.traits
    event.report(
        RULE,
        step.node,
        f"{name} shares memory with the argument {roots[0].name} "
        f"{'whenever no conversion is needed ' if maybe else ''}and is written in place: the caller's data change; "
        f"compute a new value instead, or copy first",
        related=((event.node, f"the memory of {roots[0].name} is written here"),),
    )


def _conversion(value: v.Value) -> Step | None:
    """The step that turned the argument into another object over the same memory."""
    for step in value.steps():
        if step.name not in _VIEWS and ("." in step.name or "(" in step.name) and _converts(step):
            return step
    return None


def _converts(step: Step) -> bool:
    last = step.name.partition("(")[0].rpartition(".")[2]
    return last in ("from_numpy", "as_tensor", "asarray", "asanyarray", "numpy", "to", "float", "double", "half", "type_as", "type", "ascontiguousarray", "from_dlpack", "to_numpy", "astype")


def _rebound(event: Write, parameter: str) -> Step | None:
    """``x = x.transpose(0, 1)``: the parameter's name now means a view, which reads like a value of its own."""
    value = event.frame.state.names.get(parameter)
    if written_name(event.node) != parameter or value is None or value.kind not in (v.TENSOR, v.ARRAY):
        return None
    named = [s for s in value.steps() if s.name != "="]
    if not named or any(s.name.endswith("()") or s.name == "[...]" for s in named):
        return None
    return named[0]
