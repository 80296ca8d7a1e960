"""Bind values to names, attributes, items and the parts of a tuple."""

from __future__ import annotations

import ast
from typing import Any

from . import values as v
from .containers import store_attribute
from .events import Assigned, AssignedAttribute
from .expressions import evaluate, path_of
from .frame import Frame
from .indexing import index_kind
from .making import fresh, shared
from .project import ClassInfo
from .values import Step, Value, element_of


def bind(frame: Frame, node: ast.AST, target: ast.expr, source: ast.expr, value: Value | None) -> None:
    """Bind *value* to a target; a subscript is written into."""
    kind = type(target)
    if kind is ast.Name:
        if (
            type(source) in (ast.Name, ast.Attribute, ast.Subscript)
            and value is not None
            and value.regions
            and value.node is not source
        ):
            value = _renamed(frame, node, value)
        frame.state.names[target.id] = value  # type: ignore[attr-defined]
        _forget(frame, target.id)  # type: ignore[attr-defined]
        if target.id in frame.globals and frame.unit.frame is not None:  # type: ignore[attr-defined]
            frame.unit.frame.state.names[target.id] = value  # type: ignore[attr-defined]
    elif kind is ast.Attribute:
        _bind_attribute(frame, node, target, source, value)  # type: ignore[arg-type]
    elif kind is ast.Subscript:
        _bind_item(frame, node, target, source, value)  # type: ignore[arg-type]
    elif kind in (ast.Tuple, ast.List):
        _unpack(frame, node, target, source, value)
        return
    elif kind is ast.Starred:
        bind(frame, node, target.value, source, None)  # type: ignore[attr-defined]
        return
    frame.unit.tell(Assigned, frame, node, target, source, value)
    if kind is ast.Attribute:
        frame.unit.tell(AssignedAttribute, frame, node, target, source, value)


def _renamed(frame: Frame, node: ast.AST, value: Value) -> Value:
    """The same object under another name, told apart so that a write through either is seen from the other."""
    frame.unit.clock += 1
    return value.with_(step=Step("=", node, value), time=frame.unit.clock)


def _forget(frame: Frame, name: str) -> None:
    """Attributes of the object that *name* stood for no longer belong to it."""
    attributes = frame.state.attributes
    if attributes:
        prefix = name + "."
        for path in [p for p in attributes if p.startswith(prefix)]:
            del attributes[path]


def _bind_attribute(frame: Frame, node: ast.AST, target: ast.Attribute, source: ast.expr, value: Value | None) -> None:
    base = evaluate(frame, target.value)
    if target.attr == "data" and base is not None and base.kind == v.TENSOR:
        frame.unit.clock += 1
        return
    path = path_of(target)
    if path is not None:
        frame.state.attributes[path] = value
        _forget(frame, path)
    if target.attr == "requires_grad" and base is not None and base.kind == v.TENSOR:
        _require_grad(frame, target.value, base, value)
    if base is not None:
        if value is not None and value.regions:
            if type(source) is ast.Attribute and value.node is not source:
                value = _renamed(frame, node, value)
                if path is not None:
                    frame.state.attributes[path] = value
            frame.keep(node, value, "attribute", target)
        store_attribute(frame, node, base, target.attr, value)


def _bind_item(frame: Frame, node: ast.AST, target: ast.Subscript, source: ast.expr, value: Value | None) -> None:
    base = evaluate(frame, target.value)
    index = evaluate(frame, target.slice)
    if base is None:
        return
    if base.kind in (v.TENSOR, v.ARRAY):
        frame.write(target, base, "subscript", value)
        if value is not None and value.graph == v.ON and frame.grad == "on" and base.graph != v.ON:
            put_on_graph(base)
    elif (
        base.kind == v.UNKNOWN
        and base.regions
        and index_kind(target.slice, index) in ("slice", "mask", "advanced", "slice?")
    ):
        frame.write(target, base, "subscript", value)
    elif base.kind in (v.DICT, v.LIST):
        _store_item(base, index, value)
        if value is not None and value.regions:
            frame.keep(node, value, "item", base)


