"""Follow expressions: what each kind of node evaluates to. Calls are in `calls`, tests in `guards`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from . import values as v
from .effects import CUTS, effect_of
from .events import Compared, Operator
from .frame import Frame
from .making import INHERITED, element_value, entry_of, fresh, graph_of, repeated, shallow_copy, shared
from .project import FunctionInfo
from .values import Cut, Region, Value, element_of, joined, one_of

Evaluate = Callable[[Frame, Any], "Value | None"]
HANDLERS: dict[type, Evaluate] = {}

_MANY = 1024
"""Items known of a list that is put together of others."""
_IMMUTABLE = frozenset(("readonly",))
_UNCHANGING = frozenset((v.FUNCTION, v.LIBRARY, v.CLASS))
# Attributes of tensors and arrays that are views of the same memory.
_VIEWS = frozenset(("T", "mT", "H", "mH", "real", "imag", "data", "flat"))


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


_BITS = 4096
"""Of an integer with more than that only its type is known: Python refuses to write out one of 4300 digits."""
_CONSTANTS = {int: v.INT, float: v.FLOAT, bool: v.BOOL, str: v.TEXT, bytes: v.BYTES, type(None): v.NOTHING}


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


@handles(ast.Slice)
def _slice(frame: Frame, node: ast.Slice) -> None:
    for part in (node.lower, node.upper, node.step):
        if part is not None:
            evaluate(frame, part)


@handles(ast.Subscript)
def _subscript(frame: Frame, node: ast.Subscript) -> Value | None:
    base = evaluate(frame, node.value)
    index = evaluate(frame, node.slice)
    if base is None:
        return Value(v.UNKNOWN, node, traits=frozenset(("negative",))) if _reversed(node.slice) else None
    return item_of(frame, node, base, index)


def item_of(frame: Frame, node: ast.Subscript, base: Value, index: Value | None) -> Value | None:
    """``base[index]``."""
    kind = base.kind
    if kind in (v.TENSOR, v.ARRAY):
        return _indexed(frame, node, base, index)
    if kind in (v.LIST, v.TUPLE):
        return _element(frame, node, base, index)
    if kind == v.DICT:
        return _entry(base, index)
    if kind == v.JAX:
        return shared(frame, node, base, "[...]")
    if kind == v.BYTES and type(node.slice) is ast.Slice:
        return fresh(frame, node, v.BYTES)
    if kind == v.STATE_DICT:
        return entry_of(frame, node, base)
    if kind == v.MODULE:
        return _submodule(base, index)
    if "collated" in base.traits:
        return base
    if kind == v.UNKNOWN and base.regions:
        way = index_kind(node.slice, index)
        if way in ("advanced", "mask"):
            return None
        if way == "slice":
            turned = ("view", "negative") if _reversed(node.slice) else ("view",)
            return shared(frame, node, base, "[...]", kind=v.UNKNOWN, traits=frozenset(turned))
        return element_value(frame, node, base)
    return None


def _submodule(base: Value, index: Value | None) -> Value | None:
    items: list[Value | None] | None = base.items if isinstance(base.items, list) else None
    if items and index is not None and isinstance(index.const, int) and -len(items) <= index.const < len(items):
        return items[index.const]
    return None


def _element(frame: Frame, node: ast.Subscript, base: Value, index: Value | None) -> Value | None:
    if "sizes" in base.traits:
        return Value(v.INT, node) if type(node.slice) is not ast.Slice else base
    items: list[Value | None] | None = base.items
    if items is None:
        return None
    if type(node.slice) is ast.Slice:
        whole = node.slice.lower is node.slice.upper is node.slice.step
        items = shallow_copy(frame, node, base, "copy.copy(list)").items if whole else base.items
        return Value(base.kind, node, items=items, time=base.time, traits=base.traits & {"repeated"})
    if index is not None and type(index.const) is int and "comprehension" not in base.traits:
        return items[index.const] if -len(items) <= index.const < len(items) else None
    return one_of(items)


def _entry(base: Value, index: Value | None) -> Value | None:
    items: dict[Any, Value | None] | None = base.items if isinstance(base.items, dict) else None
    if items is None:
        return None
    try:
        if index is not None and index.const is not v.MISSING and index.const in items:
            return items[index.const]
    except TypeError:
        return None
    return element_of(list(items.values()))


def _several(parts: list[str]) -> str:
    """How an index of several dimensions reads."""
    if any(part in ("mask", "advanced") for part in parts):
        return "advanced"
    if all(part in ("slice", "number") for part in parts):
        return "slice"
    return "slice?" if "slice" in parts else ""


def index_kind(node: ast.expr, index: Value | None) -> str:
    """How an index reads: "number", "slice" (a view), "mask", "advanced" (both copy), or "" if it can't be told."""
    kind = type(node)
    if isinstance(node, ast.Slice) or (isinstance(node, ast.Constant) and node.value in (None, ...)):
        return "slice"
    if isinstance(node, ast.Tuple):
        items = index.items if index is not None and index.items is not None else [None] * len(node.elts)
        return _several([index_kind(e, _at(items, i)) for i, e in enumerate(node.elts)])
    if kind is ast.List:
        return "advanced"
    if kind is ast.Compare or (kind is ast.UnaryOp and isinstance(node.op, ast.Invert)):  # type: ignore[attr-defined]
        return "mask"
    if index is None:
        return ""
    if index.kind == v.INT or (index.kind == v.TENSOR and "0-d" in index.traits):
        return "number"
    if index.kind == v.NOTHING:
        return "slice"
    if index.kind in (v.TENSOR, v.ARRAY):
        if index.dtype == "bool":
            return "mask"
        return "" if index.step is not None and index.is_part and not _has_slices(index) else "advanced"
    return "advanced" if index.kind == v.LIST else ""


