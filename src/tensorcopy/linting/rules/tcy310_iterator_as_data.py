"""Iterators and views of dicts given where a sequence of numbers is needed."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Call, on_call
from ..flow.places import replaced
from ..flow.values import Value
from ..model import Fix, Level, Rule
from ._data import FUNCTIONS

RULE = Rule(
    code="TCY310",
    name="iterator-as-data",
    level=Level.ERROR,
    summary="an iterator or a view of a dict is given where a sequence is needed",
)
_KINDS = {
    "dict view": "a view of a dict",
    "zip": "a zip object",
    "map": "a map object",
    "filter": "a filter object",
    "enumerate": "an enumerate object",
    v.SET: "a set",
    v.DICT: "a dict",
}
_JOINING = ("torch.stack", "torch.cat", "torch.concat", "torch.vstack", "torch.hstack")
_NUMPY_JOINING = ("numpy.stack", "numpy.concatenate", "numpy.vstack", "numpy.hstack")


@on_call("numpy.array", "numpy.asarray", "numpy.asanyarray")
def array(event: Call) -> None:
    """``np.array(d.values())`` is an array of one object, the view itself."""
    found = _iterator(event.argument(0, "object"))
    if found and not _asks_for_objects(event.argument(1, "dtype")):
        event.report(
            RULE,
            event.node,
            f"NumPy does not read {found}: the result is an array without dimensions that holds the object itself; "
            f"make a list of it first",
            fix=_fix(event),
        )


@on_call(*FUNCTIONS, *_JOINING, *_NUMPY_JOINING)
def refused(event: Call) -> None:
    """``torch.tensor(d.values())``, ``torch.stack(t for t in ts)`` raise."""
    name = {"torch.asarray": "obj", "torch.tensor": "data", "torch.as_tensor": "data"}.get(event.name, "tensors")
    found = _iterator(event.argument(0, name))
    if found:
        event.report(
            RULE, event.node, f"{event.name}() takes a list or a tuple: it raises for {found}", fix=_fix(event)
        )


def _asks_for_objects(dtype: Value | None) -> bool:
    return dtype is not None and (dtype.const in ("O", "object") or dtype.ref in ("builtins.object", "numpy.object_"))


def _iterator(value: Value | None) -> str:
    if value is None or value.traits & {"annotated", "inferred", "or None", "on one branch"}:
        return ""
    if value.kind == v.LIST and "generator" in value.traits:
        return "a generator"
    return _KINDS.get(value.kind, "")


def _fix(event: Call) -> object:
    if not event.node.args:
        return None
    node = event.node.args[0]
    if isinstance(node, ast.GeneratorExp):
        return None
    text = f"list({ast.unparse(node)})"
    return lambda lines: Fix(title="make a list of it", edits=(replaced(node, text, lines),), safe=True)
