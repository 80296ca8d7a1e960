"""A context manager made as a statement: nobody enters it, so it does nothing."""

from __future__ import annotations

import ast

from ..flow.events import Discarded, on
from ..model import Level, Rule

RULE = Rule(
    code="TCY502",
    name="context-not-entered",
    level=Level.WARNING,
    summary="a context manager stands as a statement, without with, so it has no effect",
)


_CONTEXTS = frozenset(
    (
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
)


@on("Discarded")
def made(event: Discarded) -> None:
    """``torch.no_grad()`` on a line of its own."""
    if event.name in _CONTEXTS and not event.frame.probing:
        shown = ast.unparse(event.node.func)
        event.report(
            RULE,
            event.node,
            f"{shown}() makes a context manager, and nothing enters it: the code below runs as if it were not there; "
            f"write with {shown}(...):",
        )
