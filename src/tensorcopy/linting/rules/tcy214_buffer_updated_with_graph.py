"""A state of a module, updated from the graph."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import AssignedAttribute, Write, on
from ..flow.frame import Frame
from ..flow.places import inserted_after
from ..flow.values import Value
from ..model import Fix, Level, Rule
from ._reading import ancestors
from ._recorded import level_recorded
from ._training import names_in

RULE = Rule(
    code="TCY214",
    name="buffer-updated-with-graph",
    level=Level.ERROR,
    summary="a buffer updated from a value on the graph carries it into the next step, whose backward raises",
)
_OFF_GRAPH = ("detach", "data", "item", "numpy", "tolist")


@on("AssignedAttribute")
def assigned(event: AssignedAttribute) -> None:
    """``self.mean = 0.9 * self.mean + 0.1 * h.mean(0)`` in a forward."""
    target, value = event.target, event.value
    if value is None or value.graph != v.ON or not _certain(value):
        return
    name = _own_attribute(target)
    held = name and (_is_buffer(event.frame, name) or _is_average(event.frame, name, event.source))
    if held and _reads(event.source, name) and event.frame.grad == "on":
        _tell(event.frame, event, event.node, name, None)


@on("Write")
def written(event: Write) -> None:
    """``self.mean.mul_(0.9).add_(h.mean(0))`` in a forward."""
    value, incoming = event.value, event.written
    if incoming is None or incoming.graph != v.ON or event.frame.grad != "on" or not _certain(incoming):
        return
    if event.how not in ("method", "augmented", "subscript") or value.kind != v.TENSOR or _detached(value):
        return
    name = _name_of(event)
    if name and _is_buffer(event.frame, name):
        _tell(event.frame, event, event.node, name, _argument(event.node))


def _certain(value: Value) -> bool:
    return value.kind == v.TENSOR and not value.traits & {"inferred", "on one branch", "or None", "leaf"}


def _detached(value: Value) -> bool:
    return any(step.name in (".data", "torch.Tensor.detach") for step in value.steps())


def _own_attribute(node: ast.AST) -> str:
    own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return node.attr if own and isinstance(node, ast.Attribute) else ""


def _name_of(event: Write) -> str:
    """The attribute of self at the root of what is written."""
    node: ast.AST = event.node.target if isinstance(event.node, ast.AugAssign) else event.node
    while True:
        if name := _own_attribute(node):
            return name
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        else:
            return ""


def _is_buffer(frame: Frame, name: str) -> bool:
    """Whether the class registers a buffer of that name. The method has to run in training."""
    if frame.cls is None or not frame.cls.is_module or frame.function is None or frame.function.name == "__init__":
        return False
    for node in ast.walk(frame.cls.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "register_buffer":
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and first.value == name:
                return not _is_empty(node)
    return False


def _is_average(frame: Frame, name: str, source: ast.expr) -> bool:
    """``self.mean = 0.9 * self.mean + ...`` of a tensor that the constructor makes, and that nothing else binds."""
    if frame.cls is None or not frame.cls.is_module or frame.function is None or frame.function.name != "forward":
        return False
    if not isinstance(source, ast.BinOp) or not isinstance(source.op, (ast.Add, ast.Sub)):
        return False
    scaled = [n for n in (source.left, source.right) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult)]
    if not any(name in (_own_attribute(n.left), _own_attribute(n.right)) for n in scaled):
        return False
    stores = [n for n in ast.walk(frame.cls.node) if _own_attribute(n) == name and isinstance(n.ctx, ast.Store)]  # type: ignore[attr-defined]
    held = frame.cls.attribute(name)
    return len(stores) == 2 and held is not None and held.kind == v.TENSOR


def _is_empty(call: ast.Call) -> bool:
    """``register_buffer("cache", None)``: no state that is averaged, but what one sequence has collected."""
    given = call.args[1] if len(call.args) > 1 else next((k.value for k in call.keywords if k.arg == "tensor"), None)
    return isinstance(given, ast.Constant) and given.value is None


def _is_asked_for(frame: Frame, node: ast.AST) -> bool:
    """Whether the update stands under an option that is off unless the caller asks, as a cache for inference is."""
    function = frame.function
    if function is None:
        return False
    stated = function.node.args
    plain = [*stated.posonlyargs, *stated.args]
    pairs = [
        *zip(plain[len(plain) - len(stated.defaults) :], stated.defaults, strict=True),
        *((a, d) for a, d in zip(stated.kwonlyargs, stated.kw_defaults, strict=True) if d is not None),
    ]
    off = {a.arg for a, d in pairs if isinstance(d, ast.Constant) and d.value in (None, False)}
    tests = (outer.test for outer in ancestors(frame, node) if isinstance(outer, ast.If))
    return any(name in off for test in tests for name in names_in(test))


def _reads(node: ast.AST, name: str) -> bool:
    """Whether the old value goes into the new one with its graph."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and inner.attr in _OFF_GRAPH and _own_attribute(inner.value) == name:
            return False
    return any(_own_attribute(inner) == name for inner in ast.walk(node))


def _argument(node: ast.AST) -> ast.expr | None:
    """What is written, where a fix can detach it."""
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], (ast.Name, ast.Call, ast.Attribute)):
        return node.args[0]
    return None


def _tell(frame: Frame, event: AssignedAttribute | Write, node: ast.AST, name: str, argument: ast.expr | None) -> None:
    if _is_asked_for(frame, node):
        return

    def fix(lines: list[str]) -> Fix:
        assert argument is not None
        edits = (inserted_after(argument, ".detach()", lines),)
        return Fix(title="Detach what goes into the buffer", edits=edits, safe=False)

    event.report(
        RULE,
        node,
        f"the state `{name}` is updated from a value on the graph: it carries the graph of this step into the next, "
        "where backward() goes through it a second time and raises, or memory grows; detach the update",
        (),
        fix if argument is not None else None,
        level_recorded(frame),
    )
