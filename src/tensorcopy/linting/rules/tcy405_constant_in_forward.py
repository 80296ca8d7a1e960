"""A constant tensor that is built and moved anew at every step."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Call, on_call
from ..flow.values import Value
from ..flow.walking import walk
from ..model import Level, Rule
from ._data import CLASSES, FUNCTIONS, leaves

RULE = Rule(
    code="TCY405",
    name="constant-in-forward",
    level=Level.WARNING,
    summary="a constant tensor is rebuilt and moved to the device at every forward pass",
)
_STEPS = frozenset(("forward", "training_step", "validation_step"))
_MOVES = frozenset(("to", "cuda", "type_as"))


@on_call(*FUNCTIONS, *CLASSES, "torch.Tensor.new_tensor")
def constant(event: Call) -> None:
    """``torch.tensor([0.485, 0.456, 0.406], device=x.device)`` inside ``forward``."""
    frame = event.frame
    if frame.cls is None or not frame.cls.is_module or frame.function is None or frame.function.name not in _STEPS:
        return
    data = event.argument_node(0, "data")
    written_out = data is not None and (_is_constant(data) or _is_constant_list(event.argument(0, "data")))
    single = not written_out and event.name in FUNCTIONS and _is_fixed_number(event, data)
    if not (written_out or single) or not _is_moved(event) or _is_kept(event):
        return
    if single:
        event.report(
            RULE,
            event.node,
            f"a number that never changes becomes a tensor and is moved to the device at every call of "
            f"{frame.function.name}(): calculate with the Python number, or register it once as a buffer",
            level=Level.NOTE,
        )
        return
    event.report(
        RULE,
        event.node,
        f"these numbers never change, but every call of {frame.function.name}() reads them from a list, allocates, "
        "and waits for their transfer to the device: register them once as a buffer, which moves with the module",
    )


def _is_constant(node: ast.expr) -> bool:
    """Whether it is a list of at least two numbers, written out."""
    if not isinstance(node, (ast.List, ast.Tuple)):
        return False
    inner = [n for n in walk(node) if not isinstance(n, (ast.List, ast.Tuple, ast.Load, ast.UnaryOp, ast.USub))]
    return len(inner) > 1 and all(isinstance(n, ast.Constant) and isinstance(n.value, (int, float)) for n in inner)


def _is_constant_list(value: Value | None) -> bool:
    """Whether a variable holds such a list, made in the same call."""
    if value is None or value.kind not in (v.LIST, v.TUPLE) or "comprehension" in value.traits:
        return False
    found = list(leaves(value))
    return len(found) > 1 and all(leaf is not None and isinstance(leaf.const, (int, float)) for leaf in found)


def _is_fixed_number(event: Call, data: ast.expr | None) -> bool:
    """Whether it is one number: written out, or kept by the constructor and set by no other method."""
    if isinstance(data, ast.Constant):
        return type(data.value) in (int, float)
    value, cls = event.argument(0, "data"), event.frame.cls
    if value is None or value.kind not in v.NUMBERS or cls is None:
        return False
    if not isinstance(data, ast.Attribute) or not isinstance(data.value, ast.Name) or data.value.id != "self":
        return False
    others = (m.node for name, m in cls.methods.items() if name != "__init__")
    return not any(_sets(node, data.attr) for node in others)


def _sets(tree: ast.AST, attribute: str) -> bool:
    return any(
        isinstance(n, ast.Attribute) and n.attr == attribute and isinstance(n.ctx, ast.Store) for n in walk(tree)
    )


def _is_moved(event: Call) -> bool:
    if event.name.endswith("new_tensor"):
        return True
    device = event.keywords.get("device")
    if "device" in event.keywords and (device is None or device.const != "cpu"):
        return True
    parent = event.frame.unit.parents.get(event.node)
    return isinstance(parent, ast.Attribute) and parent.attr in _MOVES


def _is_kept(event: Call) -> bool:
    """Whether the tensor is stored on an object, so that a later call may find it there."""
    node: ast.AST | None = event.node
    while node is not None and not isinstance(node, ast.stmt):
        node = event.frame.unit.parents.get(node)
    return isinstance(node, ast.Assign) and any(isinstance(t, ast.Attribute) for t in node.targets)
