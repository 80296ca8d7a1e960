"""What a cache hands out is written in place, and every later caller gets the changed values."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..flow import values as v
from ..flow.events import Assigned, on
from ..flow.frame import Frame
from ..flow.project import FunctionInfo
from ..flow.walking import walk
from ..model import Level, Rule
from ._reading import body_of, means_to_write, position, written_name

RULE = Rule(
    code="TCY119",
    name="cached-result-written",
    level=Level.ERROR,
    summary="a tensor or an array from a cache is written in place, which changes what the cache gives out next",
)


@on("Assigned")
def bound(event: Assigned) -> None:
    """``table = positions(n); table += offset``, where positions() is cached."""
    call, target = event.source, event.target
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or not isinstance(target, ast.Name):
        return
    known = event.frame.lookup(call.func.id)
    function = known.ref if known is not None and known.kind == v.FUNCTION else None
    if not isinstance(function, FunctionInfo) or means_to_write(event.frame):
        return
    cached = _kept_by_decorator(event, function) or _kept_in_dict(event.frame, function)
    write = _next_write(event.frame, target.id, event.node) if cached is not None else None
    if cached is not None and write is not None:
        event.report(
            RULE,
            write,
            f"{target.id} is the very object that the cache of {function.name}() keeps, and is written in place: every "
            f"later call gets the changed values; compute a new value, or copy first",
            related=((event.node, "it comes from the cache here"), (cached, "which keeps what it gives out")),
        )


def _kept_by_decorator(event: Assigned, function: FunctionInfo) -> ast.AST | None:
    """A function under lru_cache that gives a tensor or an array."""
    numeric = event.value is not None and event.value.kind in v.NUMERIC and "inferred" not in event.value.traits
    return function.node if numeric and function.has_decorator("lru_cache", "cache") else None


def _kept_in_dict(frame: Frame, function: FunctionInfo) -> ast.AST | None:
    """Where a function returns an entry of a dict of the module, in which it keeps what torch or NumPy made."""
    if function.unit is not frame.unit or not function.unit.mentions(function.node, "]"):
        return None
    returns = [n.value for n in walk(function.node) if isinstance(n, ast.Return)]
    holders = {n.value.id for n in returns if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name)}
    if len(holders) != 1 or len(returns) != 1:
        return None
    holder = holders.pop()
    known = function.unit.lookup(holder)
    if known is None or known.kind != v.DICT:
        return None
    stores = (n for n in walk(function.node) if isinstance(n, ast.Assign) and _stores_made(frame, n, holder))
    return next(stores, None)


def _stores_made(frame: Frame, node: ast.Assign, holder: str) -> bool:
    """``holder[key] = torch.arange(n)``."""
    target, made = node.targets[0], node.value
    if not isinstance(target, ast.Subscript) or written_name(target) != holder or not isinstance(made, ast.Call):
        return False
    root = made.func
    while isinstance(root, ast.Attribute):
        root = root.value
    known = frame.lookup(root.id) if isinstance(root, ast.Name) else None
    return known is not None and known.kind == v.LIBRARY and str(known.ref).partition(".")[0] in ("torch", "numpy")


def _next_write(frame: Frame, name: str, binding: ast.AST) -> ast.AST | None:
    """The write in place through *name* that comes before it is bound anew."""
    for node in sorted(_uses(frame, name, binding), key=position):
        parent = frame.unit.parents.get(node)
        if isinstance(parent, ast.AugAssign) and parent.target is node:
            return parent
        if isinstance(node.ctx, ast.Store):
            return None
        if isinstance(parent, ast.Subscript) and parent.value is node and not isinstance(parent.ctx, ast.Load):
            return frame.unit.parents.get(parent)
        if isinstance(parent, ast.Attribute) and _is_written_by(parent.attr):
            return frame.unit.parents.get(parent)
    return None


def _uses(frame: Frame, name: str, binding: ast.AST) -> Iterator[ast.Name]:
    for node in walk(body_of(frame)):
        if isinstance(node, ast.Name) and node.id == name and position(node) > position(binding):
            yield node


def _is_written_by(method: str) -> bool:
    return method.endswith("_") and not method.endswith("__") and method not in ("requires_grad_", "detach_")
