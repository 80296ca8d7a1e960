"""Functions at the border of torch, NumPy and Python that the dispatcher does not see, wrapped for a session."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

_ABSENT = object()


class Patches:
    """Replaced attributes, to be put back in reverse order."""

    def __init__(self) -> None:
        self._undone: list[tuple[Any, str, Any]] = []

    def wrap(self, owner: Any, name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        """Put ``make(original)`` in the place of ``owner.name``."""
        original = getattr(owner, name)
        self._undone.append((owner, name, vars(owner).get(name, _ABSENT)))
        wrapped = make(original)
        functools.update_wrapper(wrapped, original)
        setattr(owner, name, wrapped)

    def undo(self) -> None:
        """Put everything back."""
        while self._undone:
            owner, name, original = self._undone.pop()
            if original is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, original)
