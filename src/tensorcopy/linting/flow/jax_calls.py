"""Arrays of JAX: nobody can write them, and what NumPy or torch sees of them is read-only as well."""

from __future__ import annotations

import ast
from typing import Any

from . import values as v
from .expressions import evaluate
from .frame import Frame
from .project import FunctionInfo
from .sites import Site
from .values import JAX, Region, Value

_ARRAYS = (
    "jax.numpy.",
    "jax.random.",
    "jax.nn.",
    "jax.lax.",
    "jax.scipy.",
    "jax.device_put",
    "jax.jit()",
    "jax.pmap()",
)
_NO_ARRAYS = frozenset(("shape", "ndim", "size", "dtype", "iinfo", "finfo", "issubdtype", "isscalar", "result_type"))
_COMPILERS = frozenset(("jax.jit", "jax.pmap"))
_LEAVING = frozenset(("item", "tolist", "tobytes", "devices", "is_ready"))


def jax_result(site: Site, name: str) -> Value | None:
    """The result of a call of JAX, None if unknown."""
    if name in _COMPILERS:
        return site.frame.unit.library(f"{name}()")
    if name.startswith(_ARRAYS) and name.rpartition(".")[2] not in _NO_ARRAYS:
        return made(site.frame, site.node)
    return None


def made(frame: Frame, node: ast.AST) -> Value:
    """A new array of JAX."""
    region = Region("fresh", node, depth=len(frame.loops))
    return Value(JAX, node, regions=(region,), time=frame.unit.clock, traits=frozenset(("readonly",)))


def method_result(site: Site, base: Value, name: str) -> Value | None:
    """What a method of an array of JAX gives: another one, or the same."""
    if name in _LEAVING:
        return None
    return base if name == "block_until_ready" else made(site.frame, site.node)


def is_compiled(info: FunctionInfo) -> bool:
    """Whether a function of the project is compiled by JAX, so that it gives arrays of JAX."""
    decorators = getattr(info.node, "decorator_list", ())
    return bool(decorators) and any(_compiles(info, d) for d in decorators)


def _compiles(info: FunctionInfo, node: Any) -> bool:
    if isinstance(node, ast.Call):
        named = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        node = node.args[0] if named == "partial" and node.args else node.func
    if not isinstance(node, (ast.Name, ast.Attribute)) or info.unit.frame is None:
        return False
    value = evaluate(info.unit.frame, node)
    return value is not None and value.kind == v.LIBRARY and value.ref in _COMPILERS
