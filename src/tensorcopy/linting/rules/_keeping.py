"""What callers do with what a function gives: whether they keep it past its next call."""

from __future__ import annotations

import ast
from typing import Any

from ..flow.project import Unit
from ..flow.walking import walk
from ._calls import calls_of, scope_of, statement_of
from ._reading import contains, position

_COLLECTING = frozenset(
    ("append", "appendleft", "add", "insert", "put", "push", "store", "list", "tuple", "setdefault")
)
_GATHERING = frozenset(
    ("list", "tuple", "sorted", "dict", "zip", "deque", "stack", "cat", "array", "concatenate", "extend")
)
_CROSSING = frozenset(("from_numpy", "asarray", "as_tensor"))


def keeper_of(unit: Unit, function: Any) -> ast.AST | None:
    """Where a caller in the same file keeps a result of *function* while it is called again."""
    calls = list(calls_of(unit, function))
    return next((found for call in calls if (found := _kept(unit, call, calls)) is not None), None)


def collector_of(unit: Unit, generator: Any) -> ast.AST | None:
    """Where a caller in the same file collects what a generator yields, without a copy of each."""
    return next((found for call in calls_of(unit, generator) if (found := _collected(unit, call)) is not None), None)


def _collected(unit: Unit, call: ast.Call) -> ast.AST | None:
    parent = unit.parents.get(call)
    if isinstance(parent, ast.Call):
        return parent if call in parent.args and _called(parent) in _GATHERING else None
    if not isinstance(parent, (ast.For, ast.comprehension)):
        return call if isinstance(parent, ast.Assign) else None
    where = parent if isinstance(parent, ast.For) else unit.parents.get(parent)
    given = set(_names(parent.target))
    reads = [n for n in walk(where) if isinstance(n, ast.Name) and n.id in given] if where is not None else []
    return next((n for n in reads if _is_read(n) and (_is_stored(unit, n) or _is_renamed(unit, n))), None)


def _is_read(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


def _kept(unit: Unit, call: ast.Call, calls: list[ast.Call]) -> ast.AST | None:
    if _is_stored(unit, call) or _meets_another(unit, call, calls):
        return call
    statement = unit.parents.get(call)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    for name in _names(target):
        for read in _reads(unit, name, statement):
            if _is_stored(unit, read) or _is_renamed(unit, read):
                return read
            if any(position(statement) < position(c) < position(read) and c is not call for c in calls):
                bound = _bindings(unit, name, statement)
                if not any(position(statement) < position(b) <= position(read) for b in bound):
                    return read
    return None


def _meets_another(unit: Unit, call: ast.Call, calls: list[ast.Call]) -> bool:
    """``f(x) - f(y)``: one expression holds two results."""
    if isinstance(unit.parents.get(call), ast.Attribute):
        return False
    statement = statement_of(unit, call)
    return any(contains(statement, c) and not contains(c, call) and not contains(call, c) for c in calls)


def _names(target: ast.AST | None) -> list[str]:
    """The variables that a result goes to, its first part first."""
    return [n.id for n in walk(target) if isinstance(n, ast.Name)] if target is not None else []


def _is_stored(unit: Unit, node: ast.AST) -> bool:
    """Whether a value goes into a container or onto an object as it is."""
    parent = unit.parents.get(node)
    if isinstance(parent, (ast.Tuple, ast.List)):
        outer = unit.parents.get(parent)
        return isinstance(outer, (ast.Call, ast.List)) and _is_stored(unit, parent)
    if isinstance(parent, ast.Call):
        if _called(parent) in _CROSSING and node in parent.args:
            return _is_stored(unit, parent)
        return _called(parent) in _COLLECTING and node in parent.args
    if isinstance(parent, ast.Subscript):
        return node is parent.value and _is_stored(unit, parent)
    if isinstance(parent, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
        return parent.elt is node
    if isinstance(parent, ast.DictComp):
        return parent.value is node
    if isinstance(parent, ast.List):
        return True
    targets = parent.targets if isinstance(parent, ast.Assign) and parent.value is node else []
    return any(isinstance(t, (ast.Attribute, ast.Subscript)) for t in targets)


def _is_renamed(unit: Unit, node: ast.AST) -> bool:
    """``last = new``: the result goes on under another name."""
    parent = unit.parents.get(node)
    return isinstance(parent, ast.Assign) and parent.value is node and isinstance(parent.targets[0], ast.Name)


def _reads(unit: Unit, name: str, statement: Any) -> list[ast.Name]:
    return [n for n in _names_apart(unit, name, statement) if isinstance(n.ctx, ast.Load)]


def _bindings(unit: Unit, name: str, statement: Any) -> list[ast.Name]:
    return [n for n in _names_apart(unit, name, statement) if isinstance(n.ctx, ast.Store)]


def _names_apart(unit: Unit, name: str, statement: Any) -> list[ast.Name]:
    """Where a variable stands in the function around a statement, but not in that statement."""
    nodes = (n for n in walk(scope_of(unit, statement)) if isinstance(n, ast.Name) and n.id == name)
    return [n for n in nodes if not contains(statement, n)]


def _called(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))
