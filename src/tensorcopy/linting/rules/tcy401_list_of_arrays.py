"""A tensor of a list of arrays: every number becomes a Python object on the way."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Call, on_call
from ..flow.places import replaced
from ..flow.values import Value
from ..flow.vocabulary import NUMPY_FACTORIES
from ..model import Fix, Level, Rule
from ._data import CLASSES, FUNCTIONS, data_of, is_array

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
    if _is_listed(event):
        event.report(
            RULE,
            event.node,
            f"the list makes an object of every row or number of the array, and {event.name}() reads them one by one; "
            f"convert the array itself",
        )
    elif _holds_arrays(data):
        event.report(
            RULE,
            event.node,
            f"{event.name}() reads a list of arrays number by number, a hundred times as slow as np.stack()",
            fix=_fix(event),
        )


def _is_listed(event: Call) -> bool:
    """``torch.tensor(list(array))`` and ``torch.tensor([n for n in array])``."""
    made = event.argument_node(0, "data")
    called = isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id == "list"
    if not called and not _gives_each_as_it_is(made):
        return False
    data = data_of(event)
    items = data.items if data is not None and isinstance(data.items, list) else []
    steps = [i.step for i in items if i is not None and i.step is not None]
    return any(s.name in ("list(...)", "iteration") and is_array(s.base) for s in steps)


def _gives_each_as_it_is(made: ast.AST | None) -> bool:
    """``[n for n in array]``."""
    if not isinstance(made, ast.ListComp) or len(made.generators) != 1 or made.generators[0].ifs:
        return False
    return isinstance(made.elt, ast.Name) and ast.unparse(made.generators[0].target) == made.elt.id


def _holds_arrays(data: Value) -> bool:
    items = data.items if isinstance(data.items, list) else None
    return bool(items) and all(_is_block(item) for item in items or ())


def _is_block(item: Value | None) -> bool:
    """Whether it is an array with dimensions, so that reading it by numbers costs: many functions give scalars."""
    if item is None or item.kind != v.ARRAY or item.traits & {"inferred", "or None"}:
        return False
    return _has_dimensions(item, 0)


def _has_dimensions(value: Value, depth: int) -> bool:
    node, step = value.node, value.step
    if step is not None and step.name == "unpacking":
        return False
    if value.traits & {"annotated", "picked", "slice"} and (
        step is None or "slice" in value.traits or step.name == "="
    ):
        return True
    if isinstance(node, ast.Call) and _name_of(node) in ("asarray", "ascontiguousarray"):
        return not isinstance(_first(node), ast.Constant)
    if step is not None and depth < 8:
        if step.name in ("[...]", "iteration", "list(...)"):
            return isinstance(step.base.node, ast.Call) and _name_of(step.base.node) in ("eye", "identity")
        return _has_dimensions(step.base, depth + 1)
    return isinstance(node, ast.Call) and _name_of(node) in _MADE and not isinstance(_first(node), ast.Constant)


_MADE = NUMPY_FACTORIES | frozenset(
    [
        "array",
        "asarray",
        "stack",
        "concatenate",
        "vstack",
        "hstack",
        "rand",
        "randn",
        "random",
        "uniform",
        "normal",
        "randint",
        "load",
        "reshape",
        "flatten",
        "ravel",
        "copy",
        "astype",
        "transpose",
        "numpy",
        "repeat",
        "tile",
        "pad",
    ]
)


def _first(node: ast.Call) -> ast.expr | None:
    """The only argument of ``np.array(5)``, which has no dimensions."""
    return node.args[0] if _name_of(node) in ("array", "asarray") and node.args else None


def _name_of(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


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
