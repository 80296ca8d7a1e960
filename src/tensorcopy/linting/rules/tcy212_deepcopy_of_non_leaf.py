"""A deep copy of what is not a leaf of the graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..flow import values as v
from ..flow.events import AssignedAttribute, Call, on, on_call
from ..flow.project import ClassInfo
from ..flow.values import Value
from ..model import Level, Rule
from ._reading import statement_of
from ._recorded import level_recorded
from ._saving import is_computed

RULE = Rule(
    code="TCY212",
    name="deepcopy-of-non-leaf",
    level=Level.ERROR,
    summary="copy.deepcopy of a tensor that operations made on the graph raises RuntimeError",
)


@on_call("copy.deepcopy")
def copied(event: Call) -> None:
    """``copy.deepcopy(y)`` of a computed tensor, of a container of such, or of a module that holds one."""
    source = event.argument(0, "x")
    if source is None or (isinstance(source.ref, ClassInfo) and _copies_itself(source.ref)):
        return
    normed = next(_hooked(source, 0), None)
    if normed is not None:
        here = event.frame.unit.parents.get(normed) is not None
        event.report(
            RULE,
            normed if here else event.node,
            "the hooks of weight_norm leave a `weight` that is no leaf of the graph: deepcopy raises RuntimeError; "
            "use torch.nn.utils.parametrizations.weight_norm",
            [(event.node, "the module is copied here")] if here else [],
        )
    elif event.frame.grad == "on" and (inner := _computed(source)) is not None:
        event.report(
            RULE,
            event.node,
            "deepcopy of a tensor that was computed on the graph raises RuntimeError; copy with .detach().clone()",
            [(inner.node, "computed here")] if isinstance(inner.node, ast.expr) else [],
            level=level_recorded(event.frame),
        )


@on("AssignedAttribute")
def kept_by_forward(event: AssignedAttribute) -> None:
    """``self.weights = self.proj(x).softmax(-1)`` in a forward: noted for the deep copy that follows a call."""
    frame, target = event.frame, event.target
    if frame.function is None or frame.function.name != "forward" or frame.cls is None or not frame.cls.is_module:
        return
    if isinstance(target.value, ast.Name) and target.value.id == "self":
        kept = frame.unit.remembered.setdefault(RULE.code, {}).setdefault(frame.cls, {})
        kept[target.attr] = event.node if event.value is not None and is_computed(event.value) else None


@on_call("copy.deepcopy")
def copied_after_use(event: Call) -> None:
    """``net(x); copy.deepcopy(net)``, where the forward keeps something of the graph."""
    source, given = event.argument(0, "x"), event.argument_node(0, "x")
    info = source.ref if source is not None else None
    if not isinstance(info, ClassInfo) or _copies_itself(info) or not isinstance(given, ast.Name):
        return
    kept = event.frame.unit.remembered.get(RULE.code, {}).get(info, {})
    name, place = next(((n, p) for n, p in kept.items() if p is not None), ("", None))
    call = _called_before(event, given.id)
    if place is not None and call is not None:
        event.report(
            RULE,
            event.node,
            f"the forward of {given.id} keeps {name} on the graph, and deepcopy of it raises RuntimeError; keep it "
            f"with .detach(), or copy the module before it is used",
            [(place, "kept here"), (call, f"{given.id} is called here")],
        )


def _called_before(event: Call, name: str) -> ast.AST | None:
    """Where the module is called on the way to the copy: in a statement before it, of the same block."""
    frame = event.frame
    copy = statement_of(frame, event.node)
    block = getattr(frame.unit.parents.get(copy), "body", []) if copy is not None else []
    for statement in block[: block.index(copy)] if copy in block else []:
        if isinstance(statement, (ast.Expr, ast.Assign)):
            for node in ast.walk(statement):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                    return node if frame.grad == "on" else None
    return None


def _copies_itself(info: ClassInfo) -> bool:
    return any(info.method(name) is not None for name in ("__deepcopy__", "__reduce_ex__", "__getstate__"))


def _hooked(value: Value | None, depth: int) -> Iterator[ast.AST]:
    """Where a module, or one inside of it, got the hooks of weight_norm. Those of spectral_norm fail only after use."""
    if value is None or depth > 4:
        return
    if {"hooked norm", "weight_norm"} <= value.traits and value.node is not None:
        yield value.node
    inner: list[Value | None] = []
    if isinstance(value.items, list):
        inner = value.items[:32]
    elif isinstance(value.ref, ClassInfo):
        inner = [*value.ref.attributes.values(), *(a for p in value.ref.parents for a in p.attributes.values())]
    elif isinstance(value.items, dict):
        inner = list(value.items.values())[:32]
    for item in inner:
        if item is not None and item is not value and item.kind in (v.MODULE, v.LIST, v.TUPLE):
            yield from _hooked(item, depth + 1)


def _computed(source: Value) -> Value | None:
    """A tensor in *source* that operations made on the graph."""
    items: list[Value | None] = [source]
    if isinstance(source.items, list) and source.kind in (v.LIST, v.TUPLE):
        items = source.items
    elif isinstance(source.items, dict) and source.kind == v.DICT:
        items = list(source.items.values())
    return next((i for i in items if i is not None and is_computed(i)), None)
