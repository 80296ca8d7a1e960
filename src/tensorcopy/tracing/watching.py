"""Tables by identity that hold nothing alive."""

from __future__ import annotations

import weakref
from typing import Any, Generic, TypeVar

T = TypeVar("T")
_FIRST_SWEEP = 4096


class Known(dict[int, tuple["weakref.ref[Any]", T]], Generic[T]):
    """What is known of objects that the program may drop at any time.

    An entry of a dead object is told by its reference, and swept out now and then: a callback for each would cost more
    than everything else that is done with it. Hot paths look up ``table.get(id(obj))`` themselves and compare.
    """

    sweep_at = _FIRST_SWEEP

    def put(self, obj: Any, value: T) -> None:
        """Know *value* of *obj*."""
        if len(self) >= self.sweep_at:
            self.sweep()
        self[id(obj)] = (weakref.ref(obj), value)

    def of(self, obj: Any) -> T | None:
        """What is known of *obj*."""
        entry = self.get(id(obj))
        return entry[1] if entry is not None and entry[0]() is obj else None

    def forget(self, obj: Any) -> T | None:
        """What was known of *obj*, known no longer."""
        value = self.of(obj)
        if value is not None:
            del self[id(obj)]
        return value

    def alive(self) -> list[tuple[Any, T]]:
        """The objects that still live, with what is known of them."""
        return [(obj, value) for reference, value in list(self.values()) if (obj := reference()) is not None]

    def sweep(self) -> None:
        """Drop the entries of dead objects."""
        for key in [key for key, (reference, _) in self.items() if reference() is None]:
            del self[key]
        self.sweep_at = max(_FIRST_SWEEP, 2 * len(self))
