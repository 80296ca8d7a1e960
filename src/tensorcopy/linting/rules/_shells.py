"""Modules that are a shell around one that they are handed: what they keep of it, and whether that is all."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..flow import values as v
from ..flow.project import ClassInfo, FunctionInfo
from ..flow.walking import walk

_MODULES = ("Module", "ModuleList", "Sequential")


def only_module_of(info: ClassInfo) -> str:
    """The parameter of a constructor that becomes the only layer of its object, empty if there is none or are several.

    A layer that the class makes itself, or one of which that can't be told, makes it more than a shell.
    """
    init = info.methods.get("__init__")
    if init is None or any(parent.method("__init__") is not None for parent in info.parents):
        return ""
    kept = [_kept_parameter(info, init.node, target, source) for target, source in _attributes(init.node)]
    found = [name for name in kept if name]
    return found[0] if len(found) == 1 and None not in kept else ""


def holds_no_layer(info: ClassInfo) -> bool:
    """Whether objects of a class have nothing to train: all that the constructor stores are numbers, texts and such."""
    init = info.methods.get("__init__")
    if init is None or info.parents or info.unit.mentions(info.node, "register_parameter", "add_module", "setattr"):
        return False
    return all(_is_plain(init, source) for _, source in _attributes(info.node))


def _is_plain(init: FunctionInfo, source: ast.expr) -> bool:
    if not isinstance(source, ast.Name):
        return isinstance(source, ast.Constant)
    return any(a.arg == source.id and isinstance(default, ast.Constant) for a, default in init.arguments)


def _attributes(node: ast.AST) -> Iterator[tuple[ast.Attribute, ast.expr]]:
    """What a constructor stores on its object."""
    for statement in walk(node):
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                    yield target, statement.value


def _kept_parameter(info: ClassInfo, init: Any, target: ast.Attribute, source: ast.expr) -> str | None:
    """The module handed in that an attribute keeps; empty if it keeps no layer, None if it may keep another one."""
    if isinstance(source, ast.Name):
        argument = next((a for a in (*init.args.args, *init.args.kwonlyargs) if a.arg == source.id), None)
        return source.id if argument is not None and _is_module(argument.annotation) else ""
    if isinstance(source, ast.Constant):
        return ""
    held = info.attribute(target.attr)
    if held is None:
        return None if isinstance(source, ast.Call) else ""
    return None if held.kind in (v.MODULE, v.UNKNOWN) else ""


def _is_module(annotation: ast.expr | None) -> bool:
    name = annotation.attr if isinstance(annotation, ast.Attribute) else getattr(annotation, "id", "")
    return name in _MODULES
