"""Casts between integers of one width, and unsigned differences: what does not fit wraps around, and nothing raises."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Call, Operator, on, on_call
from ..flow.values import Value
from ..model import Level, Rule

RULE = Rule(
    code="TCY311",
    name="wrapping-cast",
    level=Level.WARNING,
    summary="unsigned integers become signed ones of the same width, so that the upper half turns negative",
)
_SIGNED = {"uint8": "int8", "uint16": "int16", "uint32": "int32", "uint64": "int64"}
_WIDER = {"uint8": "int16", "uint16": "int32", "uint32": "int64", "uint64": "float64"}


@on_call("numpy.ndarray.astype", "torch.Tensor.to", "torch.Tensor.type", "torch.Tensor.short", "torch.Tensor.char")
def cast(event: Call) -> None:
    """``depth.astype(np.int16)`` of uint16."""
    source, result = event.receiver, event.result
    if source is None or result is None or _SIGNED.get(source.dtype) != result.dtype or _is_exact(source):
        return
    low = 2 ** (int(result.dtype[3:]) - 1)
    event.report(
        RULE,
        event.node,
        f"{source.dtype} becomes {result.dtype}, which holds half of it: values from {low:,} on become negative; "
        f"use {_WIDER[source.dtype]}",
        level=None if low < 2**31 else Level.NOTE,  # which few numbers reach
    )


@on("Operator")
def difference(event: Operator) -> None:
    """``image - 128`` of uint8: what is below 128 wraps to large numbers."""
    if not isinstance(event.node, ast.BinOp) or not isinstance(event.node.op, ast.Sub):
        return
    left, right = event.left, event.right
    if left is None or right is None or left.kind not in v.NUMERIC or left.dtype not in _SIGNED:
        return
    if right.kind == v.INT and isinstance(right.const, int) and right.const > 1 and not left.traits & {"inferred"}:
        event.report(
            RULE,
            event.node,
            f"the difference is {left.dtype} as well: elements below {right.const} wrap to large numbers; "
            f"make {_WIDER[left.dtype]} of it first",
        )


# What is asked of a difference that may be negative, and of a sum that may be large.
_SIGNED_USES = frozenset(["abs", "float", "double", "astype", "to", "mean", "int", "long", "square", "absolute"])


@on("Operator")
def of_two(event: Operator) -> None:
    """``(before - after).float().abs()`` and ``(a + b) / 2`` of uint8: it has wrapped before it is converted."""
    left, right, node = event.left, event.right, event.node
    if not isinstance(node, ast.BinOp) or left is None or right is None or left.dtype != right.dtype:
        return
    numeric = left.kind in v.NUMERIC and right.kind in v.NUMERIC
    if not numeric or left.dtype not in _SIGNED or (left.traits | right.traits) & {"inferred", "on one branch"}:
        return
    parent = event.frame.unit.parents.get(node)
    if isinstance(node.op, ast.Sub) and _takes_sign(node, parent):
        text = "where the second is larger it wraps to a large number, before what follows sees it"
    elif isinstance(node.op, ast.Add) and isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Div):
        text = f"above {2 ** int(left.dtype[4:]) - 1:,} it wraps to a small number, before it is divided"
    else:
        return
    kind = "difference" if isinstance(node.op, ast.Sub) else "sum"
    event.report(RULE, node, f"the {kind} is {left.dtype} as well: {text}; make {_WIDER[left.dtype]} of both first")


def _takes_sign(node: ast.AST, parent: ast.AST | None) -> bool:
    """Whether what is done with a difference has a meaning for negative numbers."""
    if isinstance(parent, ast.Attribute):
        return parent.value is node and parent.attr in _SIGNED_USES
    if isinstance(parent, ast.Call) and node in parent.args:
        return getattr(parent.func, "attr", getattr(parent.func, "id", "")) in ("abs", "absolute", "square", "mean")
    return isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Pow) and parent.left is node


def _is_exact(source: Value) -> bool:
    """Whether it holds only the small values that a test or a mask gives."""
    return bool(source.traits & {"inferred"})
