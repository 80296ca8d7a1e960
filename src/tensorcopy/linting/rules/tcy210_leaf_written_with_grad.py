"""A leaf that requires grad, written in place while the graph is recorded."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Write, on
from ..flow.frame import Frame
from ..flow.values import Value
from ..flow.walking import Parents, walk
from ..model import Level, Rule
from ._callers import has_unknown_callers
from ._reading import body_of, contains, position, written_name
from ._recorded import level_recorded, says_freezing

RULE = Rule(
    code="TCY210",
    name="leaf-written-with-grad",
    level=Level.ERROR,
    summary="an in-place write to a parameter or another leaf outside torch.no_grad() raises RuntimeError",
)


@on("Write")
def written(event: Write) -> None:
    """``layer.weight[:, 0] -= x``, ``p.mul_(0.9)``, ``w += 1``."""
    value, frame = event.value, event.frame
    if event.how not in ("augmented", "subscript", "method") or frame.grad != "on" or not _is_leaf(value):
        return
    if _without_grad_elsewhere(frame) or _is_frozen_before(event) or _loads_weights(event):
        return
    through = "a view of a leaf" if value.is_part or event.how == "subscript" else "a leaf"
    event.report(
        RULE,
        event.node,
        f"{through} that requires grad is written in place while the graph is recorded, which raises RuntimeError; "
        "write inside torch.no_grad()",
        _origin(value, event.node),
        level=level_recorded(frame) if _surely_trains(event) else Level.NOTE,
    )


def _surely_trains(event: Write) -> bool:
    """Whether nothing in the file freezes the leaf: made in this very function, or nothing is frozen at all."""
    made = event.value.owner.node
    here = event.frame.function is not None and isinstance(made, ast.Call) and contains(body_of(event.frame), made)
    return here or not says_freezing(event.frame)


def _loads_weights(event: Write) -> bool:
    """Whether a function copies data into layers for callers elsewhere, in whichever grad mode."""
    func = event.node.func if isinstance(event.node, ast.Call) else None
    copies = isinstance(func, ast.Attribute) and func.attr == "copy_"
    return copies and has_unknown_callers(event.frame)


def _is_frozen_before(event: Write) -> bool:
    """Whether the object that it belongs to was frozen before: ``net.requires_grad_(False)``.

    Parameters of something unknown may be a copy of what was frozen.
    """
    frame, name = event.frame, written_name(event.node)
    if not frame.unit.mentions(body_of(frame), "requires_grad_(False)"):
        return False
    if "inferred" in event.value.owner.traits:
        return True
    calls = (n for n in walk(body_of(frame)) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute))
    frozen = (n for n in calls if n.func.attr == "requires_grad_" and position(n) < position(event.node))  # type: ignore[attr-defined]
    return any(written_name(n) == name for n in frozen)


def _is_leaf(value: Value) -> bool:
    if (
        value.kind != v.TENSOR
        or value.graph != v.ON
        or value.traits & {"or None", "on one branch", "argument", "may copy"}
    ):
        return False
    owner = value.owner
    if "frozen" in getattr(owner.ref, "traits", ()) or len(value.regions) != 1:
        return False
    steps = value.steps()
    leaf = value if "leaf" in value.traits else next((s.base for s in steps if "leaf" in s.base.traits), None)
    if leaf is None or "on one branch" in leaf.traits or any("may copy" in s.base.traits for s in steps):
        return False
    return leaf.graph == v.ON and not leaf.traits & {"argument"}


def _origin(value: Value, node: ast.AST) -> list[tuple[ast.AST, str]]:
    made = value.owner.node
    other = isinstance(made, ast.expr) and made.lineno != getattr(node, "lineno", 0)
    return [(made, "the leaf comes from here")] if other and made is not None else []


def _without_grad_elsewhere(frame: Frame) -> bool:
    """Whether this function is called, or used as a hook or method of an optimizer, where no graph is recorded."""
    function = frame.function
    if function is None:
        return False
    if frame.cls is not None and any("optim" in name or "autograd" in name for name in frame.cls.base_names()):
        return True
    parents = frame.unit.parents
    for node in ast.walk(frame.unit.tree):
        named = (isinstance(node, ast.Attribute) and node.attr == function.name) or (
            isinstance(node, ast.Name) and node.id == function.name and isinstance(node.ctx, ast.Load)
        )
        if named and (_passed_on(parents.get(node), node) or _in_no_grad(node, parents)):
            return True
    return False


def _passed_on(parent: ast.AST | None, node: ast.AST) -> bool:
    """Whether the function is handed on instead of being called: who calls it may record no graph."""
    return not (isinstance(parent, ast.Call) and parent.func is node)


def _in_no_grad(node: ast.AST, parents: Parents) -> bool:
    current = parents.get(node)
    while current is not None:
        if isinstance(current, (ast.With, ast.AsyncWith)) and any(
            "grad" in ast.unparse(i.context_expr) or "inference" in ast.unparse(i.context_expr) for i in current.items
        ):
            return True
        if isinstance(current, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return any("grad" in ast.unparse(d) or "inference" in ast.unparse(d) for d in current.decorator_list)
        current = parents.get(current)
    return False
