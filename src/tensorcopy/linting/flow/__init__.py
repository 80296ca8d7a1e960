"""The abstract interpreter: follows values, memory and graph, and tells the rules what it sees. Runs nothing."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from types import ModuleType

from ..model import Finding
from ..sources import Source
from . import (  # noqa: F401  (they register what they handle)
    assigning,
    attributes,
    branching,
    calls,
    defining,
    functions,
    indexing,
    looping,
    operators,
    scopes,
    statements,
)
from .events import ModuleEnd
from .frame import Frame
from .project import Project, Unit

__all__ = ["Project", "findings_in", "followed", "project_of"]


def project_of(rules: Iterable[ModuleType]) -> Project:
    """A project in which *rules* listen. Keep one for all files of a run: what imports are read for is shared."""
    hears: dict[str, list[object]] = {}
    hears_calls: dict[str, list[object]] = {}
    for module in rules:
        for handler in vars(module).values():
            for event, name in getattr(handler, "hears", ()):
                if name is None:
                    hears.setdefault(event, []).append(handler)
                else:
                    hears_calls.setdefault(name, []).append(handler)
    return Project(hears, hears_calls)  # type: ignore[arg-type]


def findings_in(source: Source, project: Project | None = None) -> list[Finding]:
    """All findings of all rules in one file, in the order of their places."""
    if project is None:
        from ..rules import modules

        project = project_of(modules())
    unit = followed(source, project)
    unit.release()
    return sorted(unit.findings.values(), key=lambda f: (f.place, f.code))


def followed(source: Source, project: Project) -> Unit:
    """The file after everything in it has been followed: its body first, then classes, then functions."""
    unit = Unit(source, project)
    frame = unit.frame = Frame(unit)
    with suppress(RecursionError):
        statements.run_block(frame, source.tree.body)
    done = 0
    while done < len(unit.functions) or unit.classes:
        classes, unit.classes = unit.classes, []
        for info in classes:
            functions.follow_class(info)
        while done < len(unit.functions):
            functions.follow(unit.functions[done])
            done += 1
    unit.tell(ModuleEnd, frame, source.tree)
    return unit
