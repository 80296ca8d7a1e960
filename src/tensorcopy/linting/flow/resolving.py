"""What names of other files stand for: imports followed inside the project, read for what they define, never run."""

from __future__ import annotations

import ast

from ..sources import Source
from . import values as v
from .frame import Frame
from .project import FunctionInfo, Unit
from .values import Value
from .walking import walk


def imported(unit: Unit, node: ast.ImportFrom, name: str) -> Value | None:
    """What ``from module import name`` binds: a definition of the project, else a library name."""
    module = absolute(unit, node)
    found = unit.project.module(module, unit)
    if found is not None:
        value = defined_in(found, name)
        if value is not None:
            return value
    if node.level and not module:
        return None
    submodule = f"{module}.{name}"
    return unit.library(_CANONICAL.get(submodule, submodule))


# Where a public name has two homes, the one that the catalogue uses.
_CANONICAL = {
    "torch.nn.parameter.Parameter": "torch.nn.Parameter",
    "torch.autograd.Variable": "torch.autograd.Variable",
    "torch._tensor.Tensor": "torch.Tensor",
}


def absolute(unit: Unit, node: ast.ImportFrom) -> str:
    """The dotted name of the module that an import names, relative ones resolved."""
    if not node.level:
        return node.module or ""
    parts = unit.source.module.split(".") if unit.source.module else []
    keep = len(parts) - node.level + (1 if unit.source.is_package else 0)
    base = parts[: max(keep, 0)]
    return ".".join([*base, node.module] if node.module else base)


def defined_in(unit: Unit, name: str, seen: frozenset[str] = frozenset()) -> Value | None:
    """What *name* stands for in a file read for what it defines; None if it can't be told."""
    if name in unit.names:
        return unit.names[name]
    if unit.frame is None:
        unit.frame = Frame(unit)
        unit.definitions = unit.source.note("definitions", _definitions)
    unit.names[name] = None
    for node in unit.definitions.get(name, ()):
        unit.names[name] = _defined(unit, node, name)
    return unit.names[name]


def _definitions(source: Source) -> dict[str, list[ast.stmt]]:
    """The statements of a file that may say what a name stands for, by names."""
    found: dict[str, list[ast.stmt]] = {}
    for node in source.tree.body:
        for inner in node.body if isinstance(node, (ast.If, ast.Try)) else [node]:
            for name in _names_of(inner):
                found.setdefault(name, []).append(inner)
    return found


def _names_of(node: ast.stmt) -> list[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [(a.asname or a.name).partition(".")[0] for a in node.names]
    if isinstance(node, ast.Assign):
        return [t.id for t in node.targets if isinstance(t, ast.Name)]
    return []


def _defined(unit: Unit, node: ast.stmt, name: str) -> Value | None:
    from .defining import class_of
    from .statements import STATEMENTS

    assert unit.frame is not None
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return Value(v.FUNCTION, node, ref=FunctionInfo(node, unit), items=[])
    if isinstance(node, ast.ClassDef):
        _need(unit, [n.id for b in node.bases for n in walk(b) if isinstance(n, ast.Name)])
        return Value(v.CLASS, node, ref=class_of(unit.frame, node))
    if isinstance(node, ast.Assign):
        _need(unit, [n.id for n in walk(node.value) if isinstance(n, ast.Name)])
    handler = STATEMENTS.get(type(node))
    if handler is not None:
        handler(unit.frame, node)
    return unit.frame.state.names.get(name)


def _need(unit: Unit, names: list[str]) -> None:
    """Define what a definition refers to first."""
    for name in names:
        if name not in unit.names and name in unit.definitions:
            value = defined_in(unit, name)
            assert unit.frame is not None
            unit.frame.state.names.setdefault(name, value)
