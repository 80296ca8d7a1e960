"""Follow imports and the definitions of functions and classes."""

from __future__ import annotations

import ast
from typing import Any

from . import values as v
from .expressions import evaluate
from .frame import Frame
from .project import ClassInfo, FunctionInfo
from .statements import executes
from .values import Value


@executes(ast.Import)
def _import(frame: Frame, node: ast.Import) -> None:
    for alias in node.names:
        if alias.asname is not None:
            frame.state.names[alias.asname] = frame.unit.library(alias.name)
        else:
            root = alias.name.partition(".")[0]
            frame.state.names[root] = frame.unit.library(root)


@executes(ast.ImportFrom)
def _import_from(frame: Frame, node: ast.ImportFrom) -> None:
    from .resolving import imported

    for alias in node.names:
        if alias.name != "*":
            frame.state.names[alias.asname or alias.name] = imported(frame.unit, node, alias.name)


@executes(ast.FunctionDef, ast.AsyncFunctionDef)
def _function(frame: Frame, node: Any) -> None:
    outer = frame if frame.function is not None else None
    info = FunctionInfo(node, frame.unit, None, outer)
    frame.state.names[node.name] = Value(v.FUNCTION, node, ref=info, items=[])
    if frame.depth == 0:
        frame.unit.functions.append(info)
    for default in (*node.args.defaults, *node.args.kw_defaults):
        if default is not None:
            evaluate(frame, default)


@executes(ast.ClassDef)
def _class(frame: Frame, node: ast.ClassDef) -> None:
    info = class_of(frame, node)
    frame.state.names[node.name] = Value(v.CLASS, node, ref=info)
    if frame.depth == 0:
        frame.unit.classes.append(info)


def class_of(frame: Frame, node: ast.ClassDef) -> ClassInfo:
    """The class that a statement defines, its methods not yet followed."""
    info = ClassInfo(node, frame.unit, [evaluate(frame, b) for b in node.bases], frame)
    for statement in node.body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            outer = frame if frame.function is not None else None
            info.methods[statement.name] = FunctionInfo(statement, frame.unit, info, outer)
        elif isinstance(statement, ast.Assign):
            value = evaluate(frame, statement.value)
            for target in statement.targets:
                if type(target) is ast.Name:
                    info.attributes[target.id] = value
        elif (
            isinstance(statement, ast.AnnAssign) and type(statement.target) is ast.Name and statement.value is not None
        ):
            info.attributes[statement.target.id] = evaluate(frame, statement.value)
    return info
