"""Functions at the border of torch, NumPy and Python that the dispatcher does not see, wrapped for a session."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

_ABSENT = object()


class Patches:
    """Replaced attributes, to be put back in reverse order."""

    def __init__(self) -> None:
        self._undone: list[tuple[Any, str, Any]] = []
        self._aside: list[tuple[Any, str, Any]] = []

    def wrap(self, owner: Any, name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        """Put ``make(original)`` in the place of ``owner.name``."""
        original = getattr(owner, name)
        self._undone.append((owner, name, vars(owner).get(name, _ABSENT)))
        wrapped = make(original)
        functools.update_wrapper(wrapped, original)
        setattr(owner, name, wrapped)

    def put_aside(self, *, classes: bool) -> None:
        """Put back the functions of modules for a while, and those of *classes*."""
        if self._aside:
            return
        for owner, name, before in reversed(self._undone):
            if classes or isinstance(owner, ModuleType):
                self._aside.append((owner, name, vars(owner)[name]))
                _put_back(owner, name, before)

    def take_back(self) -> None:
        """Wrap again what was put aside."""
        while self._aside:
            owner, name, wrapped = self._aside.pop()
            setattr(owner, name, wrapped)

    def undo(self) -> None:
        """Put everything back."""
        self.take_back()
        while self._undone:
            _put_back(*self._undone.pop())


def _put_back(owner: Any, name: str, original: Any) -> None:
    if original is _ABSENT:
        delattr(owner, name)
    else:
        setattr(owner, name, original)
