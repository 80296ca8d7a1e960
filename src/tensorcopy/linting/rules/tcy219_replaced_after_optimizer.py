"""A part of a model is replaced after an optimizer took the parameters, which it goes on updating."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Assigned, on
from ..flow.frame import Frame
from ..flow.walking import walk
from ..model import Level, Rule
from ._reading import body_of, position
from ._training import called_name

RULE = Rule(
    code="TCY219",
    name="replaced-after-optimizer",
    level=Level.ERROR,
    summary="a layer put into a model after the optimizer was made is never updated",
)


@on("Assigned")
def replaced(event: Assigned) -> None:
    """``opt = SGD(net.parameters()); net.head = nn.Linear(8, 10); opt.step()``."""
    value, target = event.value, event.target
    if value is None or value.kind != v.MODULE or "trained" not in value.traits or not isinstance(value.node, ast.Call):
        return
    if not isinstance(target, (ast.Attribute, ast.Subscript)) or event.source is not value.node:
        return
    root = _root(target)
    if not root or not event.frame.unit.says(".parameters()"):
        return
    made = _optimizer_before(event.frame, root, event.node)
    if made is None or _is_taken_again(event.frame, root, event.node):
        return
    step = _step_after(event.frame, made, event.node)
    if step is not None:
        event.report(
            RULE,
            event.node,
            f"the optimizer has the parameters that {root} had before: those of the new {ast.unparse(target)} are "
            f"never updated; replace the layer first, or make the optimizer afterwards",
            related=((made, "the optimizer takes the parameters here"), (step, "and updates those here")),
        )


def _root(target: ast.expr) -> str:
    node = target
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) and node.id != "self" else ""


def _optimizer_before(frame: Frame, root: str, node: ast.AST) -> ast.Assign | None:
    """The binding of an optimizer that was given ``root.parameters()`` alone."""
    for found in walk(body_of(frame)):
        if not isinstance(found, ast.Assign) or position(found) >= position(node) or len(found.targets) != 1:
            continue
        name, call = found.targets[0], found.value
        known = frame.lookup(name.id) if isinstance(name, ast.Name) else None
        if known is None or known.kind != v.OPTIMIZER or known.node is not call or not isinstance(call, ast.Call):
            continue
        given = ast.unparse(call.args[0]) if call.args else ""
        if given == f"{root}.parameters()":
            return found
    return None


def _is_taken_again(frame: Frame, root: str, node: ast.AST) -> bool:
    """Whether the parameters are asked for once more, or handed to the optimizer, after the layer was put in."""
    later = (n for n in walk(body_of(frame)) if isinstance(n, ast.Call) and position(n) > position(node))
    return any(called_name(n) in ("add_param_group", "parameters", "named_parameters") for n in later)


def _step_after(frame: Frame, made: ast.Assign, node: ast.AST) -> ast.AST | None:
    name = ast.unparse(made.targets[0])
    calls = (n for n in walk(body_of(frame)) if isinstance(n, ast.Call) and position(n) > position(node))
    return next((n for n in calls if ast.unparse(n.func) == f"{name}.step"), None)
