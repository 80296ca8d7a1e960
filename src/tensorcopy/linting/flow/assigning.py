"""Follow assignments: plain, annotated and augmented."""

from __future__ import annotations

import ast

from . import values as v
from .annotations import annotated
from .binding import bind, put_on_graph, quiet_value, rebind
from .events import Operator
from .expressions import evaluate
from .frame import Frame
from .indexing import index_kind
from .operators import computed
from .statements import executes
from .values import Value


@executes(ast.Assign)
def _assign(frame: Frame, node: ast.Assign) -> None:
    value = evaluate(frame, node.value)
    for target in node.targets:
        bind(frame, node, target, node.value, value)


@executes(ast.AnnAssign)
def _annotated(frame: Frame, node: ast.AnnAssign) -> None:
    if node.value is not None:
        value = evaluate(frame, node.value)
        bind(frame, node, node.target, node.value, value if value is not None else annotated(frame, node.annotation))
    elif type(node.target) is ast.Name and node.target.id not in frame.state.names:
        frame.state.names[node.target.id] = annotated(frame, node.annotation)


@executes(ast.AugAssign)
def _augmented(frame: Frame, node: ast.AugAssign) -> None:
    target = node.target
    current = evaluate(frame, target)
    value = evaluate(frame, node.value)
    if current is not None or value is not None:
        frame.unit.tell(Operator, frame, node, current, value, None)
    if current is not None and current.kind in (v.TENSOR, v.ARRAY):
        if type(target) is ast.Subscript and current.step is not None and current.step.name == "[...]":
            frame.write(node, current.step.base, "subscript", value)
        else:
            frame.write(node, current, "augmented", value)
        if value is not None and value.graph == v.ON and frame.grad == "on" and current.graph != v.ON:
            put_on_graph(current)
        if value is not None and value.cut is not None and current.cut is None:
            current = current.with_(cut=value.cut)
            rebind(frame, target, current)
        return
    if type(target) is ast.Subscript:
        _augmented_item(frame, node, target, value)
        return
    if current is not None and current.kind == v.UNKNOWN and current.regions and current.traits & {"view", "inferred"}:
        frame.write(node, current, "augmented", value)
        return
    if current is not None and current.kind == v.LIST and isinstance(node.op, ast.Add):
        if isinstance(current.items, list) and value is not None and isinstance(value.items, list):
            current.items.extend(value.items[:8])
            for item in value.items[:8]:
                if item is not None and item.regions:
                    frame.keep(node, item, "append", current)
        return
    result = computed(frame, node, node.op, current, value)
    if result is None and current is not None and current.kind == v.UNKNOWN:
        result = current
    rebind(frame, target, result)


def _augmented_item(frame: Frame, node: ast.AugAssign, target: ast.Subscript, value: Value | None) -> None:
    """``x[i] += y`` writes x, whatever ``x[i]`` is alone."""
    base = quiet_value(frame, target.value)
    if base is None:
        return
    index = evaluate(frame, target.slice)
    if base.kind in (v.TENSOR, v.ARRAY) or (
        base.kind == v.UNKNOWN
        and base.regions
        and index_kind(target.slice, index) in ("slice", "mask", "advanced", "slice?")
    ):
        frame.write(target, base, "subscript", value)
