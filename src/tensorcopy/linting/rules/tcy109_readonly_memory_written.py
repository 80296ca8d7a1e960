"""A write into memory that must not be written: bytes, a read-only map, an Arrow column, a picture."""

from __future__ import annotations

from ..flow import values as v
from ..flow.events import Write, on
from ..flow.values import Step, Value
from ..model import Level, Rule

RULE = Rule(
    code="TCY109",
    name="readonly-memory-written",
    level=Level.ERROR,
    summary="memory that is read-only is written, which changes what must not change, raises, or ends the process",
)
# Steps that only name or select what is there.
_PARTS = frozenset(("=", "[...]", "iteration", "unpacking"))


@on("Write")
def written(event: Write) -> None:
    """torch does not know of read-only memory: the write goes through; NumPy raises."""
    value = event.value
    if "readonly" not in value.traits or value.kind not in v.NUMERIC or event.how in ("call", "step"):
        return
    if "on one branch" in value.traits:
        return
    if value.kind == v.TENSOR:
        what = (
            "torch does not see that its memory is read-only: a write changes what must not change, or ends the process"
        )
    else:
        what = "its memory is read-only, and NumPy raises ValueError"
    step, made = _sharing(value), value.owner.node
    event.report(
        RULE,
        step.node if step is not None else made if made is not None else event.node,
        f"written in place although {what}; copy first",
        related=((event.node, "the read-only memory is written here"),),
    )


def _sharing(value: Value) -> Step | None:
    """The last step that made an object over the memory, leaving names and parts aside."""
    return next((s for s in value.steps() if s.name not in _PARTS), None)
