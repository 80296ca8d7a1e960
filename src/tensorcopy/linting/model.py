"""What the linter says: rules, findings, places and edits, as plain values.

Lines and columns count from 1, columns in characters, as editors show them; an end column is the first one after.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Level(Enum):
    """How bad it is. Errors and warnings gate; notes are off by default and never do."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Place:
    """A span of a file. `message` says what happens there; `cell` is the notebook cell, counted from 1, else 0."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    cell: int = 0
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Edit:
    """Replace a span of a file by `text`; an empty span inserts."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    cell: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """Edits that mend one finding. `safe` only if value, ownership and graph are what the author needs in any case."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool

    @property
    def said(self) -> str:
        """What it does, and whether it is safe."""
        return f"{'fix' if self.safe else 'unsafe fix'}: {self.title}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One pattern that the linter dislikes. `code` never changes meaning; `name` says the pattern."""

    code: str
    name: str
    level: Level
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A mistake at `place`, with the other places that it takes to see it; the message says what happens."""

    code: str
    name: str
    level: Level
    message: str
    place: Place
    related: tuple[Place, ...] = ()
    fix: Fix | None = None
