"""A write into memory that must not be written: bytes, a read-only map, an Arrow column."""

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


@on("Write")
def written(event: Write) -> None:
    """torch does not know of read-only memory: the write goes through; NumPy raises."""
    value = event.value
    if "readonly" not in value.traits or value.kind not in (v.TENSOR, v.ARRAY) or event.how == "call":
        return
    if "on one branch" in value.traits:
        return
    step = _sharing(value)
    if value.kind == v.TENSOR:
        what = "torch ignores that its memory is read-only: the write changes data that must not change, or ends the process"
    else:
        what = "its memory is read-only, and NumPy raises ValueError"
    event.report(
        RULE,
        step.node if step is not None else event.node,
        f"written in place although {what}; copy first",
        related=((event.node, "the read-only memory is written here"),),
    )


def _sharing(value: Value) -> Step | None:
    """The last step that made an object over the memory, leaving names and parts aside."""
    return next((s for s in value.steps() if s.name not in ("=", "[...]", "iteration", "unpacking")), None)
