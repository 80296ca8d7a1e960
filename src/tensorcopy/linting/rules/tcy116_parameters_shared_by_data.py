"""The parameters of one module are laid over those of another, where a copy of the values was meant."""

from __future__ import annotations

import ast

from ..flow.events import AssignedAttribute, on
from ..flow.places import replaced
from ..flow.walking import walk
from ..model import Fix, Level, Rule
from ._reading import ancestors, body_of, source_of

RULE = Rule(
    code="TCY116",
    name="parameters-shared-by-data",
    level=Level.ERROR,
    summary="p.data = q.data shares memory: whatever trains one module changes the other",
)


@on("AssignedAttribute")
def shared(event: AssignedAttribute) -> None:
    """``for p, q in zip(a.parameters(), b.parameters()): p.data = q.data``."""
    target, source = event.target, event.source
    if target.attr != "data" or not isinstance(target.value, ast.Name):
        return
    named = _shared_name(source)
    if named is None or named.id == target.value.id:
        return
    loops = (n for n in ancestors(event.frame, event.node) if isinstance(n, ast.For))
    loop = next((n for n in loops if _pairs(n, {target.value.id, named.id})), None)
    if loop is None or _is_dropped(event, loop):
        return
    text = f"{ast.unparse(target)}.copy_({ast.unparse(source)})"
    event.report(
        RULE,
        event.node,
        f"{source_of(event.frame, target)} now lies in the memory of {named.id}: both modules have one set of values, "
        f"and training either changes the other; copy the values with {text}",
        fix=lambda lines: Fix(title="Copy the values", edits=(replaced(event.node, text, lines),), safe=False),
    )


def _is_dropped(event: AssignedAttribute, loop: ast.For) -> bool:
    """``del ctx.copy`` behind the loop: one of the two modules is gone, and the other one has what it had."""
    modules = {ast.dump(n.value) for n in walk(loop.iter) if isinstance(n, ast.Attribute)}
    deleted = (t for n in walk(body_of(event.frame)) if isinstance(n, ast.Delete) for t in n.targets)
    return any(ast.dump(t).replace("Del()", "Load()") in modules for t in deleted)


def _shared_name(node: ast.expr) -> ast.Name | None:
    """q of ``q.data``, ``q.detach()`` or q itself."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "detach":
        node = node.func.value
    elif isinstance(node, ast.Attribute) and node.attr == "data":
        node = node.value
    return node if isinstance(node, ast.Name) else None


def _pairs(loop: ast.AST, names: set[str]) -> bool:
    """Whether a loop goes over the parameters of two different modules, under these names."""
    if not isinstance(loop, ast.For) or not isinstance(loop.iter, ast.Call) or len(loop.iter.args) != 2:
        return False
    bound = {n.id for n in walk(loop.target) if isinstance(n, ast.Name)}
    calls = [a for a in loop.iter.args if isinstance(a, ast.Call) and isinstance(a.func, ast.Attribute)]
    of_parameters = [c for c in calls if c.func.attr in ("parameters", "named_parameters")]  # type: ignore[attr-defined]
    different = len({ast.dump(c.func) for c in of_parameters}) == 2
    return getattr(loop.iter.func, "id", "") == "zip" and different and names <= bound