def _require_grad(frame: Frame, node: ast.expr, base: Value, asked: Value | None) -> None:
    """``base.requires_grad = asked``: what *node* stands for is a leaf from here on, or no longer trained."""
    wanted = asked is not None and asked.const is True
    if asked is None or asked.const is v.MISSING:
        changed = base.with_(graph=v.UNSURE)
    elif wanted:
        leaf = base.graph != v.ON
        changed = base.with_(
            graph=v.ON, traits=base.traits | ({"leaf"} if leaf else set()), node=node if leaf else base.node
        )
    else:
        changed = base.with_(graph=v.OFF)
    if not wanted and isinstance(base.ref, Value):
        base.ref.traits = base.ref.traits | {"frozen"}
    rebind(frame, node, changed)
    holder = quiet_value(frame, node.value) if type(node) is ast.Attribute else None
    if holder is not None and isinstance(holder.ref, ClassInfo):
        holder.ref.attributes[node.attr] = changed  # type: ignore[attr-defined]


def _store_item(base: Value, index: Value | None, value: Value | None) -> None:
    if isinstance(base.items, dict):
        const = index.const if index is not None else v.MISSING
        key: Any = const if isinstance(const, (str, int)) else ...
        base.items[key] = value if key is not ... or ... not in base.items else v.joined(base.items[...], value)
    elif isinstance(base.items, list):
        if index is not None and isinstance(index.const, int) and -len(base.items) <= index.const < len(base.items):
            base.items[index.const] = value
        elif base.items and all(i is not None and i.kind == v.NOTHING for i in base.items):
            base.items[:] = [value]  # places that wait to be filled
        elif len(base.items) < 16:
            base.items.append(value)


def _unpack(frame: Frame, node: ast.AST, target: Any, source: ast.expr, value: Value | None) -> None:
    parts = target.elts
    sources = source.elts if type(source) in (ast.Tuple, ast.List) and len(source.elts) == len(parts) else None  # type: ignore[attr-defined]
    values = _parts_of(frame, node, value, len(parts))
    for i, part in enumerate(parts):
        inner = sources[i] if sources is not None else source if type(source) is not ast.Name else node
        moved = values[i] if sources is not None and frame.state.writes else None
        if moved is not None and type(part) is ast.Subscript:
            frame.check_read(sources[i], moved)  # type: ignore[index]
        bind(frame, node, part, inner if isinstance(inner, ast.expr) else target, values[i])


def _parts_of(frame: Frame, node: ast.AST, value: Value | None, count: int) -> list[Value | None]:
    if value is None:
        return [None] * count
    if value.kind in (v.LIST, v.TUPLE) and isinstance(value.items, list):
        if len(value.items) == count and "comprehension" not in value.traits:
            return value.items
        return [element_of(value.items)] * count
    if "collated" in value.traits:
        return [value] * count
    if "tensors" in value.traits:
        return [fresh(frame, node, v.TENSOR) for _ in range(count)]
    if "sizes" in value.traits:
        return [Value(v.INT, node)] * count
    if value.kind == v.ARRAY and value.step is not None and value.step.name == "iteration":
        return [None] * count  # ``for x, y in points``: numbers as a rule, which no operator writes in place
    if value.kind in (v.TENSOR, v.ARRAY):
        return [shared(frame, node, value, "unpacking") for _ in range(count)]
    return [None] * count


def put_on_graph(value: Value) -> None:
    """What is written from the graph puts the buffer, and all it was viewed from, on the graph."""
    current: Value | None = value
    for _ in range(20):
        if current is None:
            return
        current.graph = v.ON
        current = current.step.base if current.step is not None else None


def rebind(frame: Frame, target: ast.expr, value: Value | None) -> None:
    """Let a name or an attribute stand for *value*, which no rule is told."""
    if type(target) is ast.Name:
        frame.state.names[target.id] = value
    elif type(target) is ast.Attribute and (path := path_of(target)) is not None:
        frame.state.attributes[path] = value


def quiet_value(frame: Frame, node: ast.expr) -> Value | None:
    """The value of a name or an attribute as the state has it, telling no rule."""
    if type(node) is ast.Name:
        return frame.lookup(node.id)
    if type(node) is ast.Attribute:
        path = path_of(node)
        if path is not None:
            return frame.state.attributes.get(path)
    return None
