"""The analysis kept for many files: a module that several of them import is followed once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .flow import findings_in, project_of
from .flow.project import Project, Unit
from .model import Finding
from .rules import modules
from .sources import Source


class _Followed(Project):
    """Knows imported modules by their sources.

    What a name means is a matter of where it is imported, and is asked each time, so that it can be written down what a
    finding depends on. What is known of a source goes when the source does.
    """

    def module(self, name: str, imports: Callable[[str], Source | None] | None) -> Unit | None:
        """The file of a module, read for what it defines; None for any other module."""
        source = imports(name) if imports else None
        if source is None:
            return None
        if "unit" not in source.notes:
            source.notes["unit"] = Unit(source, self, muted=True)
        unit: Unit = source.notes["unit"]
        return unit


def start() -> Callable[[Source], list[Finding]]:
    """What gives the findings of a file."""
    heard = project_of(modules())
    return partial(findings_in, project=_Followed(heard.hears, heard.hears_calls))
