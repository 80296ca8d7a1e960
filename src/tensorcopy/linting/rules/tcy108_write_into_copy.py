"""A write into a temporary copy, which nobody reads."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Discarded, Write, on
from ..flow.values import Value
from ..model import Level, Rule

RULE = Rule(
    code="TCY108",
    name="write-into-copy",
    level=Level.ERROR,
    summary="a write goes into a temporary copy and is lost with it",
)

_COPYING = frozenset(("clone", "copy", "repeat", "astype", "index_select", "masked_select", "gather", "new_tensor"))
_MAY_COPY = frozenset(("reshape", "flatten", "ravel", "contiguous", "reshape_as"))


@on("Discarded")
def method(event: Discarded) -> None:
    """``x[mask].zero_()`` and ``x.reshape(-1).copy_(y)`` as statements."""
    node = event.node
    last = event.name.rpartition(".")[2]
    if not last.endswith("_") or last.endswith("__") or last in ("share_memory_", "requires_grad_"):
        return
    if not isinstance(node.func, ast.Attribute):
        return
    temporary, result = node.func.value, event.result
    if result is None or result.kind not in (v.TENSOR, v.ARRAY) or not isinstance(temporary, (ast.Call, ast.Subscript)):
        return
    _check(event, temporary, result, node)


@on("Write")
def subscript(event: Write) -> None:
    """``x[mask][0] = 1`` and ``a.flatten()[0] = 1``."""
    if event.how != "subscript" or not isinstance(event.node, ast.Subscript):
        return
    temporary = event.node.value
    if isinstance(temporary, (ast.Call, ast.Subscript)) and event.value.kind in (v.TENSOR, v.ARRAY):
        _check(event, temporary, event.value, event.node)


def _check(event: Discarded | Write, temporary: ast.expr, value: Value, node: ast.AST) -> None:
    if value.step is None and value.node is temporary and _copies(temporary, value):
        event.report(
            RULE,
            node,
            f"{_shown(temporary)} is a new copy: the write changes the copy, which is dropped at once, and never "
            f"reaches the source; write into the source itself",
        )
    elif value.step is not None and value.step.node is temporary and "may copy" in value.traits:
        last = value.step.name.partition("(")[0].rpartition(".")[2]
        if last in _MAY_COPY and _not_surely_dense(value):
            event.report(
                RULE,
                node,
                f"{last}() copies where the source is not contiguous: then the write changes the copy and never reaches "
                f"the source; write through view(), which raises instead",
            )


def _copies(temporary: ast.expr, value: Value) -> bool:
    if isinstance(temporary, ast.Subscript):
        return "picked" in value.traits
    func = temporary.func if isinstance(temporary, ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr in _COPYING


def _not_surely_dense(value: Value) -> bool:
    owner = value.owner
    return "noncontiguous" in value.traits or not any(r.origin == "fresh" and not r.kept for r in owner.regions)


def _shown(node: ast.expr) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) < 40 else text[:37] + "..."
