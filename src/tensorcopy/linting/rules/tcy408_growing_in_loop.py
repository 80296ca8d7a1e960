"""A tensor or an array that grows by concatenation in a loop: each turn copies all that there is so far."""

from __future__ import annotations

import ast

from ..flow.events import Call, on_call
from ..flow.walking import walk
from ..model import Level, Rule
from ._loops import has_many_turns

RULE = Rule(
    code="TCY408",
    name="growing-in-loop",
    level=Level.WARNING,
    summary="a tensor or an array grows by concatenation in a loop, so that each turn copies all of it",
)


@on_call(
    "torch.cat",
    "torch.concat",
    "torch.concatenate",
    "torch.vstack",
    "torch.hstack",
    "numpy.append",
    "numpy.concatenate",
    "numpy.vstack",
    "numpy.hstack",
)
def grown(event: Call) -> None:
    """``out = torch.cat([out, part])``, where nothing else in the loop reads ``out``."""
    loop, parent = event.frame.loop, event.frame.unit.parents.get(event.node)
    if not isinstance(loop, (ast.For, ast.While)) or not isinstance(parent, ast.Assign) or len(parent.targets) != 1:
        return
    target = parent.targets[0]
    if not isinstance(target, ast.Name) or not _is_first(event, target.id) or _is_short(loop):
        return
    if _is_read_elsewhere(loop, target.id, parent) or _is_begun_in(loop, target.id, parent):
        return
    event.report(
        RULE,
        event.node,
        f"each turn of the loop copies all of {target.id} to add a little: the time grows with the square of the "
        "length; collect the parts in a list and join them once after the loop",
        related=((loop, "in this loop"),),
        level=None if has_many_turns(event, loop) else Level.NOTE,
    )


def _is_first(event: Call, name: str) -> bool:
    """Whether the first thing that is joined is *name* itself."""
    first = event.node.args[0] if event.node.args else None
    if isinstance(first, (ast.List, ast.Tuple)) and first.elts:
        first = first.elts[0]
    return isinstance(first, ast.Name) and first.id == name


def _is_short(loop: ast.For | ast.While) -> bool:
    """Whether the loop is known to have a few turns only."""
    if not isinstance(loop, ast.For):
        return False
    if isinstance(loop.iter, (ast.List, ast.Tuple)):
        return True
    counted = isinstance(loop.iter, ast.Call) and getattr(loop.iter.func, "id", "") == "range"
    ends = loop.iter.args if isinstance(loop.iter, ast.Call) and counted else []
    return bool(ends) and all(isinstance(e, ast.Constant) and isinstance(e.value, int) and e.value < 16 for e in ends)


def _is_read_elsewhere(loop: ast.AST, name: str, statement: ast.AST) -> bool:
    own = set(map(id, walk(statement)))
    reads = [n for n in walk(loop) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    tested = {id(n) for t in walk(loop) if isinstance(t, ast.If) and _asks_if_begun(t.test) for n in walk(t.test)}
    outside = [n for n in reads if id(n) not in own and id(n) not in tested]
    return bool(outside) or sum(id(n) in own for n in reads) > 1


def _asks_if_begun(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Is, ast.IsNot))


def _is_begun_in(loop: ast.AST, name: str, statement: ast.AST) -> bool:
    """Whether the loop itself gives *name* a first value in every turn, outside of any condition."""
    for inner in getattr(loop, "body", []):
        if inner is not statement and isinstance(inner, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            bound = [n.id for n in walk(inner) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
            if name in bound:
                return True
    return False
