"""A check as it was asked for, carried out: files collected and checked, findings selected, silenced, fixed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING

from ..errors import BadArgumentError
from . import upkeep
from .analysis import Analysis
from .caching import Cache, cache_path
from .checking import Checker
from .collecting import Collected, Exclusion, collect
from .contents import Contents
from .judging import Judge
from .model import Finding
from .modules import Modules
from .outcome import Outcome
from .running import Plan, Progress, check_all
from .settings import Settings

if TYPE_CHECKING:
    from .writing_back import Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to check and how.

    given: contents that stand in for those of files, by name; they are checked too. jobs: processes; 0 chooses.
    use_cache: whether to keep what was found, and to trust what was kept. raising: whether bugs of the analysis raise.
    """

    paths: Sequence[str]
    settings: Settings = field(default_factory=Settings)
    given: Mapping[str, bytes] = field(default_factory=dict)
    force_exclude: bool = False
    jobs: int = 0
    use_cache: bool = True
    raising: bool = False


@dataclass(slots=True)
class Session:
    """One request under way: the files, what is known of them, and what to report of it."""

    request: Request
    analysis: Analysis
    progress: Progress | None = None
    collected: Collected = field(init=False)
    modules: Modules = field(init=False)
    cache: Cache = field(init=False)
    judge: Judge = field(init=False)

    def __post_init__(self) -> None:
        request = self.request
        self.judge = Judge(request.settings, self.analysis.rules)
        self.collected = _collected(request)
        files = (*self.collected.files, *(name for name in request.given if name not in self.collected.files))
        self.collected = replace(self.collected, files=files)
        self.modules = Modules(files, (".", *request.paths))
        folder = request.settings.within(request.settings.cache_dir)
        kept = request.use_cache and bool(self.collected.files)
        self.cache = Cache(cache_path(request.paths, folder), self.analysis.key()) if kept else Cache(None, "")

    def outcome(self, given: Mapping[str, bytes] | None = None) -> Outcome:
        """All that there is to report, with contents that stand in for those of files."""
        given = {**self.request.given, **(given or {})}
        results = check_all(self.collected.files, self._plan(given), self.progress)
        contents = Contents(given)
        silenced = known = 0
        findings: list[Finding] = []
        for checked in results:
            if checked.findings or checked.ignores:
                verdict = self.judge.verdict(checked, contents)
                silenced += verdict.silenced
                known += verdict.known
                findings += verdict.findings
        findings += [_missing(*problem) for problem in self.collected.problems]
        return Outcome(
            findings=tuple(sorted(findings, key=_order)),
            files=len(results),
            lines=sum(checked.lines for checked in results),
            silenced=silenced,
            known=known,
            rules=self.analysis.rules,
            page=self.analysis.page,
            contents=contents,
        )

    def fixed(self, outcome: Outcome, *, unsafe: bool) -> Mapping[str, Change]:
        """What all fixes would make of the files with fixable findings; nothing is written."""
        from .fixing import fix_contents
        from .writing_back import Change

        checker = self._plan(self.request.given).checker()
        files = dict.fromkeys(f.place.file for f in outcome.findings if f.fix and (unsafe or f.fix.safe))
        changes = {}
        for file in files:
            old = self._read(file)
            fixed = fix_contents(file, old, self._judge(file, checker), unsafe=unsafe)
            if fixed.data != old:
                changes[file] = Change(old=old, new=fixed.data, mended=sum(fixed.counts.values()))
        return changes

    def with_comments(self, outcome: Outcome) -> Mapping[str, Change]:
        """The files with a comment for each finding; nothing is written. One that this would break is left out."""
        from .adding_ignores import comments_for
        from .fixing import try_edits
        from .writing_back import Change

        changes: dict[str, Change] = {}
        for file, group in groupby(outcome.findings, key=lambda finding: finding.place.file):
            edits = [
                edit
                for cell, found in groupby(group, key=lambda finding: finding.place.cell)
                for edit in comments_for(outcome.contents.lines(file, cell), found, cell)
            ]
            if edits:
                old = self._read(file)
                new = try_edits(file, old, edits)
                changes |= {file: Change(old=old, new=new)} if new is not None else {}
        return changes

    def changed(self, changes: Mapping[str, Change]) -> Outcome:
        """The changes written, except to what stands in for files, and what is to be reported then."""
        from .writing_back import write_back

        given = {file: change.new for file, change in changes.items() if file in self.request.given}
        problems = write_back({file: change for file, change in changes.items() if file not in given})
        outcome = self.outcome(given)
        mended = sum(change.mended for change in changes.values())
        return replace(outcome, findings=(*problems, *outcome.findings), mended=mended)

    def _read(self, file: str) -> bytes:
        return self._plan(self.request.given).read(file)

    def _judge(self, file: str, checker: Checker) -> Callable[[bytes], Sequence[Finding]]:
        def judged(data: bytes) -> Sequence[Finding]:
            return self.judge.verdict(checker.check(file, data), Contents({file: data})).findings

        return judged

    def _plan(self, given: Mapping[str, bytes]) -> Plan:
        return Plan(
            analysis=self.analysis,
            modules=self.modules,
            jobs=self.request.jobs,
            cache=self.cache,
            given=given,
            raising=self.request.raising,
        )


def _collected(request: Request) -> Collected:
    """The files of the request.

    Raises:
        BadArgumentError: paths were named, and there is nothing at any of them.
    """
    settings = request.settings
    exclusion = Exclusion((*settings.exclude, *settings.extend_exclude), settings.root)
    respect = settings.respect_gitignore
    found = collect(request.paths, exclusion, force_exclude=request.force_exclude, respect_gitignore=respect)
    if found.problems and not found.files and not any(map(os.path.lexists, request.paths)):
        raise BadArgumentError(
            f"there is nothing at {', '.join(request.paths)}",
            why="no file or folder of that name exists",
            fix="name files or folders that do",
        )
    return found


def _missing(path: str, why: str) -> Finding:
    return upkeep.finding(upkeep.UNREADABLE, f"it cannot be read: {why}", upkeep.at(path))


def _order(finding: Finding) -> tuple[object, ...]:
    place = finding.place
    return place.file, place.cell, place.line, place.column, finding.code
