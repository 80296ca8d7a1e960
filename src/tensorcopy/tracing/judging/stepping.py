"""Optimizers that step and change nothing: their parameters are frozen, replaced, or robbed of their gradients."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from typing import Any

import torch

from ..reports import Findings
from ..sites import Site, user_site
from ..watching import Known

_FEWEST = 2
# Steps that are looked at in any case; after them, only optimizers that look idle.
_LOOKED_AT = 3


class Steps:
    """What one optimizer has stepped so far."""

    __slots__ = ("frozen", "graded", "site", "times")

    def __init__(self, site: Site) -> None:
        self.site, self.times, self.frozen = site, 0, True
        self.graded: set[int] = set()


class Stepping:
    """The optimizers of one session."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.steps: Known[Steps] = Known()
        self.froze: Site | None = None

    def stepped(self, optimizer: Any, parameters: Iterable[Any]) -> None:
        """*optimizer* is about to step *parameters*."""
        steps = self.steps.of(optimizer)
        if steps is None:
            steps = Steps(user_site())
            self.steps.put(optimizer, steps)
        steps.times += 1
        if steps.times > _LOOKED_AT and not steps.frozen and steps.graded:
            return
        for parameter in parameters:
            if parameter.grad is not None:
                steps.graded.add(id(parameter))
            if parameter.requires_grad:
                steps.frozen = False

    def finish(self, reached: set[int], leaves: dict[int, Any]) -> None:
        """Judge them, by the leaves that gradients have *reached*."""
        alive = [(optimizer, steps) for optimizer, steps in self.steps.alive() if steps.times >= _FEWEST]
        held = {id(p) for optimizer, _ in self.steps.alive() for p in _parameters(optimizer)}
        outside = [leaf for key in reached - held if (leaf := _alive(leaves, key)) is not None and _is_trained(leaf)]
        for optimizer, steps in alive:
            self._judge(_parameters(optimizer), steps, reached, outside)

    def _judge(self, own: list[Any], steps: Steps, reached: set[int], outside: list[Any]) -> None:
        if steps.frozen:
            self._idle(steps, "all its parameters have requires_grad=False; call requires_grad_(True) before the step")
        elif not steps.graded and any(id(p) in reached for p in own):
            self._idle(steps, "its gradients are cleared between backward() and step(); clear them before backward()")
        elif outside and (not steps.graded or _strangers(own, steps)):
            self._idle(
                steps,
                f"it holds parameters that no module uses any more, or another copy of the model, while gradients go "
                f"to {len(outside)} parameters that no optimizer holds; make the optimizer after the model is complete",
            )

    def _idle(self, steps: Steps, why: str) -> None:
        froze = self.froze if steps.frozen else None
        self.findings.add(
            "optimizer-without-gradients",
            steps.site,
            f"this optimizer steps parameters that never have a gradient: {why}",
            ((froze, "gradients are switched off here"),) if froze is not None else (),
        )


def _parameters(optimizer: Any) -> list[Any]:
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]


def _alive(leaves: dict[int, Any], key: int) -> Any:
    reference = leaves.get(key)
    return reference() if reference is not None else None


def _is_trained(leaf: Any) -> bool:
    """Whether somebody means to train it: a parameter with a gradient that is part of a module."""
    return isinstance(leaf, torch.nn.Parameter) and leaf.grad is not None


def _strangers(own: list[Any], steps: Steps) -> bool:
    """Whether some parameters have never had a gradient, and belong to no module."""
    missing = {id(p) for p in own if id(p) not in steps.graded and p.requires_grad}
    if not missing:
        return False
    modules = [m for m in gc.get_objects() if issubclass(type(m), torch.nn.Module)]
    return not missing <= {id(p) for m in modules for p in m.parameters(recurse=False)}
