"""Follow expressions with branches or with a scope of their own: conditional expressions and comprehensions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from . import values as v
from .expressions import evaluate, handles
from .frame import Frame
from .guards import narrowed, truth
from .looping import bind_loop_variable
from .making import repeated
from .values import Value, joined


@handles(ast.IfExp)
def _if_expression(frame: Frame, node: ast.IfExp) -> Value | None:
    known = truth(frame, node.test)
    evaluate(frame, node.test)
    before = frame.state
    frame.state = before.copy()
    narrowed(frame, node.test, holds=True)
    then = evaluate(frame, node.body) if known is not False else None
    frame.state = before
    if known is True:
        return then
    other_state = before.copy()
    frame.state = other_state
    narrowed(frame, node.test, holds=False)
    other = evaluate(frame, node.orelse)
    frame.state = before
    return other if known is False else joined(then, other)


@handles(ast.ListComp, ast.SetComp, ast.GeneratorExp)
def _comprehension(frame: Frame, node: Any) -> Value:
    made = _in_scope(frame, node, lambda: evaluate(frame, node.elt))
    if type(node.elt) is ast.Name and made is not None and _is_from_outside(node):
        made = repeated(node, made)
    kind = v.SET if isinstance(node, ast.SetComp) else v.LIST
    traits = frozenset(("generator",)) if isinstance(node, ast.GeneratorExp) else frozenset()
    return Value(kind, node, items=[made], traits=traits | {"comprehension"}, time=frame.unit.clock)


def _is_from_outside(node: Any) -> bool:
    """``[x for _ in ...]``: the same x in every place."""
    targets = [n for generator in node.generators for n in ast.walk(generator.target)]
    return not any(type(n) is ast.Name and n.id == node.elt.id for n in targets)


@handles(ast.DictComp)
def _dict_comprehension(frame: Frame, node: ast.DictComp) -> Value:
    def element() -> Value | None:
        evaluate(frame, node.key)
        return evaluate(frame, node.value)

    return Value(v.DICT, node, items={...: _in_scope(frame, node, element)}, time=frame.unit.clock)


def _in_scope(frame: Frame, node: Any, element: Callable[[], Value | None]) -> Value | None:
    """Evaluate the element of a comprehension with its variables bound, as one turn of a loop."""
    saved = frame.state.names.copy()
    frame.loops.append(node)
    frame.unit.clock += 1
    frame.iteration = frame.unit.clock
    for generator in node.generators:
        bind_loop_variable(frame, generator.target, generator.iter)
        for test in generator.ifs:
            evaluate(frame, test)
            narrowed(frame, test, holds=True)
    made = element()
    frame.loops.pop()
    frame.state.names = saved
    return made
