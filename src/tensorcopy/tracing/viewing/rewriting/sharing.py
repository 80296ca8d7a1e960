"""Lines that give memory of its own to what shall not change with something else."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .statements import Edit, Rewrite, Statement, called

_CONVERSIONS = (
    "from_numpy", "as_tensor", "asarray", "frombuffer", "from_dlpack", "to", "float", "double", "half", "type",
    "type_as", "contiguous", "reshape", "flatten", "cpu", "transpose", "view", "t",
)  # fmt: skip
# What writes each element by itself, whatever the shape is.
_FILLS = frozenset(("fill_", "zero_", "normal_", "uniform_"))


def _snapshot(s: Statement) -> Sequence[Edit]:
    """Keep a copy of what is kept."""
    for call in s.calls("state_dict"):
        if "copy" in s.modules:
            return [(call, f"{s.module('copy')}.deepcopy({s.text(call)})")]
        return [(call, f"{{name: value.clone() for name, value in {s.text(call)}.items()}}")]
    for call in s.calls("numpy"):
        return [(call, f"{s.text(call)}.copy()")]
    for call in s.calls("asarray"):
        numpy = s.owner(call) == s.module("numpy", "np")
        return [(call, f"{s.text(call)}.copy()" if numpy else f"{s.text(call)}.clone()")]
    for call in s.calls("copy"):
        if s.owner(call) == s.module("copy"):
            return [(call, f"{s.owner(call)}.deepcopy({s.first_argument(call)})")]
    for call in s.calls("detach", "from_numpy", "as_tensor"):
        return [(call, f"{s.text(call)}.clone()")]
    return _attribute(s)


def _attribute(s: Statement) -> Sequence[Edit]:
    for node in s.nodes(ast.Attribute):
        match node:
            case ast.Attribute(attr="data", ctx=ast.Load()):
                return [(node, f"{s.owner(node)}.detach().clone()")]
            case ast.Attribute(attr="grad", ctx=ast.Load()):
                return [(node, f"{s.text(node)}.clone()")]
    return []


def _own_memory(s: Statement) -> Sequence[Edit]:
    """Give the result of a conversion memory of its own."""
    for call in s.calls("numpy"):
        return [(call, f"{s.text(call)}.copy()")]
    return [(call, f"{s.text(call)}.clone()") for call in s.calls(*_CONVERSIONS)][:1]


def _cloned_expansion(s: Statement) -> Sequence[Edit]:
    return [(call, f"{s.text(call)}.clone()") for call in s.calls("expand", "expand_as", "broadcast_to")][:1]


def _cloned_value(s: Statement) -> Sequence[Edit]:
    node = s.node
    return [(node.value, f"{s.atom(node.value)}.clone()")] if isinstance(node, ast.Assign) else []


def _into_the_source(s: Statement) -> Sequence[Edit]:
    """A write into the source itself, where it went into a copy of it."""
    match s.node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=copied, attr=method)) as call) if method.endswith("_"):
            arguments = s.text(call)[len(s.text(call.func)) :]
            if isinstance(copied, ast.Subscript):
                return _indexed(s, call, copied, method, arguments)
            if isinstance(copied, ast.Call) and called(copied) in ("reshape", "flatten", "ravel", "contiguous"):
                source = s.owner(copied)
                if method in _FILLS:
                    return [(call, f"{source}.{method}{arguments}")]
                if method == "copy_" and len(call.args) == 1 and not call.keywords:
                    return [(call, f"{source}.copy_({s.atom(call.args[0])}.view_as({source}))")]
    return []


def _indexed(s: Statement, call: ast.Call, part: ast.Subscript, method: str, arguments: str) -> Sequence[Edit]:
    if method in ("zero_", "fill_"):
        return [(call, f"{s.text(part)} = {s.first_argument(call) or '0'}")]
    return [(call, f"{s.text(part)} = {s.text(part)}.{method[:-1]}{arguments}")]


def _returned_copy(method: str) -> Rewrite:
    def rewrite(s: Statement) -> Sequence[Edit]:
        match s.node:
            case ast.Return(value=ast.expr() as value) | ast.Expr(value=ast.Yield(value=ast.expr() as value)):
                return [(value, f"{s.atom(value)}.{method}()")]
            case ast.Assign(value=ast.Subscript() as value):
                return [(value, f"{s.atom(value)}.{method}()")]
        return []

    return rewrite


def _together(s: Statement) -> Sequence[Edit]:
    """``c, d = copy.deepcopy(a), copy.deepcopy(b)`` in one call."""
    match s.node:
        case ast.Assign(value=ast.Tuple(elts=calls)):
            copied = [c for c in calls if isinstance(c, ast.Call) and called(c) == "deepcopy"]
            if len(copied) == len(calls):
                joined = ", ".join(s.first_argument(call) for call in copied)
                return [(s.node.value, f"{s.text(copied[0].func)}(({joined}))")]
    return []


def _collected_copy(s: Statement) -> Sequence[Edit]:
    return [(call.args[0], f"{s.atom(call.args[0])}.clone()") for call in s.calls("append", "add") if call.args][:1]


REWRITES: dict[str, Rewrite] = {
    "changing-snapshot/collected": _collected_copy,
    "changing-snapshot": _snapshot,
    "restored-from-itself": _snapshot,
    "view-of-moved-memory": _snapshot,
    "shared-buffer-overwritten": _own_memory,
    "shared-array-changed": _own_memory,
    "callers-memory-written": _own_memory,
    "readonly-memory-written": _own_memory,
    "expanded-memory-written": _cloned_expansion,
    "overlapping-copy": _cloned_value,
    "lost-write": _into_the_source,
    "internal-buffer-returned/array": _returned_copy("copy"),
    "internal-buffer-returned/tensor": _returned_copy("clone"),
    "separate-deep-copies": _together,
}
