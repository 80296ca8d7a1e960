"""Two objects that share parameters are deep-copied one by one, so that their copies no longer share."""

from __future__ import annotations

import ast
from typing import Any

from ..flow import values as v
from ..flow.events import AssignedAttribute, Call, on, on_call
from ..flow.walking import walk
from ..model import Level, Rule
from ._reading import body_of, source_of

RULE = Rule(
    code="TCY114",
    name="separate-deep-copies",
    level=Level.WARNING,
    summary="deepcopy keeps sharing inside one call only: copies of a model and of what refers to it are strangers",
)


@on_call("copy.deepcopy")
def optimizer(event: Call) -> None:
    """``net2, opt2 = deepcopy(net), deepcopy(opt)``: opt2 steps parameters that nobody uses."""
    source = event.argument(0, "x")
    if source is None or source.kind != v.OPTIMIZER or not _module_copied_too(event):
        return
    event.report(
        RULE,
        event.node,
        "the copied optimizer has copies of the parameters of its own, not those of the copied model: its steps change "
        "nothing that the model uses; copy both in one call, deepcopy((model, optimizer)), or make a new optimizer",
    )


@on_call("copy.deepcopy")
def left_behind(event: Call) -> None:
    """``opt = SGD(net.parameters()); net = deepcopy(net); opt.step()``: opt steps the parameters of the old net."""
    source, statement = event.argument(0, "x"), event.frame.unit.parents.get(event.node)
    named = event.argument_node(0, "x")
    if source is None or source.kind != v.MODULE or not isinstance(statement, ast.Assign):
        return
    if not isinstance(named, ast.Name) or ast.unparse(statement.targets[0]) != named.id:
        return
    for name, value in event.frame.state.names.items():
        if value is not None and value.kind == v.OPTIMIZER and _holds(value, source) and _steps(event, name):
            event.report(
                RULE,
                event.node,
                f"{name} was made for the parameters of the old {named.id}, and {named.id} is a copy from here on: its "
                f"steps change nothing that {named.id} uses; make the optimizer after the copy",
            )


def _holds(optimizer: v.Value, module: v.Value) -> bool:
    """Whether an optimizer was given the parameters of a module."""
    given = optimizer.items[0] if isinstance(optimizer.items, list) and optimizer.items else None
    items = given.items if given is not None and isinstance(given.items, list) else []
    regions = {region for item in items if item is not None for region in item.regions}
    return any(region.element in regions for region in module.regions)


def _steps(event: Call, name: str) -> bool:
    """Whether the optimizer makes a step after the copy, without being made anew."""
    later = [n for n in walk(body_of(event.frame)) if getattr(n, "lineno", 0) > event.node.lineno]
    anew = any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in later)
    return not anew and any(isinstance(n, ast.Attribute) and ast.unparse(n) == f"{name}.step" for n in later)


def _module_copied_too(event: Call) -> bool:
    return any(
        isinstance(n, ast.Call) and n is not event.node and ast.dump(n.func) == ast.dump(event.node.func)
        for n in walk(body_of(event.frame))
    )


@on("AssignedAttribute")
def tied(event: AssignedAttribute) -> None:
    """``decoder.weight = embedding.weight``, and later a deepcopy of each."""
    value, target = event.value, event.target
    if not isinstance(event.source, ast.Attribute) or value is None:
        return
    if value.kind != v.TENSOR or "parameter" not in value.traits:
        return
    pair = {ast.unparse(target.value), ast.unparse(event.source.value)}
    copies = _copies(event, pair)
    if len(copies) == 2 and len({c for c, _ in copies}) == 2:
        event.report(
            RULE,
            copies[0][1],
            f"{source_of(event.frame, target)} is {source_of(event.frame, event.source)}, and their owners are "
            f"deep-copied one by one: the copies hold two weights that no longer follow each other; copy both in one "
            f"call, deepcopy((a, b))",
            related=((event.node, "the weight is shared here"),),
        )


def _copies(event: AssignedAttribute, names: set[str]) -> list[tuple[str, Any]]:
    """The calls ``deepcopy(name)`` of these names in the function."""
    found = []
    for node in walk(body_of(event.frame)):
        if isinstance(node, ast.Call) and len(node.args) == 1 and _last(node.func) == "deepcopy":
            text = ast.unparse(node.args[0])
            if text in names:
                found.append((text, node))
    return found


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
