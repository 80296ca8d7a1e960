"""The variables that an expression passes on: x and y of ``(x.floor() - y).data``, none of ``net(x).data``."""

from __future__ import annotations

import ast
from typing import Any

_LIBRARIES = frozenset(("torch", "th", "F", "np", "numpy"))


def roots_of(node: Any) -> set[str]:
    """The names whose values reach *node* through methods, functions of torch, indices and arithmetic."""
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return roots_of(node.value)
    if isinstance(node, ast.BinOp):
        return roots_of(node.left) | roots_of(node.right)
    if isinstance(node, ast.UnaryOp):
        return roots_of(node.operand)
    if isinstance(node, ast.Call):
        return _of_call(node)
    return set()


def _of_call(node: ast.Call) -> set[str]:
    func = node.func
    if isinstance(func, ast.Name):
        return roots_of(node.args[0]) if func.id in ("float", "int") and node.args else set()
    if not isinstance(func, ast.Attribute):
        return set()
    library = ast.unparse(func.value).partition(".")[0] in _LIBRARIES
    if library:
        return roots_of(node.args[0]) if node.args else set()
    return set() if isinstance(func.value, ast.Name) and func.value.id == "self" else roots_of(func.value)
