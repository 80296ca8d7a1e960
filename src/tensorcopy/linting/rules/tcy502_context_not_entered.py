"""A context manager made as a statement: nobody enters it, so it does nothing."""

from __future__ import annotations

import ast

from ..flow.events import Call, on_call
from ..model import Level, Rule

RULE = Rule(
    code="TCY502",
    name="context-not-entered",
    level=Level.WARNING,
    summary="a context manager stands as a statement, without with, so it has no effect",
)


@on_call(
    "torch.no_grad",
    "torch.enable_grad",
    "torch.inference_mode",
    "torch.autograd.no_grad",
    "torch.autograd.detect_anomaly",
    "torch.autocast",
    "torch.amp.autocast",
    "torch.cuda.amp.autocast",
    "torch.cuda.stream",
    "torch.cuda.device",
    "torch.random.fork_rng",
    "torch.device",
    "numpy.errstate",
    "numpy.printoptions",
)
def made(event: Call) -> None:
    """``torch.no_grad()`` on a line of its own."""
    if isinstance(event.frame.unit.parents.get(event.node), ast.Expr) and not event.frame.probing:
        shown = ast.unparse(event.node.func)
        event.report(
            RULE,
            event.node,
            f"{shown}() makes a context manager, and nothing enters it: the code below runs as if it were not there; "
            f"write with {shown}(...):",
        )
