"""Follow branches: conditions, with-blocks, and what may fail or match."""

from __future__ import annotations

import ast
from typing import Any

from .binding import bind
from .expressions import evaluate
from .frame import Frame
from .grad_modes import grad_mode
from .guards import narrowed, truth
from .statements import STATEMENTS, executes, run_block


@executes(ast.If)
def _if(frame: Frame, node: ast.If) -> None:
    known = truth(frame, node.test)
    evaluate(frame, node.test)
    before = frame.state
    if known is False:
        narrowed(frame, node.test, holds=False)
        run_block(frame, node.orelse)
        return
    if known is True:
        narrowed(frame, node.test, holds=True)
        run_block(frame, node.body)
        return
    frame.state = before.copy()
    narrowed(frame, node.test, holds=True)
    run_block(frame, node.body)
    then = frame.state
    frame.state = before
    narrowed(frame, node.test, holds=False)
    run_block(frame, node.orelse)
    frame.state = frame.state.join(then)


@executes(ast.Assert)
def _assert(frame: Frame, node: ast.Assert) -> None:
    evaluate(frame, node.test)
    narrowed(frame, node.test, holds=True)


@executes(ast.With, ast.AsyncWith)
def _with(frame: Frame, node: Any) -> None:
    before = frame.grad
    probing = frame.probing
    for item in node.items:
        value = evaluate(frame, item.context_expr)
        frame.grad = grad_mode(item.context_expr, frame.grad)
        frame.probing += _expects_error(item.context_expr)
        if item.optional_vars is not None:
            bind(frame, node, item.optional_vars, item.context_expr, value)
    run_block(frame, node.body)
    frame.grad, frame.probing = before, probing


def _expects_error(node: ast.expr) -> bool:
    """Whether ``with node:`` runs its body to see it fail or warn: `pytest.raises`, `assertRaises`, `suppress`."""
    func = node.func if isinstance(node, ast.Call) else node
    name = (func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")).lower()
    return any(word in name for word in ("raise", "warn", "suppress", "profile"))


@executes(ast.Try)
def _try(frame: Frame, node: ast.Try) -> None:
    before = frame.state.copy()
    frame.probing += bool(node.handlers)
    run_block(frame, node.body)
    frame.probing -= bool(node.handlers)
    if not frame.state.dead:
        run_block(frame, node.orelse)
    after = frame.state
    for handler in node.handlers:
        frame.state = before.copy()
        run_block(frame, handler.body)
        after = after.join(frame.state)
    frame.state = after
    if node.finalbody:
        dead, frame.state.dead = frame.state.dead, False
        run_block(frame, node.finalbody)
        frame.state.dead = frame.state.dead or dead


if hasattr(ast, "TryStar"):
    STATEMENTS[ast.TryStar] = _try


@executes(ast.Match)
def _match(frame: Frame, node: ast.Match) -> None:
    evaluate(frame, node.subject)
    before, after = frame.state, None
    for case in node.cases:
        frame.state = before.copy()
        for name in (n.name for n in ast.walk(case.pattern) if isinstance(n, (ast.MatchAs, ast.MatchStar)) and n.name):
            frame.state.names[name] = None
        run_block(frame, case.body)
        after = frame.state if after is None else after.join(frame.state)
    frame.state = before if after is None else before.join(after)
