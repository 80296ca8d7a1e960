"""The mean of integers, which torch refuses to compute."""

from __future__ import annotations

from ..flow import values as v
from ..flow.events import Call, on_call
from ..model import Level, Rule

RULE = Rule(
    code="TCY320",
    name="mean-of-integers",
    level=Level.ERROR,
    summary="mean(), std() and var() of integers or truth values raise RuntimeError",
)
_WHOLE = ("int", "uint", "bool")
_NAMES = ("mean", "std", "var")


@on_call(*(f"{root}.{name}" for name in _NAMES for root in ("torch", "torch.Tensor")))
def averaged(event: Call) -> None:
    """``torch.tensor([1, 2]).mean()``, ``(a == b).mean()``."""
    of = event.receiver if event.receiver is not None else event.argument(0, "input")
    if of is None or of.kind != v.TENSOR or not of.dtype.startswith(_WHOLE):
        return
    if of.traits & {"inferred", "on one branch", "argument"} or "dtype" in event.keywords:
        return
    name = event.name.rpartition(".")[2]
    event.report(RULE, event.node, f"{name}() of {of.dtype} raises RuntimeError: convert with .float() first")
