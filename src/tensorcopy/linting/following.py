"""The analysis kept for many files: a module that several of them import is followed once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import partial

from .flow import findings_in, project_of
from .flow.project import Project, Unit
from .model import Finding
from .rules import modules
from .sources import Source

_UNITS_KEPT = 100


class _Followed(Project):
    """Knows imported modules by their sources.

    What a name means is a matter of where it is imported, and is asked each time, so that it can be written down what a
    finding depends on.
    """

    def __init__(self, project: Project) -> None:
        super().__init__(project.hears, project.hears_calls)
        self._units: OrderedDict[str, Unit] = OrderedDict()

    def module(self, name: str, imports: Callable[[str], Source | None] | None) -> Unit | None:
        """The file of a module, read for what it defines. The ones used longest ago are forgotten."""
        source = imports(name) if imports else None
        if source is None:
            return None
        unit = self._units.get(source.name)
        if unit is None or unit.source is not source:
            unit = self._units[source.name] = Unit(source, self, muted=True)
        self._units.move_to_end(source.name)
        if len(self._units) > _UNITS_KEPT:
            self._units.popitem(last=False)
        return unit


def start() -> Callable[[Source], list[Finding]]:
    """What gives the findings of a file."""
    return partial(findings_in, project=_Followed(project_of(modules())))
