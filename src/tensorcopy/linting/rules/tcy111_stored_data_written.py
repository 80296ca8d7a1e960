"""A method takes an element of its object's data, changes it in place, and so changes the data for the next call."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Write, on
from ..flow.values import Step, Value
from ..model import Level, Rule
from ._reading import is_read_after, source_of, written_name

RULE = Rule(
    code="TCY111",
    name="stored-data-written",
    level=Level.ERROR,
    summary="what a method hands out is written in place, which changes the object's own stored data",
)

_GETTERS = ("__getitem__", "__iter__", "__next__", "__call__", "forward", "transform", "sample")


@on("Write")
def element(event: Write) -> None:
    """``t = self.data[i]; t /= 10; return t``: the next call divides again."""
    frame, value = event.frame, event.value
    if frame.function is None or frame.cls is None or event.how == "call":
        return
    if not (frame.function.name in _GETTERS or frame.function.name.startswith("get_")):
        return
    region = next((r for r in value.regions if r.kept), None)
    if region is None or "may copy" in value.traits or value.kind == v.UNKNOWN and not _is_array(event):
        return
    step = _taken(value)
    name = written_name(event.node)
    if step is None or not name or name == "self" or not is_read_after(frame, name, event.node):
        return
    if _made_here(event, region):
        return
    event.report(
        RULE,
        step.node,
        f"{name} is the object's own data ({region.kept}), not a copy, and is written in place: each call changes what is "
        f"stored, so the next call starts from changed data; copy it first",
        related=((event.node, f"{region.kept} is written here"),),
    )


def _taken(value: Value) -> Step | None:
    steps = [s for s in value.steps() if not s.name.endswith("()")]
    if any(s.base.kind == v.UNKNOWN and s.name == "[...]" and _is_element(s) for s in steps):
        return None
    return steps[-1] if steps and source_is_element(steps) else None


def _is_element(step: Step) -> bool:
    """Whether an element was taken from something unknown, whose ``__getitem__`` may well make a new object."""
    index = step.node.slice if isinstance(step.node, ast.Subscript) else None
    return not isinstance(index, (ast.Slice, ast.Tuple))


def source_is_element(steps: list[Step]) -> bool:
    """Whether the data were reached by a name of their own or an index, not under the attribute itself."""
    return any(s.name in ("=", "[...]", "iteration") for s in steps)


def _is_array(event: Write) -> bool:
    return event.how in ("subscript", "method")


def _made_here(event: Write, region: v.Region) -> bool:
    function = event.frame.function
    assert function is not None
    line = getattr(region.node, "lineno", 0)
    return bool(function.node.lineno <= line <= (function.node.end_lineno or 0)) and source_of(event.frame, event.node) != ""
