"""The gradient of a parameter kept as it is, and written in place under its new name."""

from __future__ import annotations

import ast

from ..flow.events import FunctionEnd, on
from ..flow.places import inserted_after
from ..flow.walking import walk
from ..model import Fix, Level, Rule

RULE = Rule(
    code="TCY118",
    name="gradient-kept-by-reference",
    level=Level.ERROR,
    summary="what was made of p.grad without a copy is p.grad itself: each changes with the other",
)


@on("FunctionEnd")
def ended(event: FunctionEnd) -> None:
    """``state[p] = p.grad`` in one turn, ``state[p].mul_(0.9).add_(p.grad)`` in the next."""
    unit, function = event.frame.unit, event.node
    if not unit.says(".grad") or not isinstance(function, ast.FunctionDef) or not unit.mentions(function, ".grad"):
        return
    nodes = list(walk(function))
    for node in nodes:
        if not isinstance(node, ast.Assign) or not _is_gradient(node.value):
            continue
        held = [ast.dump(t).replace("Store()", "Load()") for t in node.targets if isinstance(t, ast.Subscript)]
        write = next((n for n in nodes if held and _writes(n, set(held) | _names_of(nodes, held))), None)
        if write is not None:
            _tell(event, node, write)


def _is_gradient(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "grad"


def _names_of(nodes: list[ast.AST], held: list[str]) -> set[str]:
    """The variables that the entry is bound to: buf of ``buf = state["momentum"]``."""
    return {
        ast.dump(target).replace("Store()", "Load()")
        for node in nodes
        if isinstance(node, ast.Assign) and ast.dump(node.value) in held
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _writes(node: ast.AST, held: set[str]) -> bool:
    if isinstance(node, ast.AugAssign):
        return ast.dump(node.target).replace("Store()", "Load()") in held
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    name = node.func.attr
    return name.endswith("_") and not name.endswith("__") and ast.dump(node.func.value) in held


def _tell(event: FunctionEnd, node: ast.Assign, write: ast.AST) -> None:
    event.report(
        RULE,
        node,
        "this is the gradient itself, not a copy: what is written into it changes .grad, and what backward() adds "
        "or zero_grad() clears changes this; keep a clone()",
        related=((write, "written in place here"),),
        fix=lambda lines: Fix(
            title="Keep a copy", edits=(inserted_after(node.value, ".detach().clone()", lines),), safe=False
        ),
    )
