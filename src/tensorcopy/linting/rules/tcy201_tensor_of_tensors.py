"""A list of tensors handed to a constructor that reads numbers."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Call, on_call
from ..flow.frame import Frame
from ..flow.places import replaced
from ..flow.values import Value
from ..model import Edit, Fix, Level, Rule
from ._reading import body_of
from ._recorded import is_recorded

RULE = Rule(
    code="TCY201",
    name="tensor-of-tensors",
    level=Level.ERROR,
    summary="a list of tensors is read number by number: the graph is cut, and longer elements raise",
)
_CONSTRUCTORS = (
    "tensor",
    "as_tensor",
    "asarray",
    "Tensor",
    "FloatTensor",
    "DoubleTensor",
    "HalfTensor",
    "LongTensor",
    "IntTensor",
)


@on_call(*(f"torch.{name}" for name in _CONSTRUCTORS), "torch.cuda.FloatTensor", "torch.cuda.LongTensor")
@on_call("torch.Tensor.new_tensor")
def built(event: Call) -> None:
    """``torch.tensor([a, b])`` of tensors."""
    source = event.argument(0, "data")
    name = event.name.rpartition(".")[2]
    tensors, mixed = _elements(source)
    written_out = isinstance(event.argument_node(0, "data"), (ast.List, ast.Tuple))
    if not tensors and written_out and _are_attributes_that_may_be(source):
        event.report(
            RULE,
            event.node,
            f"these attributes hold tensors for some inputs: torch.{name} then cuts their graph and raises where one "
            f"has several elements; use torch.stack of torch.as_tensor",
            level=Level.WARNING,
        )
    if not tensors or _only_if_empty(event):
        return
    attached = event.frame.grad == "on" and any(_needs_gradient(event.frame, t) for t in tensors)
    if any("vector" in t.traits for t in tensors):
        text = f"torch.{name} of a list of tensors with several elements raises ValueError"
    elif attached:
        text = f"torch.{name} copies the values of tensors that are on the graph: no gradient reaches them"
    else:
        text = f"torch.{name} reads each tensor as one number: a wait for the device each, an error if one is longer"
    fix = _stacked(event) if not mixed else None
    level = Level.ERROR if attached or "ValueError" in text else _level_off_graph(event, tensors, mixed=mixed)
    event.report(RULE, event.node, f"{text}; use torch.stack", _made(source, event.node), fix, level)


def _needs_gradient(frame: Frame, tensor: Value) -> bool:
    """Whether it is on the graph for sure: where one is recorded, or as a parameter in the forward of its module."""
    in_forward = frame.function is not None and frame.function.name == "forward"
    return tensor.graph == v.ON and (is_recorded(frame) or (in_forward and "parameter" in tensor.traits))


def _level_off_graph(event: Call, tensors: list[Value], *, mixed: bool) -> Level:
    """A few tensors written in a list, outside of a loop, are a matter of style, and so are numbers made here."""
    literal = isinstance(event.argument_node(0, "data"), (ast.List, ast.Tuple))
    style = mixed or len(tensors) == 1 or event.frame.loop is None or all(_is_number(t) for t in tensors)
    alone = mixed and len(tensors) == 1
    return Level.NOTE if alone or (literal and style) else Level.WARNING


def _is_number(item: Value) -> bool:
    """Whether it was made of a number where it lies, on the CPU: ``torch.tensor(0.5)``."""
    made = item.owner.node
    if not isinstance(made, ast.Call) or len(made.args) != 1 or any(k.arg == "device" for k in made.keywords):
        return False
    return getattr(made.func, "attr", getattr(made.func, "id", "")) in ("tensor", "scalar_tensor")


def _only_if_empty(event: Call) -> bool:
    """Whether this is the empty case: ``torch.stack(b) if len(b) else torch.tensor(b)``."""
    outer = event.frame.unit.parents.get(event.node)
    if isinstance(outer, ast.IfExp) and outer.orelse is event.node and "stack" in ast.unparse(outer.body):
        return True
    argument = event.argument_node(0, "data")
    return isinstance(argument, ast.Name) and any(
        isinstance(n, ast.Call) and ast.unparse(n).endswith((f"stack({argument.id})", f"cat({argument.id})"))
        for n in ast.walk(body_of(event.frame))
    )


def _elements(source: Value | None) -> tuple[list[Value], bool]:
    """The tensors of a list that holds nothing but tensors and numbers, and whether there are numbers among them."""
    if source is None or source.kind not in (v.LIST, v.TUPLE) or not isinstance(source.items, list):
        return [], False
    if source.traits & {"repeated", "annotated", "sizes"} or any(i is None for i in source.items):
        return [], False
    tensors = [i for i in source.items if _is_tensor(i)]
    numbers = [i for i in source.items if i.kind in v.NUMBERS]
    return (tensors, bool(numbers)) if len(tensors) + len(numbers) == len(source.items) else ([], False)


def _are_attributes_that_may_be(source: Value | None) -> bool:
    """Whether all elements are kept by the object, set by another method to a tensor or to a number, as it goes."""
    items = source.items if source is not None and source.kind in (v.LIST, v.TUPLE) else None
    if not isinstance(items, list) or not items:
        return False
    return all(i is not None and i.kind == v.UNKNOWN and "maybe tensor" in i.traits and _is_kept(i) for i in items)


def _is_kept(item: Value) -> bool:
    return bool(item.regions) and all(region.kept for region in item.regions)


def _is_tensor(item: Value) -> bool:
    if item.kind != v.TENSOR or item.traits & {"or None", "subclass", "on one branch"}:
        return False
    # What an annotation says of the elements of a container is often not so.
    return not ("annotated" in item.owner.traits and any(r.many for r in item.regions))


def _made(source: Value | None, node: ast.AST) -> list[tuple[ast.AST, str]]:
    made = source.node if source is not None else None
    outside = isinstance(made, ast.expr) and made.lineno != getattr(node, "lineno", 0)
    return [(made, "the list of tensors is made here")] if outside and made is not None else []


def _stacked(event: Call) -> object:
    """``torch.stack(list)`` where the call has no other argument and torch is reached as a module."""
    func = event.node.func
    argument = event.node.args[0] if len(event.node.args) == 1 and not event.node.keywords else None
    if not isinstance(func, ast.Attribute) or argument is None or isinstance(argument, ast.GeneratorExp):
        return None
    base = ast.unparse(func.value)

    def fix(lines: list[str]) -> Fix:
        edits: tuple[Edit, ...] = (replaced(func, f"{base}.stack", lines),)
        return Fix(title="Use torch.stack, which keeps graph, dtype and device", edits=edits, safe=False)

    return fix if base == "torch" or base in event.frame.state.names or "." not in base else None
