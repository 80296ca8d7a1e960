"""``torch.from_numpy`` takes arrays, and nothing else."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Call, on_call
from ..flow.places import replaced
from ..model import Fix, Level, Rule

RULE = Rule(
    code="TCY312",
    name="from-numpy-of-other",
    level=Level.ERROR,
    summary="torch.from_numpy is given something that is no array, and raises",
)
_SHOWN = {v.LIST: "a list", v.TUPLE: "a tuple", v.TENSOR: "a tensor", v.SERIES: "a column of pandas", v.DICT: "a dict"}
_UNSURE = frozenset(("inferred", "or None", "annotated", "argument", "on one branch"))


@on_call("torch.from_numpy")
def converted(event: Call) -> None:
    """A list, a tensor, or a column of pandas."""
    data = event.argument(0)
    if data is None or data.kind not in _SHOWN:
        return
    if any(value.traits & _UNSURE for value in (data, *(step.base for step in data.steps()))):
        return
    if _is_kept(event.node.args[0] if event.node.args else None):
        return
    event.report(
        RULE,
        event.node,
        f"from_numpy() takes NumPy arrays only: for {_SHOWN[data.kind]} it raises TypeError",
        fix=_fix(event) if data.kind in (v.LIST, v.TUPLE) else None,
    )


def _is_kept(node: ast.expr | None) -> bool:
    """Whether it is taken from an attribute of an object, ``self.table[i]``, which may hold another kind by then."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr not in ("values", "T")


def _fix(event: Call) -> object:
    func = event.node.func
    if not isinstance(func, ast.Attribute) or not event.node.args:
        return None
    text = f"{ast.unparse(func.value)}.tensor"
    return lambda lines: Fix(title="use torch.tensor()", edits=(replaced(func, text, lines),), safe=True)
