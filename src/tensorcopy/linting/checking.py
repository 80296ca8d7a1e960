"""One file from bytes to findings, and the sources that its imports lead to. Selects and silences nothing."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from . import upkeep
from .analysis import Analysis, Find
from .ignoring import Ignore, ignores_in
from .model import Edit, Finding, Fix, Place
from .modules import Module, Modules
from .notebooks import Notebook, read_notebook
from .reading import UnreadableError, decode, parse
from .sources import Source

_CHARACTERS_KEPT = 6_000_000
"""What is kept for the files that follow: about 150,000 lines, and 150 MB of trees."""
_CHARACTERS_FOLLOWED = 400_000
"""What one file may lead to: about 10,000 lines. Where everything imports everything, there would be no end to it."""
_RECURSION = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """What a file leads to. stamp: its contents. answers: the file that each module asked for is; empty for none."""

    stamp: str
    answers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What the check of one file gave: every finding of every rule, and the comments that may silence some.

    followed: where imports led to, which findings may stand on, as far as it was not told with another file before.
    settled: False where the answer is not a matter of contents alone, so that it must not be kept.
    """

    file: str
    lines: int = 0
    findings: tuple[Finding, ...] = ()
    ignores: tuple[Ignore, ...] = ()
    followed: Mapping[str, Followed] = field(default_factory=dict)
    settled: bool = True

    @property
    def complete(self) -> bool:
        """Whether all of the file was understood, so that what was not found is not there."""
        return not any(finding.code in upkeep.RULES for finding in self.findings)


def stamp_of(data: bytes, module: Module) -> str:
    """A text that differs where the contents of two files do, or what they are called as modules."""
    return f"{hashlib.blake2b(data, digest_size=16).hexdigest()} {module.dotted}"


def read_bytes(file: str) -> bytes:
    """The contents of a file.

    Raises:
        UnreadableError: it cannot be opened or read, or is a pipe or a device, which may have no end.
    """
    try:
        with open(file, "rb", buffering=0, opener=_without_waiting) as opened:
            if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                raise UnreadableError("it is a pipe or a device, not a file; what comes through a pipe is checked as -")
            return opened.read()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise UnreadableError(f"it cannot be read: {why[0].lower()}{why[1:]}") from None


def _without_waiting(file: str, flags: int) -> int:
    """Open a file; a pipe that nobody writes to as well."""
    return os.open(file, flags | getattr(os, "O_NONBLOCK", 0))


