"""A misspelt ``requires_grad``."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import AssignedAttribute, Call, on, on_call
from ..flow.expressions import evaluate
from ..flow.frame import Frame
from ..flow.places import replaced
from ..flow.project import ClassInfo
from ..flow.values import Value
from ..model import Edit, Fix, Level, Rule

RULE = Rule(
    code="TCY211",
    name="requires-grad-typo",
    level=Level.ERROR,
    summary="a misspelt requires_grad sets a new attribute: nothing is frozen and nothing trains",
)
TYPOS = frozenset(
    [
        "require_grad",
        "require_grads",
        "require_gard",
        "require_gradient",
        "required_grad",
        "requiers_grad",
        "requires_gra",
        "requires_grad_",
        "requires_gradd",
        "requires_gradient",
        "requires_grads",
        "requires_garad",
        "requires_gard",
        "requires_Grad",
        "requiresgrad",
        "requries_grad",
        "reqires_grad",
        "reguires_grad",
        "requried_grad",
        "requires_frad",
    ]
)


@on("AssignedAttribute")
def assigned(event: AssignedAttribute) -> None:
    """``p.require_grad = False``, ``p.requires_grad_ = False``, ``model.requires_grad = False``."""
    target = event.target
    misspelt = target.attr in TYPOS
    if (not misspelt and target.attr != "requires_grad") or _is_self(target.value):
        return
    base = _base(event.frame, target.value)
    if base is not None and base.kind == v.MODULE:
        _module(event, target, base)
    elif misspelt and _takes_it(event.frame, base, target):
        what = "replaces the method requires_grad_()" if target.attr == "requires_grad_" else "sets a new attribute"
        _tell(
            event,
            target,
            f"{what} on the tensor, and requires_grad stays as it was: nothing is frozen or trained by it",
            "requires_grad",
        )


def _base(frame: Frame, node: ast.expr) -> Value | None:
    if isinstance(node, ast.Name):
        return frame.lookup(node.id)
    if isinstance(node, ast.Subscript):
        return evaluate(frame, node)
    if isinstance(node, ast.Attribute):
        return frame.state.attributes.get(ast.unparse(node)) or _attribute(frame, node)
    return None


def _attribute(frame: Frame, node: ast.Attribute) -> Value | None:
    holder = frame.lookup(node.value.id) if isinstance(node.value, ast.Name) else None
    if holder is not None and isinstance(holder.ref, ClassInfo):
        return holder.ref.attribute(node.attr)
    return None


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def _module(event: AssignedAttribute, target: ast.Attribute, base: Value) -> None:
    """On a module the attribute is not even misspelt: modules have none of that name."""
    if isinstance(base.ref, ClassInfo) and (
        base.ref.method(target.attr) is not None or target.attr in base.ref.attributes
    ):
        return
    if target.attr in ("requires_grad", "requires_grad_") or target.attr in TYPOS:
        _tell(
            event,
            target,
            "sets a new attribute on the module, and its parameters stay as they were; call module.requires_grad_(...)",
            "",
        )


def _takes_it(frame: Frame, base: Value | None, target: ast.Attribute) -> bool:
    """Whether what gets the attribute is a tensor: known, or a weight of something."""
    if base is not None and base.kind == v.TENSOR:
        return "subclass" not in base.traits
    weight = isinstance(target.value, ast.Attribute) and target.value.attr in ("weight", "bias", "data")
    return weight and not _is_used(frame, target.attr)


def _is_used(frame: Frame, name: str) -> bool:
    """Whether the file reads the attribute as well: then it is the file's own."""
    return any(
        isinstance(n, ast.Attribute) and n.attr == name and isinstance(n.ctx, ast.Load)
        for n in ast.walk(frame.unit.tree)
    )


def _tell(event: AssignedAttribute, target: ast.Attribute, text: str, right: str) -> None:
    def fix(lines: list[str]) -> Fix:
        edit: Edit = replaced(target, f"{ast.unparse(target.value)}.{right}", lines)
        return Fix(title=f"Write {right}", edits=(edit,), safe=False)

    event.report(RULE, event.node, f"`{target.attr}` {text}", (), fix if right else None)


@on_call("torch.Tensor.requires_grad")
def called(event: Call) -> None:
    """``p.requires_grad(False)``: the attribute is a truth value."""
    if event.receiver is not None and "subclass" not in event.receiver.traits:
        event.report(
            RULE, event.node, "requires_grad is an attribute: calling it raises TypeError; call requires_grad_(...)"
        )


_CONSTRUCTORS = (
    "tensor",
    "zeros",
    "ones",
    "rand",
    "randn",
    "full",
    "empty",
    "arange",
    "linspace",
    "eye",
    "zeros_like",
    "ones_like",
    "rand_like",
    "randn_like",
    "as_tensor",
)


@on_call(*(f"torch.{name}" for name in _CONSTRUCTORS), "torch.nn.Parameter", "torch.autograd.Variable")
def passed(event: Call) -> None:
    """``torch.zeros(3, require_grad=True)``: raises TypeError."""
    for keyword in event.node.keywords:
        if keyword.arg in TYPOS:
            event.report(
                RULE,
                event.node,
                f"`{keyword.arg}` is no argument of {event.name}: the call raises TypeError; write requires_grad",
            )
