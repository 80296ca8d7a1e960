"""``torch.Tensor(n)``: n is taken as a size, and the elements are whatever the memory held."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..flow import values as v
from ..flow.events import Call, on_call
from ..flow.places import replaced
from ..flow.values import Value
from ..flow.walking import Parents, walk
from ..model import Fix, Level, Rule
from ._data import CLASSES
from ._reading import body_of, position

RULE = Rule(
    code="TCY302",
    name="size-for-value",
    level=Level.ERROR,
    summary="a number given to a tensor class is its size, and the elements are uninitialised",
)
_MOVES = frozenset(
    ("to", "cuda", "cpu", "float", "double", "half", "long", "int", "type", "view", "reshape", "unsqueeze")
)
# What is written with these is a size, and meant as one.
_SIZES = frozenset(("shape", "size", "len", "numel", "nelement"))


@on_call(*CLASSES)
def number(event: Call) -> None:
    """One number as the only argument, and a result that is used without having been written."""
    if len(event.node.args) != 1 or event.node.keywords:
        return
    size = event.args[0]
    if size is None or size.kind not in v.NUMBERS or size.traits & {"or None"}:
        return
    if size.kind == v.FLOAT and not _is_surely_float(event.node.args[0], size):
        return
    if size.kind == v.FLOAT:
        event.report(
            RULE, event.node, f"{event.name}() of a float raises TypeError: it takes a size or a list", fix=_fix(event)
        )
        return
    if any(_name(n) in _SIZES for n in walk(event.node.args[0])):
        return
    use = _first_use(event)
    if use is not None:
        event.report(
            RULE,
            event.node,
            f"{event.name}(n) takes n as a size: it makes n elements of uninitialised memory, not one of n",
            related=((use, "the uninitialised elements are used here"),),
            fix=_fix(event),
        )


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _is_surely_float(node: ast.expr, value: Value) -> bool:
    """Whether it is a float whatever the data is: what `item` gives may be an integer."""
    if isinstance(value.const, float) or "annotated" in value.traits:
        return True
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)


def _first_use(event: Call) -> ast.AST | None:
    """Where the elements are read; None if they may have been written, or if what reads them is unknown."""
    parents = event.frame.unit.parents
    node, parent = _moved(event.node, parents)
    if _reads(node, parent):
        return parent
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1 and isinstance(parent.targets[0], ast.Name):
        return _use_of(event, parent.targets[0].id, parent)
    return None


def _moved(node: ast.AST, parents: Parents) -> tuple[ast.AST, ast.AST | None]:
    """The expression around that still gives the same elements, and what that stands in."""
    parent = parents.get(node)
    while isinstance(parent, ast.Attribute) and parent.attr in _MOVES and (call := parents.get(parent)) is not None:
        node = call
        parent = parents.get(node)
    return node, parent


def _reads(node: ast.AST, parent: ast.AST | None) -> bool:
    """Whether the parent makes something of the elements."""
    if isinstance(parent, ast.Return):
        return True
    return isinstance(parent, (ast.BinOp, ast.Compare))


def _use_of(event: Call, name: str, binding: ast.AST) -> ast.AST | None:
    uses = list(_loads(event, name, binding))
    parents = event.frame.unit.parents
    around = [_moved(use, parents) for use in uses]
    if not uses or not all(_reads(node, parent) for node, parent in around):
        return None
    return around[0][1]


def _loads(event: Call, name: str, binding: ast.AST) -> Iterator[ast.Name]:
    for node in walk(body_of(event.frame)):
        if isinstance(node, ast.Name) and node.id == name and position(node) > position(binding):
            yield node


def _fix(event: Call) -> object:
    func = event.node.func
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name):
        return None
    text = f"{func.value.id}.tensor({ast.unparse(event.node.args[0])})"
    return lambda lines: Fix(
        title="make a tensor that holds the number", edits=(replaced(event.node, text, lines),), safe=False
    )
