"""Follow subscripts: whether an index picks a number, views a slice or copies."""

from __future__ import annotations

import ast
from typing import Any

from . import values as v
from .effects import CUTS, effect_of
from .expressions import evaluate, handles
from .frame import Frame
from .making import INHERITED, element_value, entry_of, fresh, graph_of, shallow_copy, shared
from .values import Value, element_of, one_of


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
        return "" if _is_element(index) else "advanced"
    return "advanced" if index.kind == v.LIST else ""


def _may_be_number(frame: Frame, node: ast.expr) -> bool:
    """``x[k - 1]`` with a k out of an array, ``x[count + k]`` with a count that was summed up: as a rule one number."""
    if not isinstance(node, ast.BinOp):
        return False
    named = [frame.state.names.get(n.id) for n in ast.walk(node) if isinstance(n, ast.Name)]
    numeric = [value for value in named if value is not None and value.kind in v.NUMERIC]
    return bool(numeric) and all(_is_element(x) or isinstance(x.node, (ast.BinOp, ast.AugAssign)) for x in numeric)


def _is_element(value: Value) -> bool:
    return value.step is not None and value.is_part and not _has_slices(value)


def _has_slices(index: Value) -> bool:
    """Whether only slices were taken of an index: an element of one may be a single number, which gives a view."""
    nodes = [s.node for s in index.steps() if s.name != "="]
    return all(isinstance(n, ast.Subscript) and _has_slice(n.slice) for n in nodes)


def _at(items: Any, i: int) -> Value | None:
    return items[i] if isinstance(items, list) and i < len(items) else None


def _indexed(frame: Frame, node: ast.Subscript, base: Value, index: Value | None) -> Value | None:
    way = "" if _may_be_number(frame, node.slice) else index_kind(node.slice, index)
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
