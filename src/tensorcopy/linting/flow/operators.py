"""Follow arithmetic and comparisons: kind, dtype, graph and known constants of the result."""

from __future__ import annotations

import ast
from typing import Any

from . import values as v
from .events import Compared, Operator
from .expressions import evaluate, handles
from .frame import Frame
from .making import fresh, graph_of, repeated
from .values import Cut, Region, Value

_MANY = 1024
"""Items known of a list that is put together of others."""
_IMMUTABLE = frozenset(("readonly",))


@handles(ast.BinOp)
def _operation(frame: Frame, node: ast.BinOp) -> Value | None:
    left, right = evaluate(frame, node.left), evaluate(frame, node.right)
    result = computed(frame, node, node.op, left, right)
    if left is not None or right is not None:
        frame.unit.tell(Operator, frame, node, left, right, result)
    return result


def computed(frame: Frame, node: ast.AST, op: ast.operator, left: Value | None, right: Value | None) -> Value | None:
    """The result of an arithmetic operator."""
    kinds = {left.kind if left is not None else "", right.kind if right is not None else ""}
    if v.TENSOR in kinds and isinstance(op, ast.Mult) and kinds & {v.LIST, v.TUPLE}:
        kinds = {""}  # the tensor is the count of a repeated list
    if v.TENSOR in kinds or v.ARRAY in kinds:
        kind = v.TENSOR if v.TENSOR in kinds else v.ARRAY
        inferred = (
            frozenset(("inferred",))
            if all("inferred" in o.traits for o in (left, right) if o and o.kind == kind)
            else frozenset()
        )
        return fresh(
            frame,
            node,
            kind,
            graph=graph_of(frame, left, right) if kind == v.TENSOR else v.OFF,
            dtype=_promoted(op, left, right),
            cut=_cut_through(op, left, right),
            traits=inferred | _masked(left, right),
        )
    if v.JAX in kinds:
        return Value(v.JAX, node, regions=(Region("fresh", node),), time=frame.unit.clock, traits=_IMMUTABLE)
    if kinds <= v.NUMBERS:
        assert left is not None
        assert right is not None
        return _number(node, op, left, right)
    if right is not None and right.kind in (v.LIST, v.TUPLE) and isinstance(op, ast.Mult):
        left, right = right, left
    if left is not None and left.kind in (v.LIST, v.TUPLE):
        return _sequence(node, op, left, right)
    if left is not None and left.kind == v.TEXT:
        return Value(v.TEXT, node)
    return None


def _masked(*operands: Value | None) -> frozenset[str]:
    return frozenset(("masked",) if any(o is not None and "masked" in o.traits for o in operands) else ())


def _number(node: ast.AST, op: ast.operator, left: Value, right: Value) -> Value:
    floating = isinstance(op, ast.Div) or v.FLOAT in (left.kind, right.kind)
    const: Any = v.MISSING
    if left.const is not v.MISSING and right.const is not v.MISSING:
        const = _calculated(op, left.const, right.const)
    traits = _stamped(op, left, right) if left.traits or right.traits else frozenset()
    return Value(v.FLOAT if floating else v.INT, node, const=const, cut=left.cut or right.cut, traits=traits)


def _stamped(op: ast.operator, left: Value, right: Value) -> frozenset[str]:
    """A time moved by a number is one; the difference of two is a duration."""
    if isinstance(op, ast.Add):
        return (left.traits | right.traits) & {"timestamp"}
    return (left.traits - right.traits) & {"timestamp"} if isinstance(op, ast.Sub) else frozenset()


def _calculated(op: ast.operator, a: Any, b: Any) -> Any:
    """A small constant, calculated; anything that could be large or fail is left unknown."""
    if abs(a) > 2**70 or abs(b) > 2**70:
        return v.MISSING
    if isinstance(op, ast.Add):
        return a + b
    if isinstance(op, ast.Sub):
        return a - b
    if isinstance(op, ast.Mult):
        return a * b
    if isinstance(op, ast.Pow) and isinstance(b, int) and 0 <= b <= 64 and abs(a) <= 1024:
        return a**b
    return v.MISSING


