"""Make values: over new memory, or over that of another value."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from . import values as v
from .frame import Frame
from .values import Cut, Region, Step, Value

# Facts that a view has as well.
INHERITED = frozenset(
    (
        "readonly",
        "expanded",
        "repeated",
        "masked",
        "structured",
        "big-endian",
        "ml_dtypes",
        "objects",
        "noncontiguous",
        "negative",
        "bfloat16",
        "nan",
        "past 2**24",
        "inferred",
    )
)


def fresh(frame: Frame, node: ast.AST, kind: str, **facts: Any) -> Value:
    """A value that owns new memory, made here."""
    frame.unit.clock += 1
    region = Region("fresh", node, depth=len(frame.loops))
    return Value(kind, node, regions=(region,), time=frame.unit.clock, **facts)


def shared(frame: Frame, node: ast.AST, base: Value, name: str, **facts: Any) -> Value:
    """A value over the memory of *base*, reached by the operation *name*."""
    frame.unit.clock += 1
    made = Value(
        facts.pop("kind", base.kind),
        node,
        regions=base.regions,
        step=Step(name, node, base),
        time=frame.unit.clock,
        traits=(base.traits & INHERITED) | facts.pop("traits", frozenset()),
        graph=facts.pop("graph", base.graph),
        dtype=facts.pop("dtype", base.dtype),
        cut=facts.pop("cut", base.cut),
    )
    assert not facts
    if made.dtype and "bfloat16" in made.traits:
        made.traits -= {"bfloat16"}
    return made


def element_value(frame: Frame, node: ast.AST, base: Value) -> Value:
    """An element of something unknown: a row of a tensor, or an object in a container."""
    made = shared(frame, node, base, "[...]", kind=v.UNKNOWN, traits=frozenset(("element",)))
    made.regions = tuple(region.element for region in base.regions)
    return made


def entry_of(frame: Frame, node: ast.AST, state: Value) -> Value:
    """An entry of a state dict: a parameter or a buffer, without its graph."""
    entry = shared(frame, node, state, "state_dict()[...]", kind=v.TENSOR, graph=v.OFF)
    entry.regions = tuple(region.element for region in state.regions)
    return entry


def repeated(node: ast.AST, item: Value | None) -> Value | None:
    """An element of a list that holds the same object in every place."""
    if item is None:
        return None
    step = Step("repetition", node, item) if item.regions else item.step
    return item.with_(traits=item.traits | {"repeated"}, step=step)


def shallow_copy(frame: Frame, node: ast.AST, source: Value, name: str) -> Value:
    """A new container over the same elements, reached by the operation *name*."""
    frame.unit.clock += 1
    time = frame.unit.clock

    def same(item: Value | None) -> Value | None:
        return item if item is None or not item.regions else item.with_(step=Step(name, node, item), time=time)

    items = source.items
    if isinstance(items, dict):
        items = {key: same(item) for key, item in items.items()}
    elif isinstance(items, list):
        items = [same(item) for item in items]
    return source.with_(node=node, items=items, time=time)


def graph_of(frame: Frame, *operands: Value | None) -> str:
    """Whether a result computed from *operands* here is on the graph."""
    if frame.grad == "off":
        return v.OFF
    found = v.OFF
    for operand in operands:
        if operand is None or (operand.graph == v.UNSURE and operand.kind not in v.NUMBERS):
            found = v.UNSURE
        elif operand.graph == v.ON:
            return v.ON if frame.grad == "on" else v.UNSURE
    return found


def lost_term(operands: Iterable[Value | None]) -> Cut | None:
    """The lost graph of a loss term: kept if no operand is on the graph, since then nothing of the term is."""
    known = [operand for operand in operands if operand is not None]
    if any(operand.graph == v.ON for operand in known):
        return None
    return next((operand.cut for operand in known if operand.cut is not None), None)


def cut_from(name: str, node: ast.AST, source: Value) -> Cut | None:
    """The cut of an operation that takes *source* off the graph, or the one that it had before."""
    return Cut(name, node, source) if source.graph == v.ON else source.cut
