"""What was found in files that have not changed since, nor what they import. Kept by contents; times are not looked at.

The cache is one file for each folder that is checked from: a line that tells it from anything else, and plain JSON. One
that cannot be read or written is done without.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import astuple, dataclass, field, fields
from typing import Any, TypeVar

from ..errors import BadArgumentError
from ..reporting.writing import write_atomically
from .checking import Checked, read_bytes
from .ignoring import Ignore
from .model import Edit, Finding, Fix, Level, Place
from .reading import UnreadableError

_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# This folder is a cache of tensorcopy and may be deleted.\n"
_NAMES: dict[type, tuple[str, ...]] = {kind: tuple(f.name for f in fields(kind)) for kind in (Place, Edit, Ignore)}
_Value = TypeVar("_Value", Place, Edit, Ignore)
_Entry = list[Any]
"""The stamp of a file, its lines, its findings and its ignores, the last two as lists of values."""


@dataclass(slots=True)
class Cache:
    """What is known of files, by their names in reports. `key` says what the answers depend on beside contents.

    path: the file that keeps it; none keeps it only as long as the object lives.
    """

    path: str | None
    key: str
    _files: dict[str, _Entry] = field(default_factory=dict, init=False)
    _followed: dict[str, list[Any]] = field(default_factory=dict, init=False)
    _changed: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        if self.path is None:
            return
        with suppress(UnreadableError):
            head, _, kept = read_bytes(self.path).partition(b"\n")
            if head == self._head(kept):
                found = json.loads(kept)
                self._files, self._followed = found["files"], found["followed"]

    def _head(self, kept: bytes) -> bytes:
        """The first line of the file, by which one of another release, a part of one, or anything else is told."""
        return f"tensorcopy {self.key} {hashlib.blake2b(kept, digest_size=16).hexdigest()}".encode("ascii")

    def forget_outdated(self, stamps: Callable[[str], str], answer: Callable[[str, str], str]) -> None:
        """Forget the files that stand on one that has changed, or on an import that means another file now.

        stamps: gives what a file holds now; answer: which file a module that is asked for in a file is.
        """
        changed = {
            file
            for file, (stamp, answers) in self._followed.items()
            if stamps(file) != stamp or any(answer(file, name) != found for name, found in answers.items())
        }
        for file in self._standing_on(changed):
            self._changed = True
            self._files.pop(file, None)
            self._followed.pop(file, None)

    def _standing_on(self, changed: set[str]) -> set[str]:
        importers: dict[str, set[str]] = {}
        for file, (_, answers) in self._followed.items():
            for found in answers.values():
                importers.setdefault(found, set()).add(file)
        reached, waiting = set(changed), list(changed)
        while waiting:
            fresh = importers.get(waiting.pop(), set()) - reached
            reached |= fresh
            waiting += fresh
        return reached

    def get(self, file: str, stamp: str) -> Checked | None:
        """What was found in a file that holds this; None if that is not known."""
        entry = self._files.get(file)
        return _checked(file, entry) if entry is not None and entry[0] == stamp else None

    def put(self, checked: Checked, stamp: str) -> None:
        """Keep what was found in a file, and where imports led to."""
        for file, found in checked.followed.items():
            self._followed[file] = [found.stamp, dict(found.answers)]
        if checked.settled:
            self._files[checked.file] = _entry(checked, stamp)
        self._changed = True

    def save(self) -> None:
        """Write what is new. Files that are gone are forgotten."""
        if not self._changed or self.path is None or (os.path.exists(self.path) and not os.path.isfile(self.path)):
            return
        files = {file: entry for file, entry in self._files.items() if os.path.exists(file)}
        kept = json.dumps({"files": files, "followed": self._followed}, separators=(",", ":")).encode("ascii")
        with suppress(OSError, BadArgumentError):
            _make_folder(os.path.dirname(self.path))
            write_atomically(self.path, self._head(kept) + b"\n" + kept, durably=False)


def cache_path(paths: Iterable[str], folder: str | None = None) -> str:
    """Where to keep what is found at *paths*: in *folder*, or in that of the system for caches.

    Files that are named, as hooks for a commit do, have one cache for all: what they import is not checked with them.
    """
    folders = sorted(os.path.normpath(path) for path in paths if os.path.isdir(path))
    about = "\0".join([os.getcwd(), *folders])
    name = hashlib.blake2b(os.fsencode(about), digest_size=8).hexdigest()
    return os.path.join(folder or _system_folder(), f"check-{name}.json")


def _system_folder() -> str:
    given = os.environ.get("TENSORCOPY_CACHE_DIR")
    if given:
        return given
    if sys.platform == "darwin":
        parent = os.path.expanduser("~/Library/Caches")
    elif os.name == "nt":
        parent = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local")
    else:
        parent = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(parent, "tensorcopy")


def _make_folder(folder: str) -> None:
    """The folder, marked as a cache for backup programs, and out of sight of git."""
    if os.path.isdir(folder):
        return
    os.makedirs(folder)
    for name, text in (("CACHEDIR.TAG", _TAG), (".gitignore", "*\n")):
        write_atomically(os.path.join(folder, name), text.encode("ascii"))


def _entry(checked: Checked, stamp: str) -> _Entry:
    findings = [_finding_values(finding, checked.file) for finding in checked.findings]
    return [stamp, checked.lines, findings, [list(astuple(i)) for i in checked.ignores]]


def _checked(file: str, entry: _Entry) -> Checked:
    _, lines, findings, ignores = entry
    return Checked(
        file=file,
        lines=lines,
        findings=tuple(_finding(values, file) for values in findings),
        ignores=tuple(_made(Ignore, values) for values in ignores),
    )


def _finding_values(finding: Finding, file: str) -> list[Any]:
    """The finding as a list. Its own file is left empty, since the next run may call it otherwise."""
    places = [list(astuple(place)) for place in (finding.place, *finding.related)]
    for values in places:
        values[0] = "" if values[0] == file else values[0]
    fix = finding.fix
    fixed = [fix.title, fix.safe, [list(astuple(edit)) for edit in fix.edits]] if fix else None
    return [finding.code, finding.name, finding.level.value, finding.message, places, fixed]


def _finding(values: list[Any], file: str) -> Finding:
    code, name, level, message, places, fixed = values
    first, *others = (_made(Place, [place[0] or file, *place[1:]]) for place in places)
    edits = tuple(_made(Edit, edit) for edit in fixed[2]) if fixed else ()
    fix = Fix(title=fixed[0], edits=edits, safe=fixed[1]) if fixed else None
    return Finding(
        code=code, name=name, level=Level(level), message=message, place=first, related=tuple(others), fix=fix
    )


def _made(kind: type[_Value], values: list[Any]) -> _Value:
    """The value of a dataclass from its fields in order, lists in it as tuples."""
    frozen = (tuple(value) if isinstance(value, list) else value for value in values)
    named: dict[str, Any] = dict(zip(_NAMES[kind], frozen, strict=True))
    return kind(**named)
