"""Follow statements one after another, and those that only evaluate, end a path or name something.

Bindings are in `binding` and `assigning`, branches in `branching`, loops in `looping`, definitions in `defining`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from . import values as v
from .events import Discarded, Returned
from .expressions import evaluate
from .frame import Frame
from .grad_modes import grad_mode
from .values import Value

Execute = Callable[[Frame, Any], None]
STATEMENTS: dict[type, Execute] = {}


def executes(*types: type) -> Callable[[Execute], Execute]:
    """Register the execution of statement types."""

    def register(function: Execute) -> Execute:
        for kind in types:
            STATEMENTS[kind] = function
        return function

    return register


def run_block(frame: Frame, body: Sequence[ast.stmt]) -> None:
    """Follow statements in order until the path ends."""
    unit = frame.unit
    for statement in body:
        if frame.state.dead:
            return
        handler = STATEMENTS.get(type(statement))
        if handler is not None:
            unit.budget -= 1
            handler(frame, statement)


@executes(ast.Expr)
def _expression(frame: Frame, node: ast.Expr) -> None:
    value = evaluate(frame, node.value)
    told = frame.unit.told
    if type(node.value) is ast.Call and told is not None and told[0] is node.value:
        _, name, receiver, args = told
        if name.endswith("set_grad_enabled"):
            _set_grad_mode(frame, node.value)
        frame.unit.tell(Discarded, frame, node.value, name, receiver, args, value)


def _set_grad_mode(frame: Frame, node: ast.expr) -> None:
    """``torch.set_grad_enabled(...)`` as a statement holds from here on; in a module, for its functions as well."""
    frame.grad = grad_mode(node, frame.grad)
    if frame.function is None:
        frame.unit.grad = frame.grad


@executes(ast.Return)
def _return(frame: Frame, node: ast.Return) -> None:
    value = evaluate(frame, node.value) if node.value is not None else Value(v.NOTHING, node, const=None)
    frame.returns.append(value)
    if node.value is not None and value is not None:
        frame.unit.tell(Returned, frame, node, value)
        if frame.cls is not None:
            _tell_class(frame, node, value)
    frame.state.dead = True


def _tell_class(frame: Frame, node: ast.Return, value: Value) -> None:
    """Note which attributes' memory a method hands out, also inside a tuple or a dict."""
    assert frame.cls is not None
    held = value.items.values() if isinstance(value.items, dict) else value.items or ()
    for inner in (value, *(held if value.kind in (v.TUPLE, v.DICT) else ())):
        for region in inner.regions if inner is not None else ():
            if region.kept:
                frame.cls.returned.setdefault(region.kept, []).append((frame.function, node, inner))


@executes(ast.Raise)
def _raise(frame: Frame, node: ast.Raise) -> None:
    if node.exc is not None:
        evaluate(frame, node.exc)
    frame.state.dead = True


@executes(ast.Delete)
def _delete(frame: Frame, node: ast.Delete) -> None:
    for target in node.targets:
        if type(target) is ast.Name:
            frame.state.names.pop(target.id, None)


@executes(ast.Global, ast.Nonlocal)
def _global(frame: Frame, node: Any) -> None:
    frame.globals.update(node.names)
