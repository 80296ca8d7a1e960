"""A write that autograd sees, to a value that backward needs."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import BackPropagated, Call, Operator, Returned, Write, on, on_call
from ..flow.frame import Frame
from ..model import Level, Rule
from ._callers import calls_of
from ._recorded import level_recorded
from ._saving import (
    OPERAND_NEEDED,
    PRODUCTS,
    RESULT_NEEDED,
    Spoiled,
    forget,
    saved_by_call,
    saved_by_module,
    saved_by_operator,
    spoil,
    spoiled_in,
)

RULE = Rule(
    code="TCY209",
    name="saved-value-written",
    level=Level.ERROR,
    summary="an in-place write to a value that an operation saved for backward: backward raises RuntimeError",
)
_NAMES = sorted(RESULT_NEEDED | OPERAND_NEEDED | PRODUCTS)


@on("Operator")
def operated(event: Operator) -> None:
    """Products and quotients keep their operands."""
    saved_by_operator(event)


@on_call(*(f"{root}.{name}" for name in _NAMES for root in ("torch", "torch.Tensor", "torch.nn.functional")))
def called(event: Call) -> None:
    """Functions keep their operand or their result."""
    saved_by_call(event)


@on_call("torch.nn.Module.__call__")
def layer(event: Call) -> None:
    """Layers keep their input."""
    saved_by_module(event)


@on("Write")
def written(event: Write) -> None:
    """``x = torch.sigmoid(x); x += 1``."""
    spoil(event)


@on("BackPropagated")
def back_propagated(event: BackPropagated) -> None:
    """Backward finds another version than was saved."""
    if event.value.graph != v.OFF:
        _tell(event, event.frame, "backward raises here")
    forget(event.frame)


@on("Returned")
def returned(event: Returned) -> None:
    """The result leaves with a graph that cannot be gone through any more."""
    value = event.value
    if value.graph != v.ON or value.kind != v.TENSOR:
        return
    frame = event.frame
    if any(p.graph == v.ON for p in frame.parameters.values()) or _in_forward(frame) or _is_back_propagated(frame):
        _tell(event, event.frame, "returned here; its backward raises")


def _in_forward(frame: Frame) -> bool:
    return (
        frame.function is not None
        and frame.function.name == "forward"
        and frame.cls is not None
        and frame.cls.is_module
    )


def _is_back_propagated(frame: Frame) -> bool:
    """Whether the file calls the function in an expression that ends in it: ``f(x).sum().backward()``."""
    if frame.function is None or not frame.unit.says("backward("):
        return False
    for call in calls_of(frame):
        node: ast.AST | None = call
        while isinstance(node, (ast.Call, ast.Attribute)):
            if isinstance(node, ast.Attribute) and node.attr == "backward":
                return True
            node = frame.unit.parents.get(node)
    return False


def _tell(event: BackPropagated | Returned, frame: Frame, text: str) -> None:
    for spoiled in spoiled_in(frame, silent=False):
        event.report(
            RULE,
            _place(spoiled),
            f"{spoiled.what} saved this memory for backward, and it is written in place afterwards: backward raises "
            "RuntimeError (modified by an inplace operation); write out of place, or collect parts in a list",
            [(spoiled.node, "saved for backward here"), (event.node, text)],
            level=level_recorded(frame),
        )


def _place(spoiled: Spoiled) -> ast.AST:
    return spoiled.write.node  # type: ignore[no-any-return]
