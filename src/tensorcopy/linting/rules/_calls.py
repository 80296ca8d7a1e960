"""The calls of a function in its own file, with what each hands over."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..flow.project import Unit
from ..flow.walking import walk

_CALLED_AS_OBJECTS = frozenset(("__call__", "forward"))


def called_in(unit: Unit, function: Any, parameter: str) -> Iterator[tuple[ast.AST, ast.expr]]:
    """Each call of *function* in its file, but for those in itself, with what it gives for *parameter*."""
    for call in calls_of(unit, function):
        given = given_for(call, function, parameter, is_method=_class_of(unit, function) is not None)
        if given is not None:
            yield call, given


def calls_of(unit: Unit, function: Any) -> Iterator[ast.Call]:
    """The calls of a function or a method in its file, but for those in itself."""
    cls = _class_of(unit, function)
    if cls is None and unit.source.text.count(function.name) < 2:
        return
    objects = _objects_of(unit, cls) if cls is not None and function.name in _CALLED_AS_OBJECTS else None
    for node in walk(unit.tree):
        if not isinstance(node, ast.Call) or scope_of(unit, node) is function:
            continue
        named = getattr(node.func, "attr", getattr(node.func, "id", "")) == function.name
        by_name = named and isinstance(node.func, ast.Attribute) == (cls is not None)
        if by_name or (objects is not None and _is_object(node.func, objects, cls)):
            yield node


def given_for(call: ast.Call, function: Any, parameter: str, *, is_method: bool) -> ast.expr | None:
    """What a call hands over for a parameter."""
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    keyword = next((k.value for k in call.keywords if k.arg == parameter), None)
    if keyword is not None or parameter not in names:
        return keyword
    static = any(getattr(d, "id", "") == "staticmethod" for d in function.decorator_list)
    place = names.index(parameter) - (is_method and not static)
    given = call.args[place] if 0 <= place < len(call.args) else None
    return None if any(isinstance(a, ast.Starred) for a in call.args[: place + 1]) else given


def scope_of(unit: Unit, node: ast.AST) -> Any:
    """The function around a node, or the file."""
    current = unit.parents.get(getattr(node, "node", node))
    while current is not None and not isinstance(current, (ast.FunctionDef, ast.AsyncFunctionDef)):
        current = unit.parents.get(current)
    return unit.tree if current is None else current


def statement_of(unit: Unit, node: Any) -> ast.AST | None:
    """The statement that a node is part of."""
    current = getattr(node, "node", node)
    while current is not None and not isinstance(current, ast.stmt):
        current = unit.parents.get(current)
    return current


def _class_of(unit: Unit, function: ast.AST) -> ast.ClassDef | None:
    parent = unit.parents.get(function)
    return parent if isinstance(parent, ast.ClassDef) else None


def _objects_of(unit: Unit, cls: ast.ClassDef) -> set[str]:
    """The names and attributes that the file binds to instances of a class."""
    made = (n for n in walk(unit.tree) if isinstance(n, ast.Assign) and _makes(n.value, cls))
    return {ast.dump(t).replace("Store()", "Load()") for n in made for t in n.targets}


def _is_object(func: ast.expr, objects: set[str], cls: ast.ClassDef | None) -> bool:
    return ast.dump(func) in objects or (cls is not None and _makes(func, cls))


def _makes(node: ast.expr, cls: ast.ClassDef) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == cls.name
