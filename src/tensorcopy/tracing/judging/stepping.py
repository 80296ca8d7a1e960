"""Optimizers that step and change nothing: their parameters are frozen, replaced, or robbed of their gradients."""

from __future__ import annotations

from typing import Any

from ..reports import Findings
from ..sites import Site, user_site
from ..watching import Known
from .leaves import Leaf, Leaves, modules

_FEWEST = 2
# Steps that are looked at in any case; after them, only optimizers that look idle.
_LOOKED_AT = 3
_MOST_OPTIMIZERS = 1_000


class Steps:
    """What one optimizer has stepped so far."""

    __slots__ = ("frozen", "graded", "own", "site", "strangers", "times")

    def __init__(self, site: Site) -> None:
        self.site, self.times, self.frozen = site, 0, True
        self.own: list[Leaf] = []
        self.graded: set[Leaf] = set()
        # Parameters without a gradient that belonged to no module when that was looked at last.
        self.strangers: set[Leaf] = set()

    def step(self, parameters: list[Any], own: list[Leaf]) -> None:
        """Look at what is stepped."""
        self.own = own
        for parameter, leaf in zip(parameters, own, strict=True):
            if parameter.grad is not None:
                self.graded.add(leaf)
            if parameter.requires_grad:
                self.frozen = False

    def look_for_strangers(self) -> None:
        """Find the parameters that never had a gradient and that no module has."""
        tensors = {id(t): leaf for leaf in self.own if leaf not in self.graded and (t := leaf.tensor) is not None}
        wanted = {key: leaf for key, leaf in tensors.items() if leaf.tensor.requires_grad}
        self.strangers = set()
        if wanted:
            held = {id(p) for m in modules() for p in m.parameters(recurse=False)}
            self.strangers = {leaf for key, leaf in wanted.items() if key not in held}


class Stepping:
    """The optimizers of one session. Many live in a function, and are gone before they are judged."""

    def __init__(self, findings: Findings, leaves: Leaves) -> None:
        self.findings, self.leaves = findings, leaves
        self.steps: Known[Steps] = Known()
        self.all: list[Steps] = []
        self.froze: Site | None = None

    def stepped(self, optimizer: Any, parameters: list[Any], own: list[Leaf]) -> None:
        """*optimizer* is about to step *parameters*, which are known as *own*."""
        steps = self.steps.of(optimizer)
        if steps is None:
            steps = Steps(user_site())
            self.steps.put(optimizer, steps)
            if len(self.all) < _MOST_OPTIMIZERS:
                self.all.append(steps)
        steps.times += 1
        if steps.times > _LOOKED_AT and not steps.frozen and steps.graded:
            return
        steps.step(parameters, own)
        if _FEWEST <= steps.times <= _LOOKED_AT:
            steps.look_for_strangers()

    def finish(self) -> None:
        """Judge them, by the leaves that gradients have reached."""
        for optimizer, steps in self.steps.alive():
            steps.own = self.leaves.stepped(_parameters(optimizer))
            if steps.times >= _FEWEST:
                steps.look_for_strangers()
        outside = [leaf for leaf in self.leaves.trained if not leaf.optimized and _has_its_gradient(leaf)]
        for steps in self.all:
            if steps.times >= _FEWEST:
                self._judge(steps, outside)

    def _judge(self, steps: Steps, outside: list[Leaf]) -> None:
        if steps.frozen:
            self._idle(steps, "all its parameters have requires_grad=False; call requires_grad_(True) before the step")
        elif not steps.graded and any(leaf.reached for leaf in steps.own):
            self._idle(steps, "its gradients are cleared between backward() and step(); clear them before backward()")
        elif outside and (not steps.graded or steps.strangers - steps.graded):
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


def _has_its_gradient(leaf: Leaf) -> bool:
    """Whether it keeps the gradient that went to it, as far as it lives."""
    tensor = leaf.tensor
    return tensor is None or tensor.grad is not None
