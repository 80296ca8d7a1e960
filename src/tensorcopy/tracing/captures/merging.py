"""Captures of several processes as one: copies summed by line, findings told once, and who alone has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from ...errors import BadArgumentError
from ..processes.launching import files_of_ranks
from .capture import Capture, CopyLine, Finding, Process, Source, Spot, Timeline, read

_MOST_RELATED = 8
_LEVELS = {"error": 0, "warning": 1}
_Key = tuple[str, str, str, str, int]


def merged(captures: Sequence[Capture]) -> Capture:
    """One capture of all processes; a single one is given back as it is."""
    if len(captures) == 1:
        return captures[0]
    copies, places = _copies(captures)
    processes = [p for capture, moved in zip(captures, places, strict=True) for p in _processes(capture, moved)]
    first = next((c for c in captures if not c.role.startswith("worker")), captures[0])
    return replace(
        first,
        steps=max(c.steps for c in captures),
        ended=_ended(captures),
        findings=_findings(captures, processes),
        copies=copies,
        limits=_limits(captures),
        releases={name: number for c in captures for name, number in c.releases.items()},
        timeline=Timeline(),
        sources=_sources(captures),
        merged=tuple(sorted(processes, key=lambda p: (p.rank, p.role.startswith("worker"), p.role, p.pid))),
    )


def read_all(paths: Iterable[str | Path]) -> Capture:
    """The captures in files, and in all files ``*.capture`` of folders, merged.

    A file that isn't there stands for those of the ranks, ``name.rank0.capture`` and so on for ``name.capture``.

    Raises:
        BadArgumentError: one can't be read, is no capture, or a folder has none.
    """
    files = [file for path in paths for file in _files(Path(path))]
    return merged([read(file) for file in files])


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path] if path.exists() else files_of_ranks(path) or [path]
    found = sorted(file for file in path.glob("*.capture") if file.is_file())
    if not found:
        raise BadArgumentError(
            f"no capture in the folder {str(path)!r}",
            why="it has no file whose name ends in .capture",
            fix="name the files, or make one with: tensorcopy run --output FILE.capture script.py",
        )
    return found


def _copies(captures: Sequence[Capture]) -> tuple[tuple[CopyLine, ...], list[list[int]]]:
    """The copies of all, most bytes first; and for each capture, where each of its own went."""
    found: dict[_Key, CopyLine] = {}
    for copy in (copy for capture in captures for copy in capture.copies):
        known = found.get(_key(copy))
        found[_key(copy)] = copy if known is None else _sum(known, copy)
    ordered = sorted(found.values(), key=lambda c: -c.bytes)
    index = {_key(copy): i for i, copy in enumerate(ordered)}
    return tuple(ordered), [[index[_key(copy)] for copy in capture.copies] for capture in captures]


def _key(copy: CopyLine) -> _Key:
    return copy.operation, copy.kind, copy.phase, copy.place.file, copy.place.line


def _sum(one: CopyLine, other: CopyLine) -> CopyLine:
    return replace(
        one,
        count=one.count + other.count,
        bytes=one.bytes + other.bytes,
        seconds=one.seconds + other.seconds,
        avoidable=one.avoidable or other.avoidable,
        saved=one.saved + other.saved,
        variant=one.variant or other.variant,
    )


def _processes(capture: Capture, moved: Sequence[int]) -> list[Process]:
    """The processes of one capture, their events pointing to the merged copies."""
    return [replace(p, timeline=_moved(p.timeline, moved)) for p in capture.processes]


def _moved(timeline: Timeline, moved: Sequence[int]) -> Timeline:
    events = timeline.events
    return replace(timeline, events=replace(events, line=tuple(moved[line] for line in events.line)))


def _findings(captures: Sequence[Capture], processes: Sequence[Process]) -> tuple[Finding, ...]:
    found: dict[tuple[str, str, int], Finding] = {}
    owners: dict[tuple[str, str, int], list[Process]] = {}
    for capture in captures:
        for finding in capture.findings:
            key = (finding.name, finding.place.file, finding.place.line)
            found[key] = _joined(found[key], finding) if key in found else finding
            owners.setdefault(key, []).extend(
                p for p in capture.processes if not finding.only or p.label in finding.only
            )
    told = [replace(finding, only=_only(owners[key], processes)) for key, finding in found.items()]
    return tuple(sorted(told, key=lambda f: (_LEVELS.get(f.level, 2), f.place)))


def _joined(one: Finding, other: Finding) -> Finding:
    related: tuple[Spot, ...] = tuple(dict.fromkeys((*one.related, *other.related)))
    return replace(
        one,
        related=related[:_MOST_RELATED],
        count=one.count + other.count,
        names=tuple(dict.fromkeys((*one.names, *other.names))),
        # Its parts refer to the related lines by their number.
        memory=one.memory or (other.memory if one.related == other.related else None),
        seconds=min(one.seconds, other.seconds),
    )


def _only(owners: Sequence[Process], processes: Sequence[Process]) -> tuple[str, ...]:
    """The processes that a finding is told of, where it does not go for every rank, or for workers alone."""
    ranks, workers = {p.rank for p in owners}, all(p.role.startswith("worker") for p in owners)
    if ranks == {p.rank for p in processes} and not (workers and not _all_workers(processes)):
        return ()
    if ranks != {p.rank for p in processes} and not workers:
        return tuple(f"rank {rank}" for rank in sorted(ranks))
    return tuple(sorted({p.label for p in owners}))


def _all_workers(processes: Sequence[Process]) -> bool:
    return all(p.role.startswith("worker") for p in processes)


def _ended(captures: Sequence[Capture]) -> str:
    """How all ended; where they differ, those that did not end normally."""
    ends = dict.fromkeys(p.ended for capture in captures for p in capture.processes)
    if len(ends) == 1:
        return next(iter(ends))
    odd = [f"{p.label}: {p.ended}" for c in captures for p in c.processes if p.ended != "normally"]
    return "; ".join(odd)


def _limits(captures: Sequence[Capture]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(limit for capture in captures for limit in capture.limits))


def _sources(captures: Sequence[Capture]) -> tuple[Source, ...]:
    found: dict[str, Source] = {}
    for source in (source for capture in captures for source in capture.sources):
        found.setdefault(source.file, source)
    return tuple(found.values())
