"""Follow loops: two turns, which shows what a later turn does; and what a turn is given."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from . import values as v
from .binding import bind
from .events import LoopEnd
from .expressions import evaluate
from .frame import Frame
from .guards import narrowed
from .making import element_value, shared
from .statements import executes, run_block
from .values import Value, element_of, one_of

# What a loader's own collation makes of a batch: tensors, in tuples or dicts, but for text.
_COLLATED = frozenset(("collated",))


@executes(ast.Break, ast.Continue)
def _leave(frame: Frame, node: ast.stmt) -> None:
    if frame.exits:
        frame.exits[-1].append(frame.state.copy())
    frame.state.dead = True


@executes(ast.For, ast.AsyncFor)
def _for(frame: Frame, node: Any) -> None:
    iterated = evaluate(frame, node.iter)
    _loop(frame, node, lambda: bind(frame, node.iter, node.target, node.iter, _element(frame, node.iter, iterated)))


@executes(ast.While)
def _while(frame: Frame, node: ast.While) -> None:
    evaluate(frame, node.test)
    turns: list[None] = []

    def enter() -> None:
        if turns:  # what the test does, it does before each turn: ``while stream.readinto(chunk)``
            evaluate(frame, node.test)
        turns.append(None)
        narrowed(frame, node.test, holds=True)

    _loop(frame, node, enter)


def _loop(frame: Frame, node: Any, enter: Callable[[], None]) -> None:
    before = frame.state.copy()
    frame.loops.append(node)
    frame.exits.append([])
    for _ in range(2 if len(frame.loops) <= 3 else 1):
        frame.unit.clock += 1
        frame.iteration = frame.unit.clock
        enter()
        run_block(frame, node.body)
        frame.exits[-1].append(frame.state)
        frame.state = _joined(frame.exits[-1])
        frame.exits[-1] = []
        if frame.state.dead:
            break
    frame.exits.pop()
    frame.loops.pop()
    if frame.state.dead:
        frame.state = before
    else:
        frame.state.join(_before_a_turn(before, frame.state))
    frame.unit.tell(LoopEnd, frame, node)
    run_block(frame, node.orelse)


def _before_a_turn(before: Any, after: Any) -> Any:
    """What no turn at all leaves. ``for layer in layers: x = layer(x)`` is written to run: x is what a layer gives."""
    for name in [n for n, value in after.names.items() if value is None and before.names.get(n) is not None]:
        del before.names[name]
    return before


def _joined(states: list[Any]) -> Any:
    found = states[-1]
    for state in states[:-1]:
        found = found.join(state)
    return found


def bind_loop_variable(frame: Frame, target: ast.expr, iterated: ast.expr) -> None:
    """One turn of ``for target in iterated``."""
    value = evaluate(frame, iterated)
    bind(frame, iterated, target, iterated, _element(frame, iterated, value))


def _element(frame: Frame, node: ast.expr, value: Value | None) -> Value | None:
    if value is None:
        return None
    kind = value.kind
    if kind in (v.LIST, v.TUPLE, v.SET):
        return one_of(value.items) if isinstance(value.items, list) else None
    if kind == "dict view":
        return _of_dict_view(value)
    if kind == "enumerate":
        inner = _element(frame, node, value.items[0]) if value.items else None
        return Value(v.TUPLE, node, items=[Value(v.INT, node), inner])
    if kind == "zip":
        return Value(v.TUPLE, node, items=[_element(frame, node, i) for i in value.items])
    if kind in (v.TENSOR, v.ARRAY):
        return shared(frame, node, value, "iteration", traits=frozenset(("number index",)))
    if kind == v.UNKNOWN and value.regions:
        return element_value(frame, node, value)
    if kind == v.LOADER:
        return Value(v.UNKNOWN, node, traits=_COLLATED)
    if kind == v.MODULE and isinstance(value.items, list):
        return element_of(value.items)
    return None


def _of_dict_view(value: Value) -> Value | None:
    inner = value.items[0] if value.items else None
    key = Value(v.TEXT, value.node) if "named" in value.traits else None
    if value.ref == "items":
        return Value(v.TUPLE, value.node, items=[key, inner])
    return inner if value.ref == "values" else key