@dataclass(slots=True)
class Checker:
    """Checks files of one set, between which imports are followed.

    A file keeps its `Source` while it is remembered, so that an analysis may keep what it found out about one. What was
    asked for in any file is remembered for all, so that an answer made of such knowledge knows all files it stands on.
    read: gives the contents of a file that is imported.
    raising: whether a bug in the analysis ends the check instead of becoming a finding.
    """

    analysis: Analysis
    modules: Modules
    read: Callable[[str], bytes] = read_bytes
    raising: bool = False
    _sources: dict[str, Source | None] = field(default_factory=dict, init=False)
    _led: set[str] = field(default_factory=set, init=False)
    _led_to: int = field(default=0, init=False)
    _too_far: set[str] = field(default_factory=set, init=False)
    _stamps: dict[str, str] = field(default_factory=dict, init=False)
    _answers: dict[str, dict[str, str]] = field(default_factory=dict, init=False)
    _told: dict[str, int] = field(default_factory=dict, init=False)
    _kept: int = field(default=0, init=False)
    _find: Find | None = field(default=None, init=False)

    def check(self, file: str, data: bytes) -> Checked:
        """All findings in *data*, the contents of *file*. Never raises for what they are."""
        self._led, self._led_to, self._too_far = set(), 0, set()
        if self._kept > _CHARACTERS_KEPT:
            self._forget_oldest()
        with _room_to_recurse():
            return self._check(file, data)

    def _check(self, file: str, data: bytes) -> Checked:
        try:
            if file.endswith(".ipynb"):
                return self._check_notebook(file, data)
            source = self._sources.get(file)
            if source is None or self._stamps[file] != stamp_of(data, self.modules.of(file)):
                source = self._parsed(file, data)
        except UnreadableError as problem:
            return Checked(file=file, lines=data.count(b"\n"), findings=(unreadable(file, problem),))
        checked = self._judged(source)
        return replace(checked, lines=data.count(b"\n"), ignores=ignores_in(source.text, silent=not checked.findings))

    def _judged(self, source: Source) -> Checked:
        """The findings of a source, with the modules that were followed for them."""
        if self._find is None:
            self._find = self.analysis.start()
        try:
            findings = tuple(sorted(self._find(source), key=lambda finding: finding.place))
        except (RecursionError, MemoryError):
            if self.raising:
                raise
            found = _one_finding(upkeep.TOO_DEEP, source.name, "it is nested more deeply than can be followed")
            return replace(found, followed=self._news(source.name))
        except Exception as error:
            if self.raising:
                raise
            return replace(_one_finding(upkeep.UNFINISHED, source.name, _told(error)), settled=False)
        return Checked(file=source.name, findings=findings, followed=self._news(source.name))

    def _news(self, file: str) -> Mapping[str, Followed]:
        """Where the file and those that it led to lead to, without what was told with another file."""
        waiting, seen, news = [file], {file}, {}
        while waiting:
            here = waiting.pop()
            answers = self._answers.get(here, {})
            if len(answers) > self._told.get(here, -1):
                news[here] = Followed(stamp=self._stamps.get(here, ""), answers=dict(answers))
                self._told[here] = len(answers)
            fresh = set(filter(None, answers.values())) - seen
            seen |= fresh
            waiting += fresh
        return news

    def _parsed(self, file: str, data: bytes) -> Source:
        """The source in *data*, remembered.

        Raises:
            UnreadableError: it is none.
        """
        self._forget(file)
        module = self.modules.of(file)
        self._stamps[file] = stamp_of(data, module)
        text = decode(data).text
        imports = partial(self._follow, importer=file)
        tree = parse(text, file)
        source = Source(
            name=file, text=text, tree=tree, module=module.dotted, is_package=module.is_package, imports=imports
        )
        self._sources[file] = source
        self._kept += len(text)
        return source

    def _forget(self, file: str) -> None:
        source = self._sources.pop(file, None)
        if source is not None:
            self._kept -= len(source.text)
            source.notes.clear()

    def _forget_oldest(self) -> None:
        """Let go of the sources that were asked for longest ago, until half of the room is free."""
        for known in list(self._sources):
            if self._kept <= _CHARACTERS_KEPT // 2:
                return
            self._forget(known)

    def _follow(self, name: str, *, importer: str) -> Source | None:
        """The source that *name* means in *importer*."""
        answers = self._answers.setdefault(importer, {})
        if name not in answers:
            answers[name] = self.modules.find(name, self.modules.of(importer)) or ""
        file = answers[name]
        return self._read(file) if file else None

    def _read(self, file: str) -> Source | None:
        """The source in a file that is led to; None if there is none, or if there is no end to what is led to."""
        if file in self._too_far:
            return None
        try:
            if file in self._sources:
                known = self._sources[file] = self._sources.pop(file)  # the last asked for stands last
                return known if known is None or self._may_lead_to(file, len(known.text)) else None
            data = self.read(file)
            if not self._may_lead_to(file, len(data)):
                if file not in self._stamps:
                    self._stamps[file] = stamp_of(data, self.modules.of(file))
                return None
            return self._parsed(file, data)
        except UnreadableError:
            self._sources[file] = None
            return None

    def _may_lead_to(self, file: str, size: int) -> bool:
        """Whether a file of this size is followed for the one that is checked, and counted if it is."""
        if file not in self._led and self._led_to + size <= _CHARACTERS_FOLLOWED:
            self._led.add(file)
            self._led_to += size
        elif file not in self._led:
            self._too_far.add(file)
        return file in self._led

    def _check_notebook(self, file: str, data: bytes) -> Checked:
        try:
            book = read_notebook(data.decode())
        except UnicodeDecodeError as error:
            raise UnreadableError(f"it is not utf-8: {error.reason}") from None
        text, broken = _parsable(book)
        problems = [unreadable(file, problem, cell) for cell, problem in broken.items()]
        tree = parse(text, file, top_level_await=True)
        self._stamps[file] = stamp_of(data, self.modules.of(file))
        checked = self._judged(Source(name=file, text=text, tree=tree, imports=partial(self._follow, importer=file)))
        place, edit = partial(_in_cell, book), partial(_edit_in_cell, book)
        return replace(
            checked,
            lines=text.count("\n") + bool(text),
            findings=(*problems, *(_moved(finding, place, edit, file) for finding in checked.findings)),
            ignores=tuple(_ignore_in_cell(book, ignore) for ignore in ignores_in(text)),
        )


