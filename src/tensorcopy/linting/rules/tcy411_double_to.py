"""``x.to(device).to(dtype)``: two passes over the data where one would do."""

from __future__ import annotations

import ast

from ..flow import dtypes
from ..flow import values as v
from ..flow.events import Call, on_call
from ..flow.places import replaced
from ..flow.values import Value
from ..model import Fix, Level, Rule
from ._chains import chained

RULE = Rule(
    code="TCY411",
    name="double-to",
    level=Level.NOTE,
    summary="to() is called on the result of to(), which copies twice where one call copies once",
)


@on_call("torch.Tensor.to")
def moved(event: Call) -> None:
    """One of the two gives a dtype, the other a device."""
    inner = chained(event.node, "to")
    if inner is None or len(inner.args) != 1 or len(event.node.args) != 1 or inner.keywords or event.node.keywords:
        return
    if event.receiver is None or "inferred" in event.receiver.traits:
        return
    event.report(
        RULE,
        event.node,
        "each to() makes a copy of its own: one for the device and one for the dtype; one call with both copies once",
        fix=_fix(event, inner),
    )


def _fix(event: Call, inner: ast.Call) -> object:
    second = event.args[0]
    assert isinstance(inner.func, ast.Attribute)
    first, last = inner.args[0], event.node.args[0]
    if second is None:
        return None
    pair = (first, last) if _is_dtype(second) and _says_device(first) else None
    if pair is None:
        return None
    text = f"{ast.unparse(inner.func.value)}.to({ast.unparse(pair[0])}, {ast.unparse(pair[1])})"
    return lambda lines: Fix(title="move and cast in one call", edits=(replaced(event.node, text, lines),), safe=True)


def _is_dtype(value: Value) -> bool:
    return value.kind == v.DTYPE and bool(dtypes.dtype_of(value))


def _says_device(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
