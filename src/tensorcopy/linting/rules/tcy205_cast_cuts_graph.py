"""A cast to integers in the middle of a differentiable computation."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import BackPropagated, Returned, on
from ..flow.frame import Frame
from ..flow.values import Cut, Value
from ..model import Level, Rule
from ._reading import body_of
from ._recorded import level_recorded
from ._roots import roots_of

RULE = Rule(
    code="TCY205",
    name="cast-cuts-graph",
    level=Level.WARNING,
    summary="a cast to an integer dtype drops the graph; what is computed from it gives no gradient",
)
_CASTS = (
    "torch.Tensor.to",
    "torch.Tensor.int",
    "torch.Tensor.long",
    "torch.Tensor.short",
    "torch.Tensor.char",
    "torch.Tensor.type",
    "torch.Tensor.byte",
)


@on("Returned")
def returned(event: Returned) -> None:
    """A function gets a value on the graph and returns one computed from its integers alone."""
    value = event.value
    if value.cut is None or event.frame.grad != "on":
        return
    if _cast_back(value) and not _straight_through(event.frame, value.cut):
        _tell(event, value.cut, event.node, "returned here, without a graph")


@on("BackPropagated")
def back_propagated(event: BackPropagated) -> None:
    """The cast sits in a term of the loss."""
    value = event.value
    if (
        value.cut is not None
        and _is_cast(value.cut)
        and value.kind == v.TENSOR
        and not _straight_through(event.frame, value.cut)
    ):
        _tell(event, value.cut, event.node, "back-propagated here")


def _tell(event: Returned | BackPropagated, cut: Cut, other: ast.AST, text: str) -> None:
    event.report(
        RULE,
        cut.node,
        "a cast to an integer dtype drops the graph without a word: no gradient passes here; "
        "keep the floating-point value, or pass the gradient on with x + (x.round() - x).detach()",
        [(other, text)],
        level=level_recorded(event.frame),
    )


def _cast_back(value: Value) -> bool:
    """Whether the value is floating point again, computed from integers that a cast made."""
    cut = value.cut
    return (
        cut is not None
        and value.kind == v.TENSOR
        and value.graph == v.OFF
        and value.dtype.startswith(("float", "bfloat"))
        and not value.traits & {"on one branch", "inferred"}
        and not cut.base.traits & {"inferred", "on one branch"}
        and _is_cast(cut)
    )


def _is_cast(cut: Cut) -> bool:
    return cut.name.partition("(")[0] in _CASTS


def _straight_through(frame: Frame, cut: Cut) -> bool:
    """Whether the value that was cast goes on by another way as well."""
    loads = [n.id for n in ast.walk(body_of(frame)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    root = roots_of(cut.node)
    return len(root) == 1 and loads.count(*root) > 1
