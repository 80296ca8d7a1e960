"""Arrays that run backwards through memory, given to torch, which has no negative strides."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Call, on_call
from ..flow.places import inserted_after
from ..flow.values import Value
from ..model import Fix, Level, Rule
from ._data import CLASSES, FUNCTIONS, data_of

RULE = Rule(
    code="TCY308",
    name="negative-stride",
    level=Level.ERROR,
    summary="torch is given an array with negative strides, and raises",
)


@on_call(*FUNCTIONS, *CLASSES, "torch.from_numpy", "torch.from_dlpack", "torch.utils.dlpack.from_dlpack")
def converted(event: Call) -> None:
    """``torch.from_numpy(image[:, :, ::-1])``, ``torch.as_tensor(np.flip(a))``."""
    data = data_of(event)
    if data is None or "negative" not in data.traits or _may_be_straight(data) or not _is_array(event, data):
        return
    node = event.argument_node(0, "data")
    happens = "ends the process" if event.name.endswith("dlpack") else "raises ValueError"
    event.report(
        RULE,
        event.node,
        f"the array is a reversed view, with a negative stride, which tensors do not have: {event.name}() {happens}; "
        f"copy it first",
        related=_reversal(data),
        fix=_fix(node),
    )


def _is_array(event: Call, data: Value) -> bool:
    return data.kind == v.ARRAY or (data.kind == v.UNKNOWN and event.name == "torch.from_numpy")


def _may_be_straight(data: Value) -> bool:
    """Whether a step since may have copied, as a reshape of several dimensions does."""
    return any(step.name.rpartition(".")[2] in ("reshape", "ravel", "ascontiguousarray") for step in data.steps())


def _reversal(data: Value) -> list[tuple[ast.AST, str]]:
    found = [step for step in data.steps() if isinstance(step.node, (ast.Subscript, ast.Call))]
    return [(found[-1].node, "reversed here")] if found else []


def _fix(node: ast.expr | None) -> object:
    if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
        return None
    return lambda lines: Fix(title="copy the array", edits=(inserted_after(node, ".copy()", lines),), safe=True)
