"""Two methods called one after the other: ``x.first().second()``."""

from __future__ import annotations

import ast

from ..flow.places import replaced
from ..model import Fix


def chained(node: ast.Call, *names: str) -> ast.Call | None:
    """The call of one of *names* that *node* is called on directly."""
    inner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr in names:
        return inner
    return None


def swapped(node: ast.Call, inner: ast.Call) -> object:
    """A safe fix that calls the second method first."""
    assert isinstance(node.func, ast.Attribute)
    assert isinstance(inner.func, ast.Attribute)
    source, first, second = inner.func.value, inner.func.attr, node.func.attr
    text = f"{_operand(source)}.{second}({_arguments(node)}).{first}({_arguments(inner)})"
    return lambda lines: Fix(title=f"call {second}() first", edits=(replaced(node, text, lines),), safe=True)


def _operand(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)) else f"({text})"


def _arguments(node: ast.Call) -> str:
    return ", ".join([ast.unparse(a) for a in node.args] + [ast.unparse(k) for k in node.keywords])
