"""How time and bytes of several ways grow with the size of the source: plain values."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from ..errors import BadArgumentError
from .measurements import Timing

_LARGEST = 10**10
_MOST = 24
_LABEL = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Grown:
    """One way at one size. *bytes*: the most that was allocated at one moment of the call."""

    elements: int
    timing: Timing
    bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """One way over all sizes at which it was run, smallest first."""

    code: str
    points: tuple[Grown, ...]
    name: str = ""
    """The name of the catalogue's entry, which is short where the code is long."""

    @property
    def label(self) -> str:
        """What to write beside the curve."""
        is_short = len(self.code) <= _LABEL and "\n" not in self.code
        return self.code if is_short or not self.name else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """The curves, the recommended way first. *notes*: which sizes or ways were left out and why."""

    curves: tuple[Curve, ...]
    notes: tuple[str, ...] = ()


def sizes_of(text: str) -> tuple[int, ...]:
    """Numbers of elements: ``1e2:1e8`` for the powers of ten between, or ``100,5000,1e6`` for just these.

    Raises:
        BadArgumentError: the text is neither.
    """
    first, colon, last = text.partition(":")
    sizes = _powers(_size(first, text), _size(last, text)) if colon else [_size(part, text) for part in text.split(",")]
    if not sizes or len(sizes) > _MOST:
        raise _no_sizes(text, f"that is {len(sizes)} sizes, and 1 to {_MOST} can be swept")
    return tuple(sorted(set(sizes)))


def _powers(low: int, high: int) -> list[int]:
    """*low*, the powers of ten between, and *high*."""
    if low >= high:
        return []
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [low, *(size for size in (10**e for e in exponents) if low < size < high), high]


def _size(part: str, text: str) -> int:
    if not re.fullmatch(r"\s*\d+(\.\d+)?([eE]\+?\d{1,2})?\s*", part):
        raise _no_sizes(text, f"{part!r} is no number of elements")
    size = round(float(part))
    if not 1 <= size <= _LARGEST:
        raise _no_sizes(text, f"{part.strip()} is not between 1 and 1e10")
    return size


def _no_sizes(text: str, why: str) -> BadArgumentError:
    return BadArgumentError(
        f"cannot sweep the sizes {text!r}",
        why=why,
        fix="give a range such as 1e2:1e8, or sizes with commas such as 100,1e4,1e6",
    )
