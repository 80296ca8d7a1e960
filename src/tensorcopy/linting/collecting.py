"""Which files to check: folders walked, patterns left out, each file once. Looks at names only and opens no file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import translate

from .gitignore import Ignored, ignored_above, ignored_in, is_ignored

SUFFIXES = (".py", ".pyw", ".ipynb")
EXCLUDED = (
    ".bzr", ".direnv", ".eggs", ".git", ".git-rewrite", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pants.d",
    ".pyenv", ".pytest_cache", ".pytype", ".ruff_cache", ".svn", ".tensorcopy_cache", ".tox", ".venv", ".vscode",
    "__pycache__", "__pypackages__", "_build", "buck-out", "build", "dist", "node_modules", "site-packages", "venv",
)  # fmt: skip
"""What is left out unless ``exclude`` says otherwise: folders of tools, of installed packages and of built things."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """The files to check by the names that reports give them, and what of the paths could not be read, with why."""

    files: tuple[str, ...]
    problems: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Exclusion:
    """Patterns of what to leave out: of a name, or, where they contain a slash, of a path below `root`."""

    patterns: Sequence[str]
    root: str = "."
    _names: re.Pattern[str] = field(init=False)
    _paths: re.Pattern[str] | None = field(init=False)

    def __post_init__(self) -> None:
        cleaned = [pattern.rstrip("/") for pattern in self.patterns]
        paths = [os.path.join(os.path.abspath(self.root), p) for p in cleaned if "/" in p]
        self._names = re.compile("|".join(translate(p) for p in cleaned if "/" not in p) or r"(?!)")
        self._paths = re.compile("|".join(map(translate, paths))) if paths else None

    def matches(self, path: str, name: str) -> bool:
        """Whether the file or folder at *path*, called *name*, is left out."""
        if self._names.match(name):
            return True
        return self._paths is not None and self._paths.match(os.path.abspath(path)) is not None

    def matches_any_part(self, path: str) -> bool:
        """Whether the path itself or a folder that it names is left out."""
        parts = os.path.normpath(path).split(os.sep)
        return any(self.matches(os.sep.join(parts[:end]), parts[end - 1]) for end in range(1, len(parts) + 1))


def collect(
    paths: Iterable[str], exclusion: Exclusion, *, force_exclude: bool = False, respect_gitignore: bool = False
) -> Collected:
    """The Python files and notebooks at and below *paths*, sorted by folder.

    A file that is named is taken whatever its suffix, and what is named is taken although a pattern leaves it out,
    unless `force_exclude` says otherwise. Links to folders are not followed, so no loop is; a link to a file that is
    checked anyway is left out. With `respect_gitignore`, so is what git ignores in its work trees.
    """
    files: dict[str, None] = {}
    problems: list[tuple[str, str]] = []
    for path in paths:
        if force_exclude and exclusion.matches_any_part(path):
            continue
        files |= dict.fromkeys(_below(shown(path), exclusion, problems, respect_gitignore))
    return Collected(files=tuple(_without_doubles(files)), problems=tuple(problems))


def shown(path: str) -> str:
    """*path* as reports write it: below the working folder relative to it, anything else as it was given."""
    path = os.path.normpath(path)
    if not os.path.isabs(path):
        return path
    here = os.getcwd()
    return os.path.relpath(path, here) if path == here or path.startswith(here.rstrip(os.sep) + os.sep) else path


def _below(path: str, exclusion: Exclusion, problems: list[tuple[str, str]], by_git: bool) -> Iterator[str]:
    if os.path.isdir(path):
        yield from _walk(path, exclusion, problems, by_git)
    elif os.path.lexists(path):
        yield path
    else:
        problems.append((path, "there is no such file or folder"))


def _walk(folder: str, exclusion: Exclusion, problems: list[tuple[str, str]], by_git: bool) -> Iterator[str]:
    """The files of the folder, then those of its folders; not recursive, so any depth goes."""
    ignored = _Git(folder) if by_git else None
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(here) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            problems.append((here, error.strerror or str(error)))
            continue
        prefix = "" if here == "." else here if here.endswith(os.sep) else here + os.sep
        folders = []
        entries = ignored.left(here, entries) if ignored is not None else entries
        for entry in entries:
            path = prefix + entry.name
            if _is_folder(entry):
                if not exclusion.matches(path, entry.name) and not _is_environment(path):
                    folders.append(path)
            elif entry.name.endswith(SUFFIXES) and _is_file(entry) and not exclusion.matches(path, entry.name):
                yield path
        waiting += reversed(folders)


class _Git:
    """What git leaves in the folders of a walk, each of which is asked for after the one that it is in."""

    def __init__(self, folder: str) -> None:
        self._known: dict[str, tuple[Ignored, ...]] = {os.path.abspath(folder): ignored_above(os.path.abspath(folder))}

    def left(self, folder: str, entries: list[os.DirEntry[str]]) -> list[os.DirEntry[str]]:
        """The entries of a folder that git does not ignore."""
        here = os.path.abspath(folder)
        files = self._known.pop(here)
        names = {entry.name for entry in entries}
        if ".git" in names and not files:
            files = ignored_above(here)
        own = ignored_in(here) if ".gitignore" in names and (files or _is_in_work_tree(here)) else None
        files = files if own is None else (*files, own)
        found = []
        for entry in entries:
            is_folder, path = _is_folder(entry), os.path.join(here, entry.name)
            if not files or not is_ignored(path, files, is_folder=is_folder):
                found.append(entry)
                if is_folder:
                    self._known[path] = files
        return found


def _is_in_work_tree(folder: str) -> bool:
    while not os.path.exists(os.path.join(folder, ".git")):
        if os.path.dirname(folder) == folder:
            return False
        folder = os.path.dirname(folder)
    return True


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Regular files, and links that lead to one or, being broken, nowhere: these are worth a word."""
    try:
        return entry.is_file() or (entry.is_symlink() and not entry.is_dir())
    except OSError:
        return True


def _is_environment(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, "pyvenv.cfg"))


def _without_doubles(files: Iterable[str]) -> Iterator[str]:
    """Each file under one name: a link is dropped where what it leads to is checked too."""
    names = list(files)
    links = {name for name in names if os.path.islink(name)}
    real = {os.path.abspath(name) for name in names if name not in links}
    seen: set[str] = set()
    for name in names:
        target = os.path.realpath(name) if name in links else os.path.abspath(name)
        if target not in seen and not (name in links and target in real):
            seen.add(target)
            yield name
