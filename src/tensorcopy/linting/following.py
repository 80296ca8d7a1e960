"""The analysis kept for many files: each is followed with modules of its own, whatever was followed before it."""

from __future__ import annotations

from collections.abc import Callable

from .flow import findings_in, project_of
from .flow.project import Project, Unit
from .model import Finding
from .rules import modules
from .sources import Source


class _Followed(Project):
    """Knows imported modules by their sources, for as long as one file is followed.

    What is found out about a module depends on who asked first, and how much. So nothing of it outlives the file:
    findings are the same in any order of the files, in any number of processes, and with any part of a cache.
    """

    def __init__(self, heard: Project) -> None:
        super().__init__(heard.hears, heard.hears_calls)
        self._units: dict[str, Unit] = {}

    def module(self, name: str, importer: Unit) -> Unit | None:
        """The file of a module, read for what it defines; None for any other module."""
        source = importer.source.imports(name) if importer.source.imports is not None else None
        if source is None:
            return None
        unit = self._units.get(source.name)
        if unit is None:
            unit = self._units[source.name] = Unit(source, self, muted=True)
        return unit

    def findings_in(self, source: Source) -> list[Finding]:
        """The findings of one file."""
        try:
            return findings_in(source, self)
        finally:
            for unit in self._units.values():
                unit.release()
            self._units.clear()


def start() -> Callable[[Source], list[Finding]]:
    """What gives the findings of a file."""
    return _Followed(project_of(modules())).findings_in
