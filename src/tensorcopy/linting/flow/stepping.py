"""What a step of an optimizer writes: its parameters, under all names by which they were asked for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from . import values as v
from .frame import Frame
from .project import ClassInfo
from .values import Value

_DEEPEST = 4


def write_stepped(frame: Frame, node: ast.AST, optimizer: Value) -> None:
    """``optimizer.step()``: the optimizer changes, and all its parameters with it."""
    frame.write(node, optimizer, "step")
    given = optimizer.items[0] if isinstance(optimizer.items, list) and optimizer.items else None
    for item in given.items if given is not None and isinstance(given.items, list) else ():
        if item is not None and item.kind == v.TUPLE and isinstance(item.items, list):
            item = item.items[-1]
        if item is None or item.kind != v.TENSOR:
            continue
        if isinstance(item.ref, Value):
            write_parameters(frame, node, item.ref, "step")
        else:
            frame.write(node, item, "step")


def write_parameters(frame: Frame, node: ast.AST, module: Value, how: str, inner: Any = None) -> None:
    """All parameters of a module change."""
    for parameter in _parameters(node, module):
        frame.write(node, parameter, how, None, inner)


def _parameters(node: ast.AST, module: Value, depth: int = 0) -> Iterator[Value]:
    """Those behind ``parameters()``, and those that were asked for by name."""
    for region in module.regions:
        yield Value(v.TENSOR, node, regions=(region.element,), traits=frozenset(("parameter",)), ref=module)
    held = module.ref.attributes if isinstance(module.ref, ClassInfo) else module.items
    for value in (list(held.values()) if isinstance(held, dict) else held or ()) if depth < _DEEPEST else ():
        if value is not None and value.kind == v.MODULE:
            yield from _parameters(node, value, depth + 1)
        elif value is not None and value.kind == v.TENSOR and "parameter" in value.traits:
            yield value
