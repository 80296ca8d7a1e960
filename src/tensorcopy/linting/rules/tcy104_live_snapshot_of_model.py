"""The best model so far is kept by reference while training goes on changing it."""

from __future__ import annotations

import ast
from typing import Any

from ..flow import values as v
from ..flow.events import Assigned, on
from ..flow.places import inserted_after, inserted_before
from ..model import Fix, Level, Rule
from ._reading import ancestors, body_of, position, source_of

RULE = Rule(
    code="TCY104",
    name="live-snapshot-of-model",
    level=Level.ERROR,
    summary="state_dict() and the model itself are live: what is kept as best changes with the next step",
)

_TRAINING = frozenset(("backward", "step", "fit", "manual_backward", "train_step", "training_step", "optimizer_step"))


@on("Assigned")
def kept(event: Assigned) -> None:
    """``if better: best = model.state_dict()`` in a loop that trains the model."""
    what = _live(event)
    if not what:
        return
    loop = _training_loop(event)
    if loop is None or not _is_kept(event, loop):
        return
    kind = "state_dict() refers to the live parameters" if what == "state_dict" else "this is the model itself, not a copy"
    event.report(
        RULE,
        event.source,
        f"{kind}: the training that goes on changes {source_of(event.frame, event.target)} as well, so the best state is "
        f"lost; keep copy.deepcopy({source_of(event.frame, event.source)})",
        related=((_write_in(event, loop) or loop, "the parameters change here"),),
        fix=lambda lines: Fix(
            title="Keep a deep copy",
            edits=(inserted_before(event.source, "copy.deepcopy(", lines), inserted_after(event.source, ")", lines)),
            safe=False,
        ),
    )


def _live(event: Assigned) -> str:
    """Whether what is assigned is a state dict that shares with its module, or a module."""
    source = event.source
    if _is_state_dict(source):
        return "state_dict"
    value = event.value
    if isinstance(source, ast.Name) and isinstance(event.target, (ast.Name, ast.Attribute)) and value is not None and value.kind == v.MODULE:
        return "model"
    return ""


def _is_state_dict(node: ast.expr) -> bool:
    """``m.state_dict()``, also behind a shallow copy."""
    if not isinstance(node, ast.Call):
        return False
    func = node.func
    if isinstance(func, ast.Attribute):
        if func.attr == "state_dict":
            return not isinstance(func.value, ast.Name) or "optim" not in func.value.id.lower()
        if func.attr == "copy" and not node.args and isinstance(func.value, ast.Call):
            return _is_state_dict(func.value)
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return name in ("dict", "OrderedDict", "copy") and len(node.args) == 1 and _is_state_dict(node.args[0])


def _training_loop(event: Assigned) -> ast.AST | None:
    """The outermost loop around the assignment that goes on training, if the assignment is conditional inside it."""
    around = list(ancestors(event.frame, event.node))
    loops = [n for n in around if isinstance(n, (ast.For, ast.While))]
    if not loops or not any(isinstance(n, ast.If) for n in around[: around.index(loops[-1])]):
        return None
    return loops[-1] if _write_in(event, loops[-1]) is not None else None


def _write_in(event: Assigned, loop: ast.AST) -> ast.AST | None:
    """Where the loop changes the parameters: a step, an in-place call, or a call that is given the model to train."""
    for node in ast.walk(loop):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in _TRAINING or (name.endswith("_") and not name.endswith("__")) or name.startswith("train_") or name in ("train_epoch", "train"):
                if name == "train" and not node.args and isinstance(node.func, ast.Attribute):
                    continue
                return node
    return None


def _is_kept(event: Assigned, loop: Any) -> bool:
    """Whether the value is used outside the branch that assigns it: after the loop, or in a later turn."""
    target = event.target
    if isinstance(target, ast.Attribute):
        return isinstance(target.value, ast.Name) and target.value.id == "self"
    if not isinstance(target, ast.Name):
        return False
    if isinstance(event.source, ast.Name) and _rebound_in(loop, event.source.id):
        return False
    branch = next(n for n in ancestors(event.frame, event.node) if isinstance(n, ast.If))
    start, end = position(branch), (branch.end_lineno or 0, branch.end_col_offset or 0)
    for name in ast.walk(body_of(event.frame)):
        if isinstance(name, ast.Name) and name.id == target.id and isinstance(name.ctx, ast.Load):
            if not start <= position(name) < end:
                return True
    return False


def _rebound_in(loop: ast.AST, name: str) -> bool:
    """Whether each turn makes the model anew."""
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in ast.walk(loop))
