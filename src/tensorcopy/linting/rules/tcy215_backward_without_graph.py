"""A gradient taken of something that has none."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import BackPropagated, on
from ..flow.values import Cut
from ..model import Level, Rule

RULE = Rule(
    code="TCY215",
    name="backward-without-graph",
    level=Level.ERROR,
    summary="backward() of a value whose graph was cut raises RuntimeError: it does not require grad",
)
_OF_OTHERS = ("torch.tensor(list)", "torch.as_tensor(list)")


@on("BackPropagated")
def back_propagated(event: BackPropagated) -> None:
    """``loss = criterion(net(x).detach(), y); loss.backward()``."""
    value, cut = event.value, event.value.cut
    if value.kind != v.TENSOR or value.graph != v.OFF or cut is None or not isinstance(cut.node, ast.expr):
        return
    if value.traits & {"inferred", "on one branch", "or None"} or _is_told_elsewhere(cut):
        return
    event.report(
        RULE,
        cut.node,
        f"{_word(cut)} takes the value off the graph, and all that is computed from it has none: "
        "backward() raises RuntimeError (does not require grad)",
        [(event.node, "backward() raises here")],
    )


def _is_told_elsewhere(cut: Cut) -> bool:
    """Casts, and lists of tensors, have rules of their own."""
    base = cut.base
    if base.traits & {"inferred", "on one branch"}:
        return True
    call = cut.node
    return (
        isinstance(call, ast.Call)
        and bool(call.args)
        and cut.name.partition("(")[0].rpartition(".")[2]
        in ("tensor", "as_tensor", "asarray", "Tensor", "FloatTensor", "to", "int", "long", "type", "short", "bool")
        and cut.name.startswith("torch")
    )


def _word(cut: Cut) -> str:
    last = cut.name.partition("(")[0].rpartition(".")[2]
    return "`.data`" if cut.name == ".data" else f"{last}()"
