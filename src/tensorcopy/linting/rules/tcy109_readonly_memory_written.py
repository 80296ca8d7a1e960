"""A write into memory that must not be written: bytes, a read-only map, an Arrow column, a picture."""

from __future__ import annotations

from ..flow import values as v
from ..flow.events import Call, ModuleEnd, Write, on, on_call
from ..flow.values import Step, Value
from ..model import Level, Rule
from ._data import data_of

RULE = Rule(
    code="TCY109",
    name="readonly-memory-written",
    level=Level.ERROR,
    summary="memory that is read-only is written, which changes what must not change, raises, or ends the process",
)
# Steps that only name or select what is there.
_PARTS = frozenset(("=", "[...]", "iteration", "unpacking"))

_CASTING = frozenset(("to", "type", "type_as", "astype", "float", "double", "half", "long", "int", "bool"))


@on("Write")
def written(event: Write) -> None:
    """torch does not know of read-only memory: the write goes through; NumPy raises."""
    value = event.value
    if "readonly" not in value.traits or value.kind not in v.NUMERIC or event.how in ("call", "step"):
        return
    if "on one branch" in value.traits or any(_converts(step) for step in value.steps()):
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


@on_call("torch.from_numpy", "torch.as_tensor")
def shared_with_torch(event: Call) -> None:
    """``torch.as_tensor(column.to_numpy())``: nothing is written here, but nothing keeps anybody from it either."""
    data = event.argument(0) if event.name == "torch.from_numpy" else data_of(event)
    if data is None or "readonly" not in data.traits or data.kind not in (v.ARRAY, v.UNKNOWN):
        return
    if event.result is None or event.result.kind != v.TENSOR or _is_cast(event, data):
        return
    event.frame.unit.remembered.setdefault(RULE.code, []).append((event, data))


def _is_cast(event: Call, data: Value) -> bool:
    """Whether a dtype or a device is asked for, which mostly makes a copy."""
    return len(event.node.args) > 1 or bool(event.node.keywords) or data.kind == v.JAX


@on("ModuleEnd")
def only_shared(event: ModuleEnd) -> None:
    """What was shared, unless it was found to be written: that has been told there."""
    for call, data in event.frame.unit.remembered.get(RULE.code, ()):
        made = next((s.node for s in data.steps() if s.name not in _PARTS), None)
        call.report(
            RULE,
            call.node,
            "its memory is read-only (for columns since pandas 3): torch warns here, and does not keep anybody from "
            "writing it; copy it if that may happen",
            related=((made, "the read-only array comes from here"),) if made is not None else (),
            level=Level.NOTE,
        )


def _converts(step: Step) -> bool:
    """``torch.from_numpy(np.asarray(image)).float()``: as a rule bytes, which are copied on the way to floats."""
    return step.name.partition("(")[0].rpartition(".")[2] in _CASTING


def _sharing(value: Value) -> Step | None:
    """The last step that made an object over the memory, leaving names and parts aside."""
    return next((s for s in value.steps() if s.name not in _PARTS), None)
