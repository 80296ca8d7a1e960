"""A term of a loss that lost its graph on the way."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import BackPropagated, on
from ..flow.values import Cut
from ..model import Level, Rule
from ._roots import roots_of

RULE = Rule(
    code="TCY204",
    name="term-without-gradient",
    level=Level.ERROR,
    summary="a term of a back-propagated sum left the graph (item(), .data, float()): it trains nothing",
)
# How a value leaves the graph by accident. detach() says that it is meant.
_WORDS = {
    ".data": ".data",
    "torch.Tensor.item": ".item()",
    "torch.Tensor.tolist": ".tolist()",
    "float": "float()",
    "int": "int()",
    "torch.tensor": "torch.tensor()",
    "torch.Tensor": "torch.Tensor()",
    "torch.Tensor.new_tensor": "new_tensor()",
    "torch.autograd.Variable": "Variable()",
}


@on("BackPropagated")
def back_propagated(event: BackPropagated) -> None:
    """``loss = a + b.item(); loss.backward()``: nothing that b depends on learns of it."""
    value = event.value
    cut = value.cut
    if cut is None or value.kind != v.TENSOR or value.graph != v.ON or "leaf" in value.traits:
        return
    word = _word(cut)
    if word is None or cut.base.traits & {"inferred", "on one branch"} or _straight_through(event, cut):
        return
    event.report(
        RULE,
        cut.node,
        f"{word} takes this term of the loss off the graph: backward() gives no gradient to what it was computed from; "
        "leave the tensor in the sum, or say detach() if that is meant",
        [(event.node, "back-propagated here")],
    )


def _word(cut: Cut) -> str | None:
    found = _WORDS.get(cut.name)
    if found is None and cut.name.partition("(")[0] in _WORDS:
        found = _WORDS[cut.name.partition("(")[0]]
    return found


def _straight_through(event: BackPropagated, cut: Cut) -> bool:
    """Whether the same statement also adds the value itself: ``x + (round(x) - x).data``."""
    node: ast.AST | None = cut.node
    parents = event.frame.unit.parents
    while node is not None and not isinstance(node, ast.stmt):
        node = parents.get(node)
    if node is None:
        return False
    inside = {id(n) for n in ast.walk(cut.node)}
    outside = {
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and id(n) not in inside
    }
    return bool(roots_of(cut.node) & outside)
