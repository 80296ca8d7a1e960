"""A Python file as the linter reads it: its text, its tree and where its lines are. Runs nothing of it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One file. `name` is what reports call it; `module` its dotted name among the linted files, empty if it has none.

    imports: finds the source of a module by its dotted name among the linted files, None for any other.
    notes: what an analysis found out about it, kept as long as the source is.
    """

    name: str
    text: str
    tree: ast.Module
    module: str = ""
    is_package: bool = False
    imports: Callable[[str], Source | None] | None = None
    notes: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def note(self, name: str, find: Callable[[Source], Any]) -> Any:
        """What *find* finds out about the source, which is the same whoever asks: found out once."""
        if name not in self.notes:
            self.notes[name] = find(self)
        return self.notes[name]
