"""A loss that is back-propagated, kept by the object together with its graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..flow.events import FunctionEnd, on
from ..flow.frame import Frame
from ..flow.places import inserted_after
from ..flow.walking import walk
from ..model import Fix, Level, Rule
from ._reading import position

RULE = Rule(
    code="TCY218",
    name="graph-kept-on-object",
    level=Level.WARNING,
    summary="a loss that is back-propagated is also collected on the object: each call's graph stays in memory",
)
_BACKWARD = frozenset(("backward", "manual_backward"))
_OFF_GRAPH = frozenset(("item", "detach", "data", "numpy", "tolist", "detach_"))


@on("FunctionEnd")
def ended(event: FunctionEnd) -> None:
    """``loss.backward(); self.losses.append(loss)``, and the same in a ``training_step`` that returns the loss."""
    frame, function = event.frame, event.node
    if frame.cls is None or frame.grad == "off" or not isinstance(function, ast.FunctionDef):
        return
    if not frame.unit.mentions(function, "append(", "+="):
        return
    nodes = list(walk(function))
    losses = {name: node for node in nodes for name in _trained(frame, function, node)}
    for node in nodes if losses else ():
        for kept in _collected(function, node):
            if kept.id not in losses or _is_cut(nodes, kept.id) or _is_of_numbers(nodes, kept.id):
                continue
            if not _is_another(nodes, kept, losses[kept.id]):
                _tell(event, node, kept, losses[kept.id])


def _trained(frame: Frame, function: ast.FunctionDef, node: ast.AST) -> Iterator[str]:
    """The variables of which gradients are taken, here or by the framework that calls."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _BACKWARD:
        found: ast.expr | None = node.args[0] if node.args else node.func.value
        if isinstance(found, ast.Call) and found.args:
            found = found.args[0]
        if isinstance(found, ast.Name):
            yield found.id
    elif isinstance(node, ast.Return) and function.name == "training_step" and _is_lightning(frame):
        value = node.value
        values = (
            [v for k, v in zip(value.keys, value.values, strict=True) if getattr(k, "value", "") == "loss"]
            if (isinstance(value, ast.Dict))
            else [value]
        )
        yield from (v.id for v in values if isinstance(v, ast.Name))


def _is_lightning(frame: Frame) -> bool:
    return frame.cls is not None and any(name.endswith("LightningModule") for name in frame.cls.base_names())


def _collected(function: ast.FunctionDef, node: ast.AST) -> Iterator[ast.Name]:
    """What is put as it is into something that the object holds: ``self.seen.append(x)``, ``self.sum += x``."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and _is_own(function, node.target):
        yield from _plain(node.value)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return
    if node.func.attr == "append" and _is_own(function, node.func.value):
        yield from _plain(node.args[0])


def _plain(node: ast.expr) -> Iterator[ast.Name]:
    if isinstance(node, ast.Name):
        yield node
    elif isinstance(node, (ast.Tuple, ast.List)):
        yield from (e for e in node.elts if isinstance(e, ast.Name))
    elif isinstance(node, ast.Dict):
        yield from (e for e in node.values if isinstance(e, ast.Name))


def _is_own(function: ast.FunctionDef, node: ast.AST) -> bool:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    first = function.args.args[0].arg if function.args.args else ""
    return isinstance(node, ast.Name) and node.id == first


def _is_cut(nodes: list[ast.AST], name: str) -> bool:
    """Whether the variable is given a value without a graph: ``loss = loss.detach()``."""
    bindings = (n for n in nodes if isinstance(n, ast.Assign))
    values = [n.value for n in bindings if any(isinstance(t, ast.Name) and t.id == name for t in n.targets)]
    return any(isinstance(n, ast.Attribute) and n.attr in _OFF_GRAPH for value in values for n in walk(value))


def _is_of_numbers(nodes: list[ast.AST], name: str, depth: int = 0) -> bool:
    """Whether a constructor of tensors makes the variable, or the loss in the dict that it is: it has no graph."""
    for node in nodes:
        if not isinstance(node, ast.Assign) or not any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            continue
        value = node.value
        if isinstance(value, ast.Call) and getattr(value.func, "attr", "") in ("tensor", "as_tensor", "Tensor"):
            return True
        entry = _entry(value, "loss")
        if depth < 2 and isinstance(entry, ast.Name) and _is_of_numbers(nodes, entry.id, depth + 1):
            return True
    return False


def _entry(value: ast.expr, key: str) -> ast.expr | None:
    """What a written dict holds under a key."""
    if not isinstance(value, ast.Dict):
        return None
    pairs = zip(value.keys, value.values, strict=True)
    return next((v for k, v in pairs if isinstance(k, ast.Constant) and k.value == key), None)


def _is_another(nodes: list[ast.AST], kept: ast.Name, trained: ast.AST) -> bool:
    """Whether the variable is bound to something else between the gradient and the keeping."""
    bound = (n for n in nodes if isinstance(n, ast.Name) and n.id == kept.id and isinstance(n.ctx, ast.Store))
    return any(position(trained) < position(n) < position(kept) for n in bound)


def _tell(event: FunctionEnd, node: ast.AST, kept: ast.Name, trained: ast.AST) -> None:
    event.report(
        RULE,
        node,
        f"{kept.id} is kept on the object with its graph, and with all that the graph holds, call after call; keep "
        f"{kept.id}.detach()",
        related=((trained, "the gradient is taken of it here"),),
        fix=lambda lines: Fix(
            title="Keep the value without its graph", edits=(inserted_after(kept, ".detach()", lines),), safe=True
        ),
    )
