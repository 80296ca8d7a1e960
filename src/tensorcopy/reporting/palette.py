"""The colours and line styles of curves, in the order in which curves get them.

The hues of Okabe and Ito, which colour-blind readers tell apart. For white paper the pale ones are darkened, for dark
paper the dark ones lightened, until each stands out at three to one. Dashes and markers tell curves apart in grey too.
"""

from __future__ import annotations

ON_WHITE = ("#0072b2", "#d55e00", "#008a64", "#b0508a", "#946c00", "#3584b4", "#5b6470")
ON_DARK = ("#56b4e9", "#f0803c", "#2fc796", "#d98cb8", "#e6b400", "#8fc7e8", "#b4bcc6")
DASHES = ((), (7, 3), (2, 3), (9, 3, 2, 3))
"""Lengths drawn and left out, in turn."""


def color_of(number: int) -> int:
    """Which colour the curve of this number has."""
    return number % len(ON_WHITE)


def dash_of(number: int) -> tuple[int, ...]:
    """The dashes of the curve of this number; two curves of one colour have different ones."""
    return DASHES[(number + 2 * (number // len(ON_WHITE))) % len(DASHES)]