def _sequence(node: ast.AST, op: ast.operator, left: Value, right: Value | None) -> Value | None:
    if isinstance(op, ast.Add):
        both = left.items is not None and right is not None and isinstance(right.items, list)
        return Value(left.kind, node, items=_few(left.items + right.items) if both and right else None)
    if isinstance(op, ast.Mult):
        items = left.items
        if isinstance(items, list):
            items = [repeated(node, i) for i in items]
        return Value(left.kind, node, items=items, traits=frozenset(("repeated", "comprehension")))
    return None


def _few(items: list[Value | None]) -> list[Value | None]:
    """The items of a list that grows; of a long one not all, since sums of sums would double it again and again."""
    return items if len(items) <= _MANY else [*items[: _MANY // 2], *items[-_MANY // 2 :]]


def _promoted(op: ast.operator, left: Value | None, right: Value | None) -> str:
    if left is None or right is None:
        return ""
    if left.kind in v.NUMBERS or right.kind in v.NUMBERS:
        number, numeric = (left, right) if left.kind in v.NUMBERS else (right, left)
        floating = numeric.dtype.startswith(("float", "bfloat", "complex"))
        return numeric.dtype if floating or (number.kind == v.INT and not isinstance(op, ast.Div)) else ""
    return left.dtype if left.dtype == right.dtype and not isinstance(op, ast.Div) else ""


def _cut_through(op: ast.operator, left: Value | None, right: Value | None) -> Cut | None:
    """A term without a graph stays one in a sum; as a factor of something on the graph it is a weight.

    A sum in which it is a term can be scaled; in a square or another function of the sum it is a target, not a term.
    """
    cut = (left.cut if left is not None else None) or (right.cut if right is not None else None)
    if cut is None or isinstance(op, (ast.Add, ast.Sub)):
        return cut
    on = [o for o in (left, right) if o is not None and o.graph == v.ON]
    if not on:
        return cut
    scaled = (
        isinstance(op, (ast.Mult, ast.Div))
        and len(on) == 1
        and all(o in on or o is None or o.cut is None for o in (left, right))
    )
    return on[0].cut if scaled else None


@handles(ast.UnaryOp)
def _unary(frame: Frame, node: ast.UnaryOp) -> Value | None:
    value = evaluate(frame, node.operand)
    if value is None:
        return None
    if isinstance(node.op, ast.Not):
        return Value(v.BOOL, node)
    if value.kind in (v.TENSOR, v.ARRAY):
        return fresh(
            frame,
            node,
            value.kind,
            graph=graph_of(frame, value),
            dtype=value.dtype,
            cut=value.cut,
            traits=value.traits & {"inferred"},
        )
    if value.kind in v.NUMBERS:
        negative = isinstance(node.op, ast.USub) and value.const is not v.MISSING
        return Value(value.kind, node, const=-value.const if negative else v.MISSING, cut=value.cut)
    return None


@handles(ast.Compare)
def _compare(frame: Frame, node: ast.Compare) -> Value | None:
    values = [evaluate(frame, node.left)] + [evaluate(frame, c) for c in node.comparators]
    if len(values) == 2 and values[0] is not None and values[1] is not None:
        frame.unit.tell(Compared, frame, node, values[0], values[1])
    if isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
        return Value(v.BOOL, node)
    for value in values:
        if value is not None and value.kind in (v.TENSOR, v.ARRAY):
            kind = v.TENSOR if any(x is not None and x.kind == v.TENSOR for x in values) else v.ARRAY
            return fresh(frame, node, kind, dtype="bool", graph=v.OFF, traits=value.traits & {"inferred"})
    return Value(v.BOOL, node) if all(x is not None and x.kind in v.NUMBERS for x in values) else None
