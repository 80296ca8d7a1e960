"""Tables by identity that hold nothing alive."""

from __future__ import annotations

import weakref
from functools import partial
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Known(dict[int, tuple["weakref.ref[Any]", T]], Generic[T]):
    """What is known of objects that the program may drop at any time; an entry goes with its object.

    Hot paths look up ``table.get(id(obj))`` themselves.
    """

    def put(self, obj: Any, value: T) -> None:
        """Know *value* of *obj*."""
        key = id(obj)
        # The callback is all C: it takes the entry out, and the reference that it is called with is what ``pop`` gives
        # if there is none. Entries that stayed until they are swept would make the garbage collector run all the time.
        self[key] = (weakref.ref(obj, partial(self.pop, key)), value)

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
        """The objects, with what is known of them."""
        return [(obj, value) for reference, value in list(self.values()) if (obj := reference()) is not None]
