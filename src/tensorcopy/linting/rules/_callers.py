"""What the callers of a function in the same file do: with what they hand over, and in which grad mode they call."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..flow.frame import Frame
from ..flow.walking import walk

_OFF = ("no_grad", "inference_mode")


def is_replaced_by_callers(frame: Frame, parameter: str) -> bool:
    """Whether each call binds its result to the variable that it handed over: ``x, y = f(x)``, so the old x is gone."""
    function = frame.function
    if function is None or parameter not in function.parameters:
        return False
    place = function.parameters.index(parameter) - (function.cls is not None and not function.is_static)
    calls = list(calls_of(frame))
    return bool(calls) and all(_replaces(frame, call, place, parameter) for call in calls)


def _replaces(frame: Frame, call: ast.Call, place: int, parameter: str) -> bool:
    given = call.args[place] if place < len(call.args) else None
    given = given or next((k.value for k in call.keywords if k.arg == parameter), None)
    statement = frame.unit.parents.get(call)
    if not isinstance(given, ast.Name) or not isinstance(statement, ast.Assign) or _is_parameter(frame, call, given.id):
        return False
    bound = (n for target in statement.targets for n in walk(target))
    return any(isinstance(n, ast.Name) and n.id == given.id for n in bound)


def _is_parameter(frame: Frame, node: ast.AST, name: str) -> bool:
    """Whether the variable is an argument of the caller, whose own caller still holds the old value."""
    outer = _function_around(frame, node)
    return outer is not None and any(a.arg == name for a in (*outer.args.args, *outer.args.kwonlyargs))


def is_called_without_graph(frame: Frame) -> bool:
    """Whether the file calls the function, and only where no graph is recorded."""
    calls = list(calls_of(frame))
    return bool(calls) and all(_is_off(frame, call) for call in calls)


def has_unknown_callers(frame: Frame) -> bool:
    """Whether it is a function that its own file does not call, but for itself: whoever does may record no graph."""
    function = frame.function
    if function is None or function.name == "__init__":
        return False
    return not any(_function_around(frame, call) is not function.node for call in calls_of(frame))


def calls_of(frame: Frame) -> Iterator[ast.Call]:
    """The calls of the function in its file, by its name."""
    name = frame.function.name if frame.function is not None else ""
    if not name or frame.unit.source.text.count(f"{name}(") < 2:
        return
    for node in (n for n in walk(frame.unit.tree) if isinstance(n, ast.Call)):
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name == called and (frame.cls is None or not _is_of_another(node.func)):
            yield node


def _is_of_another(func: ast.expr) -> bool:
    """``self.net.eval()``, beside ``self.eval()``: a method of the same name of a part of the object."""
    return isinstance(func, ast.Attribute) and not isinstance(func.value, ast.Name)


def _is_off(frame: Frame, node: ast.AST) -> bool:
    current = frame.unit.parents.get(node)
    while current is not None:
        if isinstance(current, (ast.With, ast.AsyncWith)) and any(_names_off(i.context_expr) for i in current.items):
            return True
        if isinstance(current, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return any(_names_off(d) for d in current.decorator_list)
        current = frame.unit.parents.get(current)
    return False


def _names_off(node: ast.expr) -> bool:
    func = node.func if isinstance(node, ast.Call) else node
    return getattr(func, "attr", getattr(func, "id", "")) in _OFF


def _function_around(frame: Frame, node: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    current = frame.unit.parents.get(node)
    while current is not None and not isinstance(current, (ast.FunctionDef, ast.AsyncFunctionDef)):
        current = frame.unit.parents.get(current)
    return current
