"""A write into a temporary copy, which nobody reads."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Discarded, Write, on
from ..flow.values import Value
from ..model import Level, Rule
from ._reading import source_of

RULE = Rule(
    code="TCY108",
    name="write-into-copy",
    level=Level.ERROR,
    summary="a write goes into a temporary copy and is lost with it",
)
_COPYING = frozenset(
    ("clone", "copy", "repeat", "index_select", "masked_select", "gather", "new_tensor", "tensor", "array")
)
_CONVERTING = frozenset(
    ("to", "float", "double", "half", "bfloat16", "int", "long", "bool", "cpu", "cuda", "type", "astype")
)
_LAYING_OUT = frozenset(("reshape", "flatten", "ravel", "contiguous", "reshape_as", "ascontiguousarray"))
_OBJECT_ONLY = frozenset(("share_memory_", "requires_grad_", "retain_grad_", "detach_"))


@on("Discarded")
def method(event: Discarded) -> None:
    """``x[mask].zero_()`` and ``x.reshape(-1).copy_(y)`` as statements."""
    node, last = event.node, event.name.rpartition(".")[2]
    if (
        not last.endswith("_")
        or last.endswith("__")
        or last in _OBJECT_ONLY
        or not isinstance(node.func, ast.Attribute)
    ):
        return
    if event.result is not None and event.result.kind in v.NUMERIC:
        _check(event, node.func.value, event.result, node)


@on("Write")
def subscript(event: Write) -> None:
    """``x[mask][0] = 1`` and ``a.flatten()[0] = 1``."""
    if event.how == "subscript" and isinstance(event.node, ast.Subscript) and event.value.kind in v.NUMERIC:
        _check(event, event.node.value, event.value, event.node)


def _check(event: Discarded | Write, temporary: ast.expr, value: Value, node: ast.AST) -> None:
    if not isinstance(temporary, (ast.Call, ast.Subscript)):
        return
    if isinstance(temporary, ast.Subscript) and value.step is not None and value.step.name == "[...]":
        _check(event, temporary.value, value.step.base, node)  # a part of what may be a copy
        return
    if value.step is None:
        if value.node is temporary and _copies(temporary, value):
            _report_copy(event, temporary, node)
        return
    last = value.step.name.partition("(")[0].rpartition(".")[2]
    if value.step.node is not temporary or "may copy" not in value.traits:
        return
    if last in _LAYING_OUT and _not_surely_dense(value):
        event.report(
            RULE,
            node,
            f"{last}() copies where the source is not contiguous: then the write changes the copy and never reaches "
            f"the source; write through view(), which raises instead",
            level=None if "noncontiguous" in value.traits else Level.NOTE,
        )
    elif last in _CONVERTING and isinstance(temporary, ast.Call):
        event.report(
            RULE,
            node,
            f"{last}() copies whenever it has something to convert: then the write changes the copy and never reaches "
            f"the source; write into the source itself",
            level=Level.NOTE,
        )


def _report_copy(event: Discarded | Write, temporary: ast.expr, node: ast.AST) -> None:
    event.report(
        RULE,
        node,
        f"{source_of(event.frame, temporary)} is a new copy: the write changes the copy, which is dropped at once, and "
        f"never reaches the source; write into the source itself",
    )


def _copies(temporary: ast.expr, value: Value) -> bool:
    """Whether a new value holds a copy of another one, as opposed to something computed or made."""
    if isinstance(temporary, ast.Subscript):
        return "picked" in value.traits
    func = temporary.func if isinstance(temporary, ast.Call) else None
    name = func.attr if isinstance(func, ast.Attribute) else ""
    return name in _COPYING or name in _CONVERTING or name in _LAYING_OUT


def _not_surely_dense(value: Value) -> bool:
    owner = value.owner
    return "noncontiguous" in value.traits or not any(r.origin == "fresh" and not r.kept for r in owner.regions)
