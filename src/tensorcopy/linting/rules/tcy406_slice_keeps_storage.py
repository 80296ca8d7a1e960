"""A small part of a tensor that is saved or collected, and with it the whole of its memory."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..flow import values as v
from ..flow.events import Call, Kept, on, on_call
from ..flow.places import inserted_after
from ..flow.values import Step, Value
from ..flow.walking import walk
from ..model import Fix, Level, Rule

RULE = Rule(
    code="TCY406",
    name="slice-keeps-storage",
    level=Level.WARNING,
    summary="a part of a tensor is saved or collected, which keeps the whole storage",
)


@on_call("torch.save", "pickle.dump", "pickle.dumps", "joblib.dump")
def saved(event: Call) -> None:
    """``torch.save(table[:10], file)`` writes all of the table."""
    data = event.argument(0, "obj")
    for value in _tensors(data):
        step = _part(value)
        if step is None or _whole_is_saved(data, value):
            continue
        event.report(
            RULE,
            event.node,
            "what is saved here is a part of a larger tensor, and a tensor is written with all of its storage: the "
            "file holds the whole; save a clone() of the part",
            related=((step.node, "the part is taken here"),),
            fix=_fix(event.node.args[0]) if value is data and event.node.args else None,
        )
        return


@on("Kept")
def collected(event: Kept) -> None:
    """``self.features.append(output[:, 0])``: each entry keeps all of its output."""
    value = event.value
    if event.how != "append" or value.kind != v.TENSOR or not isinstance(event.node, ast.Call):
        return
    step = _part(value)
    if step is None or step.base.traits & _KEPT_ANYWAY or not _takes_one_column(step.node):
        return
    if not _outlives(event) or _is_one_of_several(event, step):
        return
    event.report(
        RULE,
        event.node,
        "what is collected here is one slice of a tensor, and it keeps the memory of the whole tensor for as long as "
        "the list lives: collect a clone() of it",
        related=((step.node, "the slice is taken here"),),
        fix=_fix(event.node.args[-1]) if event.node.args else None,
    )


def _tensors(data: Value | None) -> Iterator[Value]:
    if data is None:
        return
    if data.kind == v.TENSOR:
        yield data
    elif isinstance(data.items, dict):
        yield from (i for i in data.items.values() if i is not None and i.kind == v.TENSOR)
    elif isinstance(data.items, list):
        yield from (i for i in data.items if i is not None and i.kind == v.TENSOR)


def _part(value: Value) -> Step | None:
    """The step that took a part of a tensor, if the value surely still lies in the memory of the whole."""
    steps = value.steps()
    if not steps or "may copy" in value.traits or any("may copy" in step.base.traits for step in steps):
        return None
    found = next((s for s in steps if _takes_part(s)), None)
    return found if found is not None and found.base.kind == v.TENSOR and not found.base.traits & _OTHERWISE else None


# Memory that is no larger than the part, or that belongs to a class with ways of its own.
_OTHERWISE = frozenset(("expanded", "subclass"))
# Memory that the program keeps anyway.
_KEPT_ANYWAY = frozenset(("parameter", "buffer", "grad"))


def _takes_part(step: Step) -> bool:
    if isinstance(step.node, ast.Subscript):
        return _restricts(step.node.slice) and step.name == "[...]"
    return step.name.rpartition(".")[2] in _SPLITTING


_SPLITTING = frozenset(("narrow", "select", "chunk", "split", "tensor_split", "unbind"))


def _restricts(index: ast.expr) -> bool:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(_is_bounded(p) or _is_number(p) for p in parts)


def _is_bounded(part: ast.expr) -> bool:
    return isinstance(part, ast.Slice) and (part.lower is not None or part.upper is not None)


def _is_number(part: ast.expr) -> bool:
    if isinstance(part, ast.UnaryOp):
        part = part.operand
    return isinstance(part, ast.Constant) and type(part.value) is int


def _whole_is_saved(data: Value | None, value: Value) -> bool:
    return any(other is not value and set(other.regions) & set(value.regions) for other in _tensors(data))


def _takes_one_column(node: ast.AST) -> bool:
    """``x[:, 0]``: an index behind a full slice. A first dimension may well be of size one."""
    index = node.slice if isinstance(node, ast.Subscript) else None
    if not isinstance(index, ast.Tuple) or len(index.elts) < 2:
        return False
    first = index.elts[0]
    full = isinstance(first, ast.Slice) and first.lower is None and first.upper is None
    return (full or (isinstance(first, ast.Constant) and first.value is Ellipsis)) and any(map(_is_number, index.elts))


def _outlives(event: Kept) -> bool:
    """Whether the list lives longer than the tensor: it belongs to an object, or to what is around the loop."""
    receiver = event.node.func.value if isinstance(event.node.func, ast.Attribute) else None
    region = event.value.regions[0]
    if isinstance(receiver, ast.Attribute) and isinstance(receiver.value, ast.Name):
        return region.origin in ("parameter", "fresh") and not region.kept
    if region.origin != "fresh" or region.depth == 0 or event.loop is None or region.node is None:
        return False
    if not isinstance(receiver, ast.Name) or _is_bound_in(event.loop, receiver.id):
        return False
    return event.frame.function is None or _is_given_back(event.frame.function.node, receiver.id)


def _is_given_back(function: ast.AST, name: str) -> bool:
    """Whether a function returns or yields a list as it is, instead of joining what it holds or reading it."""
    if any(_joins(n, name) for n in walk(function)):
        return False
    given = (n.value for n in walk(function) if isinstance(n, (ast.Return, ast.Yield)) and n.value is not None)
    parts = (p for value in given for p in (value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]))
    return any(isinstance(p, ast.Name) and p.id == name for p in parts)


def _joins(node: ast.AST, name: str) -> bool:
    """``found = torch.stack(found)``."""
    if not isinstance(node, ast.Assign) or not any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
        return False
    calls = (n for n in walk(node.value) if isinstance(n, ast.Call))
    return any(isinstance(a, ast.Name) and a.id == name for call in calls for a in call.args)


def _is_bound_in(loop: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in walk(loop))


def _is_one_of_several(event: Kept, step: Step) -> bool:
    """Whether other parts of the tensor are collected as well, so that its memory is wanted."""
    base = ast.unparse(step.node.value) if isinstance(step.node, ast.Subscript) else ""
    scope = event.frame.function.node if event.frame.function is not None else event.frame.unit.tree
    others = [
        n for n in walk(scope) if isinstance(n, ast.Subscript) and n is not step.node and isinstance(n.ctx, ast.Load)
    ]
    return any(ast.unparse(n.value) == base and _restricts(n.slice) for n in others)


def _fix(node: ast.expr) -> object:
    if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
        return None
    return lambda lines: Fix(title="clone the part", edits=(inserted_after(node, ".clone()", lines),), safe=True)
