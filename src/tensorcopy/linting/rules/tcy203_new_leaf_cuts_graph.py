"""A new leaf in the place of a value whose graph was needed."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import BackPropagated, Call, on, on_call
from ..flow.frame import Frame
from ..flow.places import replaced
from ..flow.values import Value
from ..model import Fix, Level, Rule
from ._reading import body_of
from ._recorded import level_recorded
from ._saving import is_computed

RULE = Rule(
    code="TCY203",
    name="new-leaf-cuts-graph",
    level=Level.ERROR,
    summary="requires_grad=True on a rebuilt value makes a new leaf, at which the gradient ends",
)
_CONSTRUCTORS = (
    "torch.tensor",
    "torch.as_tensor",
    "torch.Tensor.new_tensor",
    "torch.autograd.Variable",
    "torch.nn.Parameter",
)


@on("BackPropagated")
def started_from_leaf(event: BackPropagated) -> None:
    """``loss = torch.tensor(loss, requires_grad=True); loss.backward()``: nothing else gets a gradient."""
    value = event.value
    if value.kind != v.TENSOR or "leaf" not in value.traits or value.graph != v.ON:
        return
    if (
        value.traits & {"parameter", "argument", "on one branch", "inferred"}
        or "made" in value.owner.traits
        or not value.regions
    ):
        return
    node = value.node
    if node is None or (isinstance(node, ast.Call) and not _rebuilt(node)) or value.regions[0].origin != "fresh":
        return
    _tell(event, node, "backward() starts at a leaf that was made here with requires_grad=True", value, event.node)


def _rebuilt(call: ast.Call) -> bool:
    """Whether the leaf was made of something computed, and not of numbers that are written there."""
    source: ast.expr = call.args[0] if call.args else call.func
    if isinstance(call.func, ast.Attribute) and call.func.attr == "requires_grad_":
        source = call.func.value
    names = any(isinstance(n, ast.Name) for n in ast.walk(source))
    return names and not isinstance(source, (ast.Constant, ast.List, ast.Tuple, ast.UnaryOp))


@on_call(*_CONSTRUCTORS)
def rebuilt(event: Call) -> None:
    """``pred = torch.tensor(pred, requires_grad=True)`` in a loss or a forward."""
    result, source = event.result, event.argument(0, "data")
    if (
        result is None
        or result.graph != v.ON
        or source is None
        or event.frame.grad != "on"
        or event.name == "torch.nn.Parameter"
    ):
        return
    if (
        "requires_grad" not in event.keywords
        or event.frame.function is None
        or _wants_its_gradient(event.frame, event.node)
    ):
        return
    base = source if source.graph == v.ON else source.cut.base if source.cut is not None else None
    if (
        base is None
        or base.traits & {"leaf", "parameter", "inferred"}
        or (_explicit(source) and not _in_forward(event.frame))
    ):
        return
    _tell(event, event.node, "requires_grad=True on a rebuilt value makes a new leaf", result, base.node)


@on_call("torch.nn.Parameter", "torch.nn.parameter.Parameter")
def parameter_in_forward(event: Call) -> None:
    """``weight = nn.Parameter(self.weight * self.mask)`` in a forward: a new parameter at every call."""
    source = event.argument(0, "data")
    if source is None or source.graph != v.ON or event.frame.grad != "on" or not _in_forward(event.frame):
        return
    if event.result is not None and is_computed(source) and not _wants_its_gradient(event.frame, event.node):
        _tell(event, event.node, "nn.Parameter in a forward makes a new leaf at every call", event.result, source.node)


def _explicit(source: Value) -> bool:
    """Whether the value was detached by name, which outside of a forward may be the purpose."""
    return source.graph != v.ON


def _in_forward(frame: Frame) -> bool:
    return (
        frame.cls is not None
        and frame.cls.is_module
        and frame.function is not None
        and frame.function.name == "forward"
    )


def _wants_its_gradient(frame: Frame, node: ast.AST) -> bool:
    """Whether the function asks for the gradient of some tensor: then the leaf may be meant as one."""
    for found in ast.walk(body_of(frame)):
        if isinstance(found, ast.Attribute) and found.attr in ("grad", "backward"):
            return True
        if isinstance(found, ast.Name) and found.id == "grad":
            return True
        if isinstance(found, ast.Call) and {"inputs", "outputs"} <= {k.arg for k in found.keywords}:
            return True  # as torch.autograd.grad() and what is built on it take them
    return False


def _tell(event: BackPropagated | Call, node: ast.AST, what: str, value: Value, other: ast.AST | None) -> None:
    related = (
        [(other, "the value with the graph" if isinstance(event, Call) else "back-propagated here")]
        if isinstance(other, ast.expr)
        else []
    )
    fix = None
    if isinstance(node, ast.Call) and node.args and value.cut is None and isinstance(event, Call):
        source = node.args[0]

        def fix(lines: list[str]) -> Fix:
            edit = replaced(node, ast.unparse(source), lines)
            return Fix(title="Use the value itself, which is on the graph", edits=(edit,), safe=False)

    event.report(
        RULE,
        node,
        f"{what}: the gradient ends there, and what the value was computed from gets none; use the value itself",
        related,
        fix,
        None if "parameter" in value.traits and _in_forward(event.frame) else level_recorded(event.frame),
    )
