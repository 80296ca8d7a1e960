"""Tables by identity that forget what has died."""

from __future__ import annotations

import weakref
from typing import Any


def watched(obj: Any, table: dict[Any, Any], key: Any) -> weakref.ref[Any]:
    """A weak reference to *obj* that takes *key* out of *table* when it dies, before its address is used again."""

    def forget(_: object) -> None:
        table.pop(key, None)

    return weakref.ref(obj, forget)
