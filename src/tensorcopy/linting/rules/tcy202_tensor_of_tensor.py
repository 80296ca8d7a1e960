"""A tensor copied through the constructor for numbers."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Call, on_call
from ..flow.frame import Frame
from ..flow.places import replaced
from ..flow.values import Value
from ..model import Fix, Level, Rule
from ._reading import ancestors

RULE = Rule(
    code="TCY202",
    name="tensor-of-tensor",
    level=Level.WARNING,
    summary="torch.tensor(t) of a tensor copies it, cuts the graph and warns",
)


@on_call("torch.tensor", "torch.Tensor.new_tensor", "?.new_tensor")
def copied(event: Call) -> None:
    """``torch.tensor(t)`` and ``x.new_tensor(t)`` of a known tensor."""
    source = event.argument(0, "data")
    if event.name != "torch.tensor" and _of_itself(event.node):
        source = source if source is not None and source.kind == v.TENSOR else Value(v.TENSOR)
    if source is not None and source.kind == v.UNKNOWN and "collated" in source.traits:
        source = Value(v.TENSOR)
    if (
        source is None
        or source.kind != v.TENSOR
        or source.traits & {"inferred", "or None", "subclass", "on one branch", "number"}
    ):
        return
    if _annotated_only(event.frame, event.node, source):
        return
    if (_asks_for_gradient(event) and source.graph == v.ON) or _only_kept(event.frame, event.node):
        return
    call = "torch.tensor" if event.name == "torch.tensor" else "new_tensor"
    attached = source.graph == v.ON and event.frame.grad == "on"
    effect = "and cuts the graph, so that no gradient reaches it" if attached else "and would cut its graph"
    advice = (
        "use it as it is, or x.detach().clone() for a copy"
        if attached
        else "use x.detach().clone() for a copy, torch.as_tensor(x) otherwise"
    )
    event.report(
        RULE, event.node, f"{call} of a tensor copies it, with a UserWarning, {effect}; {advice}", (), _cloned(event)
    )


def _asks_for_gradient(event: Call) -> bool:
    """A new leaf on purpose is another rule's matter."""
    asked = event.keywords.get("requires_grad")
    return "requires_grad" in event.keywords and (asked is None or asked.const is not False)


def _annotated_only(frame: Frame, node: ast.AST, source: Value) -> bool:
    """Whether only an annotation says so, while callers in the same file hand over who knows what."""
    if "argument" in source.owner.traits and any(isinstance(a, ast.If) for a in ancestors(frame, node)):
        return True  # one of the kinds of arguments that the function tells apart
    if "annotated" not in source.owner.traits or frame.function is None:
        return False
    if any(r.many for r in source.regions) or frame.function.name.startswith("test_"):
        return True  # whoever parametrizes a test hands over what it likes
    return frame.unit.source.text.count(f"{frame.function.name}(") > 1


def _of_itself(call: ast.Call) -> bool:
    """``x.new_tensor(x)``: since x has the method, it is a tensor."""
    func, args = call.func, call.args
    return isinstance(func, ast.Attribute) and len(args) == 1 and ast.dump(func.value) == ast.dump(args[0])


def _only_kept(frame: Frame, node: ast.AST) -> bool:
    """Whether the copy goes straight into a record: ``values.append(torch.tensor(loss))``. It costs a warning only."""
    outer = next(ancestors(frame, node), None)
    if isinstance(outer, (ast.Expr, ast.FormattedValue)):
        return True
    return isinstance(outer, ast.Call) and outer is not node and _records(outer)


def _records(call: ast.Call) -> bool:
    func = call.func
    if isinstance(func, ast.Name):
        return func.id in ("print", "repr", "str", "float", "int")
    return isinstance(func, ast.Attribute) and func.attr in ("append", "log", "update", "add_scalar", "info", "debug")


def _cloned(event: Call) -> object:
    if len(event.node.args) != 1 or event.node.keywords or event.name != "torch.tensor":
        return None
    argument = event.node.args[0]
    text = ast.unparse(argument)
    if not isinstance(argument, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
        text = f"({text})"

    def fix(lines: list[str]) -> Fix:
        edit = replaced(event.node, f"{text}.detach().clone()", lines)
        return Fix(title="Copy with .detach().clone()", edits=(edit,), safe=_plain(event.argument(0, "data")))

    return fix


def _plain(source: Value | None) -> bool:
    """Whether the clone is the same: off the graph, nothing expanded (clone keeps such strides)."""
    return source is not None and source.graph == v.OFF and not source.traits & {"expanded", "noncontiguous"}
