"""Follow expressions: what each kind of node evaluates to.

Calls are in `calls`, operators in `operators`, subscripts in `indexing`, attributes in `attributes`, tests in `guards`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from . import values as v
from .frame import Frame
from .making import shallow_copy
from .project import FunctionInfo
from .values import Region, Value, element_of, joined

Evaluate = Callable[[Frame, Any], "Value | None"]
HANDLERS: dict[type, Evaluate] = {}
_BITS = 4096
"""Of an integer with more than that only its type is known: Python refuses to write out one of 4300 digits."""
_CONSTANTS = {int: v.INT, float: v.FLOAT, bool: v.BOOL, str: v.TEXT, bytes: v.BYTES, type(None): v.NOTHING}


def handles(*types: type) -> Callable[[Evaluate], Evaluate]:
    """Register the evaluation of node types."""

    def register(function: Evaluate) -> Evaluate:
        for kind in types:
            HANDLERS[kind] = function
        return function

    return register


def evaluate(frame: Frame, node: ast.expr) -> Value | None:
    """The value of an expression, None if unknown. Tells the rules of everything on the way."""
    kind = type(node)
    if kind is ast.Name:
        return _name(frame, node)
    handler = HANDLERS.get(kind)
    return handler(frame, node) if handler is not None else None


@handles(ast.Constant)
def _constant(frame: Frame, node: ast.Constant) -> Value | None:
    value = node.value
    kind = _CONSTANTS.get(type(value))
    if kind == v.BYTES:
        return Value(kind, node, regions=(Region("fresh", node),), time=frame.unit.clock)
    if type(value) is int and value.bit_length() > _BITS:
        return Value(v.INT, node)
    return Value(kind, node, const=value) if kind is not None else None


@handles(ast.Name)
def _name(frame: Frame, node: ast.Name) -> Value | None:
    state, name = frame.state, node.id
    value = state.names[name] if name in state.names else frame.lookup(name)
    if value is not None and state.writes:
        frame.check_read(node, value)
    return value


def path_of(node: ast.Attribute) -> str | None:
    """``"self.x"`` or ``"self.x.y"`` for chains of names, None for anything else."""
    value = node.value
    if type(value) is ast.Name:
        return f"{value.id}.{node.attr}"
    if type(value) is ast.Attribute and type(value.value) is ast.Name:
        return f"{value.value.id}.{value.attr}.{node.attr}"
    return None


@handles(ast.BoolOp)
def _bool_operation(frame: Frame, node: ast.BoolOp) -> Value | None:
    found = evaluate(frame, node.values[0])
    for operand in node.values[1:]:
        found = joined(found, evaluate(frame, operand))
    return found


@handles(ast.List, ast.Tuple, ast.Set)
def _display(frame: Frame, node: Any) -> Value:
    kind = {ast.List: v.LIST, ast.Tuple: v.TUPLE}.get(type(node), v.SET)
    elements = node.elts
    if len(elements) > 64 and all(type(e) is ast.Constant for e in elements):
        elements = [*elements[:32], *elements[-32:]]
    items: list[Value | None] = []
    for element in elements:
        if type(element) is ast.Starred:
            inner = evaluate(frame, element.value)
            items.append(element_of(inner.items) if inner is not None and isinstance(inner.items, list) else None)
        else:
            items.append(evaluate(frame, element))
    return Value(kind, node, items=items, time=frame.unit.clock)


@handles(ast.Dict)
def _dict(frame: Frame, node: ast.Dict) -> Value:
    items: dict[Any, Value | None] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        made = evaluate(frame, value)
        if type(key) is ast.Constant:
            items[key.value] = made
        elif key is not None:
            evaluate(frame, key)
            items[...] = joined(items[...], made) if ... in items else made
        elif made is not None and isinstance(made.items, dict):
            items |= shallow_copy(frame, node, made, "copy.copy(dict)").items
    return Value(v.DICT, node, items=items, time=frame.unit.clock)


@handles(ast.Lambda)
def _lambda(frame: Frame, node: ast.Lambda) -> Value:
    return Value(v.FUNCTION, node, ref=FunctionInfo(node, frame.unit, None, frame), items=[])


@handles(ast.JoinedStr)
def _text(frame: Frame, node: ast.JoinedStr) -> Value:
    for part in node.values:
        if type(part) is ast.FormattedValue:
            evaluate(frame, part.value)
    return Value(v.TEXT, node)


@handles(ast.NamedExpr)
def _named(frame: Frame, node: ast.NamedExpr) -> Value | None:
    value = evaluate(frame, node.value)
    frame.state.names[node.target.id] = value
    return value


@handles(ast.Await, ast.Starred)
def _inner(frame: Frame, node: Any) -> Value | None:
    return evaluate(frame, node.value)


@handles(ast.Yield)
def _yield(frame: Frame, node: ast.Yield) -> None:
    value = evaluate(frame, node.value) if node.value is not None else None
    frame.yields.append(value)
    if value is None:
        return
    for inner in value.items if value.kind == v.TUPLE and isinstance(value.items, list) else (value,):
        if inner is not None and inner.regions:
            frame.keep(node, inner, "yield")


@handles(ast.YieldFrom)
def _yield_from(frame: Frame, node: ast.YieldFrom) -> None:
    evaluate(frame, node.value)
