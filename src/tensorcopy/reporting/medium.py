"""What text is laid out for."""

from __future__ import annotations

import shutil
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

    @classmethod
    def of_terminal(cls) -> Medium:
        """For ``print``: as wide as ``COLUMNS`` or the terminal says, 100 columns where neither does."""
        return cls(columns=shutil.get_terminal_size((cls().columns, 24)).columns)

    @property
    def width(self) -> int:
        """The columns to fill."""
        return min(max(self.columns, NARROWEST), WIDEST)
