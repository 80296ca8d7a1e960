"""What becomes of an expression's value: whether all that is done with it is reading."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..flow.frame import Frame
from ..flow.project import Unit
from ..flow.vocabulary import COMPUTED, METHODS, METHODS_BOOL, METHODS_INT
from ..flow.walking import walk

# Methods after which the same elements are looked at in another order.
_TURNED = frozenset(["transpose", "permute", "t", "unsqueeze", "squeeze", "swapaxes", "movedim", "detach"])
_ASKED = METHODS | METHODS_INT | METHODS_BOOL | frozenset(["item", "tolist", "max", "min", "median", "untyped_storage"])
_ATTRIBUTES = frozenset(["shape", "dtype", "device", "ndim", "nbytes", "is_contiguous", "requires_grad"])
_READERS = COMPUTED | frozenset(["print", "len", "max", "min", "equal", "allclose", "repr", "str", "list"])


def is_only_read(frame: Frame, node: ast.AST) -> bool:
    """Whether the value of *node* is calculated with and asked about, but never written, kept or handed on unseen."""
    return _is_read(frame.unit, node, 0)


def _is_read(unit: Unit, node: ast.AST, depth: int) -> bool:
    parent = unit.parents.get(node)
    if depth > 8 or parent is None:
        return False
    if isinstance(parent, (ast.BinOp, ast.Compare, ast.UnaryOp, ast.FormattedValue)):
        return True
    if isinstance(parent, ast.Call):
        return node in parent.args and not parent.keywords and _name_of(parent.func) in _READERS
    if isinstance(parent, (ast.List, ast.Tuple)):
        outer = unit.parents.get(parent)
        return isinstance(outer, ast.Call) and _name_of(outer.func) in ("cat", "stack", "concat")
    if isinstance(parent, ast.Attribute):
        return _is_asked(unit, parent, depth)
    if isinstance(parent, ast.Subscript):
        return node is parent.value and isinstance(parent.ctx, ast.Load) and _is_read(unit, parent, depth + 1)
    if isinstance(parent, ast.Assign):
        return _is_name_read(unit, parent, depth)
    return isinstance(parent, ast.Return) and _is_result_read(unit, parent, depth)


def _is_asked(unit: Unit, attribute: ast.Attribute, depth: int) -> bool:
    """``x.sum()``, ``x.shape``, and what goes on with ``x.transpose(0, 1)``."""
    outer = unit.parents.get(attribute)
    if not isinstance(outer, ast.Call) or outer.func is not attribute:
        return attribute.attr in _ATTRIBUTES
    if attribute.attr in _TURNED:
        return _is_read(unit, outer, depth + 1)
    return attribute.attr in _ASKED and not attribute.attr.endswith("_")


def _is_name_read(unit: Unit, binding: ast.Assign, depth: int) -> bool:
    target = binding.targets[0]
    if len(binding.targets) != 1 or not isinstance(target, ast.Name):
        return False
    scope = _scope(unit, binding)
    bindings = sum(isinstance(n, ast.Name) and n.id == target.id and isinstance(n.ctx, ast.Store) for n in walk(scope))
    loads = [n for n in walk(scope) if isinstance(n, ast.Name) and n.id == target.id and isinstance(n.ctx, ast.Load)]
    return bindings == 1 and bool(loads) and all(_is_read(unit, load, depth + 1) for load in loads)


def _is_result_read(unit: Unit, statement: ast.Return, depth: int) -> bool:
    """Whether all calls of the function that returns it, in this file, only read what they get."""
    function = _scope(unit, statement)
    if not isinstance(function, ast.FunctionDef) or function not in unit.tree.body:
        return False
    calls = list(_calls_of(unit, function.name))
    return bool(calls) and all(call is not None and _is_read(unit, call, depth + 1) for call in calls)


def _calls_of(unit: Unit, name: str) -> Iterator[ast.Call | None]:
    for node in _where_mentioned(unit, name):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            parent = unit.parents.get(node)
            yield parent if isinstance(parent, ast.Call) and parent.func is node else None


def _where_mentioned(unit: Unit, name: str) -> Iterator[ast.AST]:
    """The nodes of the statements of a file that mention a name."""
    for statement in unit.tree.body:
        decorated = bool(getattr(statement, "decorator_list", ()))
        if decorated or unit.mentions(statement, name):
            yield from walk(statement)


def _scope(unit: Unit, node: ast.AST) -> ast.AST:
    current = unit.parents.get(node)
    while current is not None and not isinstance(current, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        current = unit.parents.get(current)
    return current if current is not None else unit.tree


def _name_of(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
