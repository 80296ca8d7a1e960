"""A value returned with a graph that has been gone through already."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..flow import values as v
from ..flow.events import FunctionEnd, on
from ..flow.frame import Frame
from ..flow.places import inserted_after
from ..flow.walking import walk
from ..model import Fix, Level, Rule

RULE = Rule(
    code="TCY216",
    name="spent-graph-returned",
    level=Level.NOTE,
    summary="a value is returned after its gradient was taken: its graph serves nobody and stays in memory",
)
_APART = frozenset((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda))
_OFF_GRAPH = ("item", "detach", "data", "numpy", "tolist", "detach_")


@on("FunctionEnd")
def ended(event: FunctionEnd) -> None:
    """``loss.backward(); return loss``, ``grads = grad(energy, z); return grads, energy``."""
    if not isinstance(event.node, ast.FunctionDef) or not _takes_gradients(event.frame, event.node):
        return
    nodes = list(_own(event.node))
    spent = {key: node for node in nodes for key in _taken(event.frame, node)}
    if not spent:
        return
    for node in nodes:
        if isinstance(node, ast.Return) and node.value is not None:
            _check(event, nodes, node, node.value, spent)


def _takes_gradients(frame: Frame, function: ast.FunctionDef) -> bool:
    """A quick no by the text of a function."""
    if frame.unit.mentions(function, "backward(", "backward ("):
        return True
    return frame.unit.says("autograd") and frame.unit.mentions(function, "grad(")


def _own(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of a function that belong to none inside of it."""
    for statement in function.body:
        yield from walk(statement, _APART)


def _taken(frame: Frame, node: ast.AST) -> list[str]:
    """The variable whose gradient a call takes for the last time."""
    if not isinstance(node, ast.Call) or any(k.arg in ("retain_graph", "create_graph") for k in node.keywords):
        return []
    func = node.func
    if (
        isinstance(func, ast.Attribute)
        and func.attr == "backward"
        and isinstance(func.value, ast.Name)
        and not node.args
    ):
        return [func.value.id]
    if _name_of(frame, func) == "torch.autograd.grad" and node.args and isinstance(node.args[0], ast.Name):
        return [node.args[0].id]
    return []


def _name_of(frame: Frame, func: ast.expr) -> str:
    if isinstance(func, ast.Name):
        value = frame.lookup(func.id)
        return str(value.ref) if value is not None and value.kind == v.LIBRARY else ""
    return ast.unparse(func) if isinstance(func, ast.Attribute) else ""


def _check(
    event: FunctionEnd, nodes: list[ast.AST], node: ast.Return, value: ast.expr, spent: dict[str, ast.AST]
) -> None:
    elements = value.elts if isinstance(value, ast.Tuple) else value.values if isinstance(value, ast.Dict) else [value]
    for element in elements:
        if isinstance(element, ast.Name) and element.id in spent and not _detached(nodes, element.id):
            _tell(event, node, element, spent[element.id])
            return


def _detached(nodes: list[ast.AST], name: str) -> bool:
    """Whether the variable is given a value without graph, or a number, somewhere in the function."""
    for node in nodes:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            inner = list(ast.walk(node.value))
            if any(isinstance(n, ast.Attribute) and n.attr in _OFF_GRAPH for n in inner):
                return True
            if any(isinstance(n, ast.Name) and n.id in ("float", "int") for n in inner):
                return True
    return False


def _tell(event: FunctionEnd, node: ast.Return, element: ast.Name, taken: ast.AST) -> None:
    def fix(lines: list[str]) -> Fix:
        edits = (inserted_after(element, ".detach()", lines),)
        return Fix(title="Return the value without its graph", edits=edits, safe=False)

    event.report(
        RULE,
        node,
        f"the gradient of `{element.id}` has been taken, and it is returned with its graph: whoever keeps it keeps the "
        f"nodes of the whole computation; return {element.id}.detach()",
        [(taken, "the gradient is taken here, which frees what the graph had saved")],
        fix,
    )