def unreadable(file: str, problem: UnreadableError, cell: int = 0) -> Finding:
    """The finding for a file that cannot be read."""
    code = upkeep.SYNTAX if problem.is_syntax else upkeep.UNREADABLE
    return upkeep.finding(code, problem.message, upkeep.at(file, problem.line, problem.column, cell))


def _one_finding(code: str, file: str, message: str) -> Checked:
    return Checked(file=file, findings=(upkeep.finding(code, message, upkeep.at(file)),))


@contextmanager
def _room_to_recurse() -> Iterator[None]:
    """Deep programs, which generators write, need deep calls; other threads than the main one have small stacks."""
    before = sys.getrecursionlimit()
    if threading.current_thread() is threading.main_thread():
        sys.setrecursionlimit(max(before, _RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _told(error: Exception) -> str:
    """The error and the place in our own code that raised it, which a report of the bug needs."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {frames[-1].name}:{frames[-1].lineno}" if frames else ""
    return f"this is a bug in tensorcopy: {type(error).__name__}: {error}{where}"


def _parsable(book: Notebook) -> tuple[str, dict[int, UnreadableError]]:
    """The program of a notebook without the cells that are not Python, and what is wrong with these."""
    try:
        parse(book.text, "notebook", top_level_await=True)
    except UnreadableError:
        lines = book.text.split("\n")
        broken = {}
        for cell, start, end in zip(book.cells, book.starts, (*book.starts[1:], len(lines) + 1), strict=True):
            try:
                parse("\n".join(lines[start - 1 : end - 1]), "cell", top_level_await=True)
            except UnreadableError as problem:
                broken[cell.number] = problem
                lines[start - 1 : end - 1] = [""] * (end - start)
        return "\n".join(lines), broken
    return book.text, {}


def _moved(
    finding: Finding, place: Callable[[Place], Place], edit: Callable[[Edit], Edit | None], file: str
) -> Finding:
    """The finding with its places and edits in cells; a fix over several cells cannot be written back."""
    fix = finding.fix
    if fix is not None:
        edits = [edit(change) for change in fix.edits]
        kept = [change for change in edits if change is not None]
        fix = Fix(title=fix.title, edits=tuple(kept), safe=fix.safe) if len(kept) == len(edits) else None
    related = tuple(place(other) if other.file == file else other for other in finding.related)
    return replace(finding, place=place(finding.place), related=related, fix=fix)


def _in_cell(book: Notebook, place: Place) -> Place:
    cell, line = book.locate(place.line)
    return replace(place, line=line, end_line=line + place.end_line - place.line, cell=cell)


def _edit_in_cell(book: Notebook, edit: Edit) -> Edit | None:
    cell, line = book.locate(edit.line)
    if book.locate(edit.end_line)[0] != cell:
        return None
    return replace(edit, line=line, end_line=line + edit.end_line - edit.line, cell=cell)


def _ignore_in_cell(book: Notebook, ignore: Ignore) -> Ignore:
    cell, line = book.locate(ignore.line)
    return replace(ignore, line=line, first_line=max(line + ignore.first_line - ignore.line, 1), cell=cell)
