"""A state that each turn of a loop takes from the turn before, with a graph that has been gone through already."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..flow import values as v
from ..flow.events import LoopEnd, on
from ..flow.walking import walk
from ..model import Level, Rule
from ._reading import contains

RULE = Rule(
    code="TCY217",
    name="spent-graph-carried",
    level=Level.ERROR,
    summary="a state goes on into the next turn with the graph of this one, whose gradient has been taken",
)
_KEEPING = frozenset(("retain_graph", "create_graph"))


@on("LoopEnd")
def carried(event: LoopEnd) -> None:
    """``for x in xs: out, h = net(x, h); loss(out).backward()``: the second turn goes back through the first."""
    loop, frame = event.node, event.frame
    if frame.grad != "on" or not frame.unit.mentions(loop, ".backward("):
        return
    backward = _only_backward(loop)
    if backward is None:
        return
    for statement in _own_statements(loop):
        name = _carried_name(statement)
        if name and _is_state(event, loop, statement, name) and _is_lost(loop, statement, backward):
            event.report(
                RULE,
                statement.value,
                f"{name} comes out of this turn with its graph and goes into the next one, where backward() reaches "
                f"through what this turn has freed: RuntimeError in the second turn; pass {name}.detach() on",
                related=((backward, "the graph is freed here"),),
            )


def _own_statements(loop: Any) -> Iterator[ast.Assign]:
    """The assignments that each turn comes to: those of the loop itself and of its with-blocks."""
    pending = list(loop.body)
    while pending:
        statement = pending.pop(0)
        if isinstance(statement, ast.Assign):
            yield statement
        elif isinstance(statement, ast.With) and not any("grad" in ast.unparse(i) for i in statement.items):
            pending[:0] = statement.body


def _only_backward(loop: Any) -> ast.Call | None:
    """The one call of backward() in the loop, if it frees the graph and stands in each turn."""
    found = [n for n in walk(loop) if isinstance(n, ast.Call) and getattr(n.func, "attr", "") == "backward"]
    if len(found) != 1 or found[0].args or any(k.arg in _KEEPING for k in found[0].keywords):
        return None
    plain = (s.value for s in loop.body if isinstance(s, ast.Expr))
    return next((call for call in plain if call is found[0]), None)


def _carried_name(statement: ast.Assign) -> str:
    """h of ``out, h = net(x, h)``, where the call is given h as it is."""
    call, target = statement.value, statement.targets[0]
    if not isinstance(call, ast.Call) or not isinstance(target, ast.Tuple) or len(target.elts) < 2:
        return ""
    given = {a.id for a in (*call.args, *(k.value for k in call.keywords)) if isinstance(a, ast.Name)}
    bound = [e.id for e in target.elts if isinstance(e, ast.Name)]
    return next((name for name in bound[1:] if name in given), "")


def _is_state(event: LoopEnd, loop: ast.AST, statement: ast.Assign, name: str) -> bool:
    """Whether nothing else in the loop touches the state, and the call is one of a network in training."""
    call = statement.value
    assert isinstance(call, ast.Call)
    others = [n for n in walk(loop) if isinstance(n, ast.Name) and n.id == name and not contains(statement, n)]
    return not others and _is_network(event, call.func)


def _is_network(event: LoopEnd, func: ast.expr) -> bool:
    """Whether what is called has parameters that an optimizer of this function trains, or is known to be a module."""
    value = event.frame.lookup(func.id) if isinstance(func, ast.Name) else None
    if isinstance(func, ast.Attribute):
        value = event.frame.state.attributes.get(ast.unparse(func))
    return value is not None and value.kind == v.MODULE and "frozen" not in value.traits


def _is_lost(loop: ast.AST, statement: ast.Assign, backward: ast.Call) -> bool:
    """Whether the gradient is taken of what came out together with the state."""
    receiver = backward.func.value if isinstance(backward.func, ast.Attribute) else None
    if not isinstance(receiver, ast.Name):
        return False
    target = statement.targets[0]
    results = {e.id for e in target.elts if isinstance(e, ast.Name)} if isinstance(target, ast.Tuple) else set()
    reached = {receiver.id}
    assigns = [n for n in walk(loop) if isinstance(n, ast.Assign)]
    for assign in reversed(assigns):
        bound = {n.id for t in assign.targets for n in walk(t) if isinstance(n, ast.Name)}
        if bound & reached and assign is not statement:
            reached |= {n.id for n in walk(assign.value) if isinstance(n, ast.Name)}
    return bool(reached & results)