def _has_slices(index: Value) -> bool:
    """Whether only slices were taken of an index: an element of one may be a single number, which gives a view."""
    nodes = [s.node for s in index.steps() if s.name != "="]
    return all(isinstance(n, ast.Subscript) and _has_slice(n.slice) for n in nodes)


def _at(items: Any, i: int) -> Value | None:
    return items[i] if isinstance(items, list) and i < len(items) else None


def _indexed(frame: Frame, node: ast.Subscript, base: Value, index: Value | None) -> Value | None:
    way = index_kind(node.slice, index)
    name = "torch.Tensor.__getitem__" if base.kind == v.TENSOR else "numpy.ndarray.__getitem__"
    if base.kind == v.ARRAY and "structured" in base.traits and index is not None and index.kind == v.TEXT:
        return shared(frame, node, base, "[field]", dtype="").with_(traits=frozenset(("field",)))
    if way in ("mask", "advanced"):
        effect = effect_of(name, base.kind, frozenset((way,)))
        made = fresh(frame, node, base.kind, graph=graph_of(frame, base), dtype=base.dtype, cut=base.cut)
        made.traits = (base.traits & (INHERITED - {"readonly", "expanded", "noncontiguous"})) | {"picked"}
        assert effect is None or effect.graph != CUTS
        return made
    if "objects" in base.traits and way in ("number", ""):
        return None
    traits: frozenset[str] = frozenset()
    if way == "":
        traits = frozenset(("may copy",))
    elif way == "slice" and _reversed(node.slice):
        traits = frozenset(("negative",))
    elif way == "slice" and _has_slice(node.slice):
        traits = frozenset(("slice",))
    elif way in ("slice", "number"):
        traits = frozenset(("number index",))
    result = shared(frame, node, base, "[...]", traits=traits)
    if way == "number":
        result.traits -= {"negative"}
    elif way == "":
        result.traits -= {"structured"}
    if frame.grad == "off":
        result.graph = v.OFF
    if base.traits & {"1-d"} and way == "number" and base.kind == v.ARRAY:
        return Value(v.FLOAT if not base.dtype.startswith("int") else v.INT, node)
    return result


def _has_slice(node: ast.expr) -> bool:
    """Whether a dimension is left: ``x[i, j]`` may be a single number."""
    if isinstance(node, ast.Tuple):
        return any(_has_slice(part) for part in node.elts)
    return isinstance(node, ast.Slice) or (isinstance(node, ast.Constant) and node.value in (None, ...))


def _reversed(node: ast.expr) -> bool:
    if type(node) is ast.Tuple:
        return any(_reversed(e) for e in node.elts)
    step = node.step if type(node) is ast.Slice else None
    return isinstance(step, ast.UnaryOp) and isinstance(step.op, ast.USub) and isinstance(step.operand, ast.Constant)
