"""What text is laid out for."""

from __future__ import annotations

from dataclasses import dataclass

NARROWEST, WIDEST = 40, 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Medium:
    """How wide the lines may be, whether escape sequences may colour them, and whether only ASCII can be shown.

    Only the format for terminals looks at it. Widths outside of 40 to 200 columns are treated as these.
    """

    columns: int = 100
    color: bool = False
    ascii: bool = False

    @property
    def width(self) -> int:
        """The columns to fill."""
        return min(max(self.columns, NARROWEST), WIDEST)
