"""The leaves of the graph: which of them are trained, and which have ever got a gradient.

A program's model and optimizer often live in a function, and are gone when the recording ends. What has to be known of
them then is kept here, and holds none of them alive.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterable
from typing import Any

import torch


class Leaf:
    """One leaf: whether an optimizer has stepped it, whether a gradient ever reached it, and what it is called."""

    __slots__ = ("_name", "is_parameter", "optimized", "reached", "reference")

    def __init__(self, tensor: Any) -> None:
        self.reference = weakref.ref(tensor)
        self.is_parameter = isinstance(tensor, torch.nn.Parameter)
        self.optimized = self.reached = False
        self._name = ""

    @property
    def tensor(self) -> Any:
        """The leaf itself; None once it is gone."""
        return self.reference()

    @property
    def name(self) -> str:
        """What the program calls it, as far as that was asked for in time."""
        return self._name or "a tensor"

    @name.setter
    def name(self, name: str) -> None:
        self._name = name

    def is_missing(self) -> bool:
        """Whether it was to get a gradient, and never got one: of a leaf that is gone, its optimizer's steps tell."""
        if self.reached:
            return False
        tensor = self.reference()
        return self.optimized if tensor is None else tensor.grad is None


class Leaves:
    """The leaves of one session."""

    def __init__(self) -> None:
        self._by_identity: dict[int, Leaf] = {}
        # Parameters that gradients went to.
        self.trained: set[Leaf] = set()
        self.any_optimized = self.any_reached = False

    def __len__(self) -> int:
        return len(self._by_identity) + len(self.trained)

    def of(self, tensor: Any) -> Leaf:
        """What is known of a leaf."""
        leaf = self._by_identity.get(id(tensor))
        if leaf is None or leaf.reference() is not tensor:
            leaf = self._by_identity[id(tensor)] = Leaf(tensor)
        return leaf

    def reach(self, leaves: Iterable[Leaf]) -> None:
        """Gradients go to *leaves*."""
        for leaf in leaves:
            leaf.reached = self.any_reached = True
            if leaf.is_parameter:
                self.trained.add(leaf)

    def stepped(self, parameters: Iterable[Any]) -> list[Leaf]:
        """An optimizer is about to step *parameters*; gives what is known of them."""
        leaves = [self.of(parameter) for parameter in parameters]
        for leaf, parameter in zip(leaves, parameters, strict=True):
            leaf.optimized = self.any_optimized = True
            if parameter.grad is not None and not leaf.reached:
                self.reach((leaf,))
        return leaves

    def arrived(self, awaited: Iterable[Leaf]) -> None:
        """Look whether one of the *awaited* has got a gradient by now."""
        self.reach([leaf for leaf in awaited if (tensor := leaf.tensor) is not None and tensor.grad is not None])


def call_by_name(leaves: Iterable[Leaf]) -> None:
    """Find what the program calls these leaves while they live: the names in their modules, else their shapes."""
    wanted = {id(tensor): leaf for leaf in leaves if (tensor := leaf.tensor) is not None}
    if not wanted:
        return
    named: set[int] = set()
    for module in sorted(modules(), key=lambda m: -sum(1 for _ in m.modules())):
        for name, parameter in module.named_parameters():
            key = id(parameter)
            if key in wanted and key not in named:
                named.add(key)
                wanted[key].name = name
    for key in wanted.keys() - named:
        wanted[key].name = f"a tensor of shape {tuple(wanted[key].tensor.shape)}"


def modules() -> list[Any]:
    """All modules that live."""
    return [obj for obj in gc.get_objects() if issubclass(type(obj), torch.nn.Module)]
