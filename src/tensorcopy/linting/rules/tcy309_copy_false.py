"""``np.array(x, copy=False)``: "if needed" in NumPy 1, "never" in NumPy 2."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.dtypes import asked_for
from ..flow.events import Call, on_call
from ..flow.places import replaced
from ..flow.values import Value
from ..model import Fix, Level, Rule
from ._data import is_array

RULE = Rule(
    code="TCY309",
    name="never-copy",
    level=Level.WARNING,
    summary="np.array(x, copy=False) raises under NumPy 2 wherever a copy is needed",
)


@on_call("numpy.array")
def never(event: Call) -> None:
    """A copy is forbidden, and may be needed: for a list, another dtype, a tensor."""
    flag = event.keywords.get("copy")
    if flag is None or flag.const is not False:
        return
    data = event.argument(0, "object")
    plain = not any(k.arg not in ("copy", None) for k in event.node.keywords) and len(event.node.args) == 1
    if is_array(data) and plain:
        return
    needed = data is not None and (data.kind in (v.LIST, v.TUPLE, v.TENSOR, *v.NUMBERS) or _is_cast(event, data))
    where = "here" if needed else "where a copy is needed"
    event.report(
        RULE,
        event.node,
        f"copy=False means never since NumPy 2: np.array() raises ValueError {where}; "
        f"np.asarray() copies only if it has to",
        fix=_fix(event),
        level=None if needed else Level.NOTE,
    )


def _is_cast(event: Call, data: Value) -> bool:
    """Whether an array of a known dtype is asked for another one."""
    asked = asked_for(event.args[1:], event.keywords)
    return is_array(data) and data.dtype != "" and asked not in ("", data.dtype)


def _fix(event: Call) -> object:
    func, keywords = event.node.func, {k.arg for k in event.node.keywords}
    if not isinstance(func, ast.Attribute) or keywords - {"copy", "dtype", "order"} or len(event.node.args) > 2:
        return None
    rest = [ast.unparse(a) for a in event.node.args]
    rest += [f"{k.arg}={ast.unparse(k.value)}" for k in event.node.keywords if k.arg != "copy"]
    text = f"{ast.unparse(func.value)}.asarray({', '.join(rest)})"
    return lambda lines: Fix(title="use np.asarray()", edits=(replaced(event.node, text, lines),), safe=True)
