"""The analysis kept for many files: a module that several of them import is followed once."""

from __future__ import annotations

from collections.abc import Callable

from .flow import findings_in, project_of
from .flow.project import Project, Unit
from .model import Finding
from .rules import modules
from .sources import Source

_WORTH_A_RELEASE = 16
"""Modules read since the last time that any were let go of."""


class _Followed(Project):
    """Knows imported modules by their sources.

    What a name means is a matter of where it is imported, and is asked each time, so that it can be written down what a
    finding depends on. What is known of a source goes when the source does, and nothing that is left leads there.
    """

    def __init__(self, heard: Project) -> None:
        super().__init__(heard.hears, heard.hears_calls)
        self._units: list[Unit] = []
        self._since_release = 0

    def module(self, name: str, importer: Unit) -> Unit | None:
        """The file of a module, read for what it defines; None for any other module."""
        source = importer.source.imports(name) if importer.source.imports is not None else None
        if source is None:
            return None
        if "unit" not in source.notes:
            source.notes["unit"] = Unit(source, self, muted=True)
            self._units.append(source.notes["unit"])
            self._since_release += 1
        unit: Unit = source.notes["unit"]
        importer.follows.add(unit)
        return unit

    def findings_in(self, source: Source) -> list[Finding]:
        """The findings of one file."""
        findings = findings_in(source, self)
        if self._since_release >= _WORTH_A_RELEASE:
            self._release()
        return findings

    def _release(self) -> None:
        """Let go of the modules whose sources are forgotten: parts of them refer to each other."""
        self._since_release = 0
        used = {unit for unit in self._units if "unit" in unit.source.notes}
        waiting = list(used)
        while waiting:
            further = waiting.pop().follows - used
            used |= further
            waiting += further
        for unit in self._units:
            if unit not in used:
                unit.release()
        self._units = [unit for unit in self._units if unit in used]


def start() -> Callable[[Source], list[Finding]]:
    """What gives the findings of a file."""
    return _Followed(project_of(modules())).findings_in
