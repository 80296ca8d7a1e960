"""A tensor of a list of arrays: every number becomes a Python object on the way."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Call, on_call
from ..flow.places import replaced
from ..flow.values import Value
from ..model import Fix, Level, Rule
from ._data import CLASSES, FUNCTIONS, data_of

RULE = Rule(
    code="TCY401",
    name="list-of-arrays",
    level=Level.WARNING,
    summary="a tensor is made of a list of arrays, number by number",
)


@on_call(*FUNCTIONS, *CLASSES)
def list_of_arrays(event: Call) -> None:
    """``torch.tensor([array, array])`` and ``torch.tensor(array.tolist())``."""
    data = data_of(event)
    if data is None or data.kind not in (v.LIST, v.TUPLE):
        return
    if data.kind == v.LIST and "of array" in data.traits:
        event.report(
            RULE,
            event.node,
            f"tolist() makes a Python object of every number, and {event.name}() reads them one by one; "
            f"{'convert field by field' if 'structured' in data.traits else 'convert the array itself'}",
        )
        return
    if _holds_arrays(data):
        event.report(
            RULE,
            event.node,
            f"{event.name}() reads a list of arrays number by number, a hundred times as slow as np.stack()",
            fix=_fix(event),
        )


def _holds_arrays(data: Value) -> bool:
    items = data.items if isinstance(data.items, list) else None
    return bool(items) and all(_is_block(item) for item in items or ())


def _is_block(item: Value | None) -> bool:
    """Whether it is an array with dimensions, so that reading it number by number costs."""
    if item is None or item.kind != v.ARRAY or item.traits & {"inferred", "or None"}:
        return False
    last = item.step
    return not (
        last is not None
        and last.name in ("[...]", "iteration")
        and "number index" in item.traits
        and _is_flat(last.base)
    )


def _is_flat(base: Value) -> bool:
    return "1-d" in base.traits


def _fix(event: Call) -> object:
    """``torch.from_numpy(np.stack(arrays))`` where nothing but the data is given."""
    numpy = (
        next((n for n, x in event.frame.unit.frame.state.names.items() if x is not None and x.ref == "numpy"), None)
        if event.frame.unit.frame
        else None
    )
    func = event.node.func
    if numpy is None or event.name not in FUNCTIONS or not event.node.args or not isinstance(func, ast.Attribute):
        return None
    argument = event.node.args[0]
    text = f"{numpy}.stack({ast.unparse(argument)})"
    return lambda lines: Fix(title="stack the arrays first", edits=(replaced(argument, text, lines),), safe=False)
