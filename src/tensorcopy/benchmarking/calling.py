"""Lines of code as functions of ``x``, with the names that readers have imported."""

from __future__ import annotations

import ast
import copy
import io
import pickle
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from ..live.libraries import load, loaded

_PACKAGE = __name__.partition(".")[0]


@cache
def releases() -> Mapping[str, str]:
    """The releases of torch and NumPy that run here. Loads both."""
    return {name: str(load(name).__version__) for name in ("torch", "numpy")}


def compiled(code: str) -> Callable[[Any], Any]:
    """A function of ``x`` that runs *code* and returns the value of its last line. Loads torch and NumPy."""
    tree = ast.parse("def call(x): pass")
    statements = ast.parse(code).body
    last = statements[-1]
    if isinstance(last, ast.Expr):
        statements[-1] = ast.copy_location(ast.Return(value=last.value), last)
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.body = statements
    names = _names()
    exec(compile(ast.fix_missing_locations(tree), "<candidate>", "exec"), names)
    found: Callable[[Any], Any] = names["call"]
    return found


def value_of(code: str) -> Any:
    """The value of the last line of *code*, run with the same names."""
    return compiled(code)(None)


def shown(code: str) -> str:
    """*code* without a last line that only repeats a name for its value."""
    lines = code.splitlines()
    return "\n".join(lines[:-1]) if len(lines) > 1 and lines[-1].isidentifier() else code


def _names() -> dict[str, Any]:
    torch = load("torch")
    return {
        "__name__": "__main__",
        "torch": torch,
        "np": load("numpy"),
        "nn": torch.nn,
        "data": load("torch.utils.data"),
        "tc": loaded(_PACKAGE),
        "copy": copy,
        "pickle": pickle,
        "io": io,
    }
