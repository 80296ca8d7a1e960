"""The values that blocks hold, and what columns and fields say of them: their type, unit, side and tone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

_ANCHOR = re.compile(r"[a-z][a-z0-9-]*")

Value: TypeAlias = str | int | float | bool | None
"""What a cell holds; None where there is nothing to say."""


class Tone(Enum):
    """How good what is said is for the reader. Formats show it by a sign and a colour, never by colour alone."""

    NEUTRAL = "neutral"
    GOOD = "good"
    WARN = "warn"
    BAD = "bad"


class Align(Enum):
    """Which side of its column a value stands on."""

    LEFT = "left"
    RIGHT = "right"


class ValueType(Enum):
    """What a value is, which decides how it is written, aligned and sorted."""

    TEXT = "text"
    CODE = "code"
    NUMBER = "number"
    TIME = "time"
    """Seconds."""
    BYTES = "bytes"
    YES_NO = "yes or no"
    VERDICT = "verdict"
    """One or two words that judge, like ``shares``; the tone says what to think of it."""

    @property
    def is_quantity(self) -> bool:
        """True for what is measured or counted, and so must never be broken or cut."""
        return self in (ValueType.NUMBER, ValueType.TIME, ValueType.BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a table.

    key: its name for machines; made from `name` where empty. The unit is added to it.
    unit: of a number, like ``elements``; times and bytes have their own.
    align: right for quantities and left for all else, unless given.
    """

    name: str
    type: ValueType = ValueType.TEXT
    unit: str = ""
    key: str = ""
    align: Align | None = None

    @property
    def machine_key(self) -> str:
        """The key with its unit: ``time_seconds``, ``allocated_bytes``, ``size_elements``."""
        return key_with_unit(self.key or self.name, self.type, self.unit)

    @property
    def side(self) -> Align:
        """Where its values stand."""
        return self.align or (Align.RIGHT if self.type.is_quantity else Align.LEFT)


def require_anchor(name: str) -> None:
    """A name that needs no escaping in an address: small letters, digits and dashes, or nothing."""
    assert not name or _ANCHOR.fullmatch(name), f"{name!r} is no anchor"


def key_with_unit(name: str, value_type: ValueType, unit: str = "") -> str:
    """*name* as a key, in small letters and underscores, that ends in the unit of what it holds."""
    key = _as_key(name)
    suffix = {ValueType.TIME: "seconds", ValueType.BYTES: "bytes"}.get(value_type, _as_key(unit) if unit else "")
    return f"{key}_{suffix}" if suffix and key != suffix and not key.endswith(f"_{suffix}") else key


def _as_key(text: str) -> str:
    return re.sub(r"\W+", "_", text).strip("_").lower() or "value"
