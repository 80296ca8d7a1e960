"""Whether a file itself shows that a function runs where a graph is recorded.

Who calls stands in other files often enough, in either grad mode. A rule that depends on it is sure only if the file
says.
"""

from __future__ import annotations

import ast

from ..flow.frame import Frame
from ..flow.project import Unit
from ..flow.walking import walk
from ..model import Level

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_OFF = ("no_grad", "inference_mode")
# Calls that take gradients, of which the graph was recorded before.
_GRADIENTS = frozenset(("backward", "manual_backward", "grad", "jacobian", "vjp", "jvp", "hessian"))
# Methods that a framework or a test runner calls, and constructors, which run as they stand.
_RUN_BY_OTHERS = frozenset(("__init__", "training_step", "setUp", "__post_init__"))
_CALLED_BY_ANOTHER_NAME = frozenset(("forward", "__call__", "__init__"))


def level_recorded(frame: Frame, level: Level | None = None) -> Level | None:
    """*level*, or a note where nothing in the file shows that the function runs while a graph is recorded."""
    return level if is_recorded(frame) else Level.NOTE


def is_recorded(frame: Frame) -> bool:
    """Whether the file shows that what is followed runs while a graph is recorded.

    It is code of the module itself, takes gradients, or is called by such code outside of ``no_grad()``.
    """
    return frame.function is None or _records(frame.unit, frame.function.node, set())


def _records(unit: Unit, function: ast.AST, asked: set[int]) -> bool:
    if id(function) in asked:
        return False
    asked.add(id(function))
    if isinstance(function, ast.Lambda):
        return _runs(unit, function, asked)
    if not isinstance(function, _FUNCTIONS) or any(_names_off(d) for d in function.decorator_list):
        return False
    if function.name in _RUN_BY_OTHERS or function.name.startswith("test_") or _takes_gradients(unit, function):
        return True
    if any(_runs(unit, call, asked) for call in _named(unit, function.name)):
        return True
    cls = _class_around(unit, function)
    if cls is None or function.name not in _CALLED_BY_ANOTHER_NAME:
        return False
    return any(_object_runs(unit, made, asked) for made in _named(unit, cls.name))


def _runs(unit: Unit, node: ast.AST, asked: set[int]) -> bool:
    """Whether a place in the file is reached while a graph is recorded."""
    current = unit.parents.get(node)
    while current is not None:
        if isinstance(current, (ast.With, ast.AsyncWith)) and any(_names_off(i.context_expr) for i in current.items):
            return False
        if isinstance(current, _FUNCTIONS):
            return _records(unit, current, asked)
        current = unit.parents.get(current)
    return True


def _object_runs(unit: Unit, made: ast.Call, asked: set[int]) -> bool:
    """Whether an object that is made in the file is called there as well, while a graph is recorded."""
    statement: ast.AST | None = made
    while statement is not None and not isinstance(statement, ast.stmt):
        outer = unit.parents.get(statement)
        if isinstance(outer, ast.Call) and outer.func is statement and _runs(unit, outer, asked):
            return True
        statement = outer
    if isinstance(statement, ast.Return):
        return _returned_object_runs(unit, statement, asked)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = {_last_name(t) for target in targets for t in walk(target)} - {"", "self"}
    return any(_runs(unit, call, asked) for name in names for call in _named(unit, name))


def _returned_object_runs(unit: Unit, statement: ast.Return, asked: set[int]) -> bool:
    """``def build(): return Net()``: what is made by calling the function."""
    function = _function_around(unit, statement)
    if function is None or id(statement) in asked:
        return False
    asked.add(id(statement))
    return any(_object_runs(unit, call, asked) for call in _named(unit, function.name))


def _named(unit: Unit, name: str) -> list[ast.Call]:
    """The calls in a file of whatever has that name."""
    known: dict[str, list[ast.Call]] | None = unit.remembered.get("calls by name")
    if known is None:
        known = unit.remembered["calls by name"] = {}
        for node in walk(unit.tree):
            if isinstance(node, ast.Call):
                known.setdefault(_last_name(node.func), []).append(node)
    return known.get(name, [])


def _takes_gradients(unit: Unit, function: _Function) -> bool:
    start, end = function.lineno, function.end_lineno or function.lineno
    return any(start <= call.lineno <= end for name in _GRADIENTS for call in _named(unit, name))


def _class_around(unit: Unit, node: ast.AST) -> ast.ClassDef | None:
    outer = unit.parents.get(node)
    return outer if isinstance(outer, ast.ClassDef) else None


def _function_around(unit: Unit, node: ast.AST) -> _Function | None:
    current = unit.parents.get(node)
    while current is not None and not isinstance(current, _FUNCTIONS):
        current = unit.parents.get(current)
    return current if isinstance(current, _FUNCTIONS) else None


def _names_off(node: ast.expr) -> bool:
    return _last_name(node.func if isinstance(node, ast.Call) else node) in _OFF


def _last_name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def says_freezing(frame: Frame) -> bool:
    """Whether the file freezes parameters somewhere, of whatever network."""
    return frame.unit.says("requires_grad_(False)", "requires_grad = False", "requires_grad=False", "freeze")
