"""NumPy asked for the memory of a tensor that is on the graph."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Call, on_call
from ..flow.places import inserted_after
from ..flow.values import Value
from ..model import Fix, Level, Rule
from ._callers import has_unknown_callers, is_called_without_graph
from ._recorded import level_recorded

RULE = Rule(
    code="TCY213",
    name="numpy-of-attached",
    level=Level.ERROR,
    summary="numpy() of a tensor that is on the graph raises RuntimeError; detach() first",
)
_READERS = ("array", "asarray", "ascontiguousarray", "asanyarray", "stack", "concatenate", "vstack", "hstack")
# Functions that make an array of a list first; a tensor alone they leave to its own methods.
_OF_LISTS = ("mean", "median", "sum", "std", "var", "max", "min", "average", "percentile", "quantile")


@on_call("torch.Tensor.numpy")
def asked(event: Call) -> None:
    """``t.numpy()`` of a tensor on the graph."""
    value = event.receiver
    if value is None or not _attached(value) or event.frame.grad != "on" or _forced(event):
        return
    func = event.node.func
    assert isinstance(func, ast.Attribute)
    receiver = func.value
    if is_called_without_graph(event.frame):
        return

    def fix(lines: list[str]) -> Fix:
        return Fix(title="Detach first", edits=(inserted_after(receiver, ".detach()", lines),), safe=True)

    unknown = has_unknown_callers(event.frame) and "leaf" not in value.traits
    unless = ", unless the caller records no graph" if unknown else ""
    event.report(
        RULE,
        event.node,
        f"numpy() of a tensor that requires grad raises RuntimeError{unless}; call .detach() before it",
        _origin(value, event.node),
        fix if isinstance(receiver, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)) else None,
        level_recorded(event.frame),
    )


@on_call(*(f"numpy.{name}" for name in (*_READERS, *_OF_LISTS)))
def read(event: Call) -> None:
    """``np.array(t)`` of a tensor on the graph, or of a list of such."""
    source = event.argument(0, "object")
    if source is None or event.frame.grad != "on":
        return
    name = event.name.rpartition(".")[2]
    listed = source.kind in (v.LIST, v.TUPLE) and isinstance(source.items, list)
    items = source.items if listed else [source] if name in _READERS else []
    value = next((i for i in items if i is not None and _attached(i)), None)
    if value is not None and not is_called_without_graph(event.frame):
        text = f"np.{name} asks a tensor that requires grad for its memory, which raises RuntimeError; detach it first"
        event.report(RULE, event.node, text, _origin(value, event.node), level=level_recorded(event.frame))


def _attached(value: Value) -> bool:
    return (
        value.kind == v.TENSOR
        and value.graph == v.ON
        and not value.traits & {"inferred", "or None", "on one branch", "subclass"}
    )


def _forced(event: Call) -> bool:
    return "force" in event.keywords or bool(event.args)


def _origin(value: Value, node: ast.AST) -> list[tuple[ast.AST, str]]:
    made = value.owner.node
    other = isinstance(made, ast.expr) and made.lineno != getattr(node, "lineno", 0)
    return [(made, "the tensor on the graph is made here")] if other and made is not None else []
