"""One object stands in every place of a list, where one object each was meant."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Call, Write, on, on_call
from ..flow.values import Value
from ..model import Level, Rule

RULE = Rule(
    code="TCY113",
    name="shared-elements",
    level=Level.ERROR,
    summary="a list repeats one object, so its elements share memory or parameters",
)


@on_call("torch.nn.ModuleList", "torch.nn.Sequential")
def modules(event: Call) -> None:
    """``nn.ModuleList([Block()] * 4)``: four layers with one set of parameters."""
    for i, value in enumerate(event.args):
        if i >= len(event.node.args):
            break
        node = event.node.args[i]
        inner = node.value if isinstance(node, ast.Starred) else node
        if _repeats_module(value, inner) or _same_in_comprehension(value, inner):
            event.report(
                RULE,
                inner,
                "every layer is the same module, with one set of parameters: they train as one; make one in each turn, "
                "with a comprehension",
            )
        if isinstance(node, ast.Starred):
            break


def _repeats_module(value: Value | None, node: ast.expr) -> bool:
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
        return False
    display = node.left if isinstance(node.left, ast.List) else node.right
    if not isinstance(display, ast.List) or len(display.elts) != 1:
        return False
    element = display.elts[0]
    name = element.func.attr if isinstance(element, ast.Call) and isinstance(element.func, ast.Attribute) else getattr(getattr(element, "func", None), "id", "")
    if any(word in name for word in _WITHOUT_PARAMETERS):
        return False
    if isinstance(element, ast.Call):
        return name[:1].isupper()
    return _is_layer(value)


_WITHOUT_PARAMETERS = (
    "ReLU", "GELU", "SiLU", "Identity", "Dropout", "Tanh", "Sigmoid", "Softmax", "Softplus", "Pool", "Flatten", "Upsample",
)  # fmt: skip


def _is_layer(value: Value | None) -> bool:
    """Whether the elements of the list are a module that may have parameters."""
    items = value.items if value is not None and isinstance(value.items, list) else []
    if not items or items[0] is None or items[0].kind != v.MODULE:
        return False
    last = str(items[0].ref).rpartition(".")[2]
    return not any(word in last for word in _WITHOUT_PARAMETERS)


def _same_in_comprehension(value: Value | None, node: ast.expr) -> bool:
    """``[block for _ in range(n)]`` with a block made before."""
    if not isinstance(node, (ast.ListComp, ast.GeneratorExp)) or not isinstance(node.elt, ast.Name):
        return False
    bound = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
    return node.elt.id not in bound and _is_layer(value)


@on("Write")
def repeated_tensor(event: Write) -> None:
    """``rows = [torch.zeros(3)] * 4; rows[0][1] = 5`` writes all four rows."""
    value = event.value
    if "repeated" not in value.traits or value.kind not in (v.TENSOR, v.ARRAY) or event.how == "call":
        return
    event.report(
        RULE,
        value.owner.node if value.owner.node is not None else event.node,
        "the list holds this one object several times, and an element is written in place: all elements change; "
        "make one in each turn, with a comprehension",
        related=((event.node, "one element is written here"),),
    )
