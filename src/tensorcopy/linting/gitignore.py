"""What git leaves out of a work tree, by its ``.gitignore`` files and ``.git/info/exclude``. Runs no git."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_Pattern = tuple[re.Pattern[str], bool, bool, bool]
"""The expression, whether it brings back, whether it is about folders only, and whether about a whole path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """The patterns of a folder, the last first. They speak of what is below it."""

    folder: str
    patterns: Sequence[_Pattern]

    def says(self, path: str, *, is_folder: bool) -> bool | None:
        """True if the path is left out, False if it is brought back, None if no pattern is about it."""
        below = path[len(self.folder.rstrip(os.sep)) + 1 :].replace(os.sep, "/")
        name = below.rpartition("/")[2]
        for pattern, brings_back, folders_only, whole in self.patterns:
            if (is_folder or not folders_only) and pattern.match(below if whole else name):
                return not brings_back
        return None


def is_ignored(path: str, files: Sequence[Ignored], *, is_folder: bool) -> bool:
    """Whether a file or folder is left out, by the nearest of these that says something. path: in full."""
    answers = (ignored.says(path, is_folder=is_folder) for ignored in reversed(files))
    return bool(next((answer for answer in answers if answer is not None), False))


def ignored_above(folder: str) -> tuple[Ignored, ...]:
    """What holds in a folder by the files above it; nothing outside of a git work tree. folder: in full."""
    above = [folder]
    while not os.path.exists(os.path.join(above[-1], ".git")):
        parent = os.path.dirname(above[-1])
        if parent == above[-1]:
            return ()
        above.append(parent)
    root = above[-1]
    found = [_read(os.path.join(root, ".git", "info", "exclude"), root)]
    found += [ignored_in(here) for here in reversed(above[1:])]
    return tuple(ignored for ignored in found if ignored is not None)


def ignored_in(folder: str) -> Ignored | None:
    """What the file of a folder says, if there is one that can be read."""
    return _read(os.path.join(folder, ".gitignore"), folder)


def _read(file: str, folder: str) -> Ignored | None:
    try:
        if not os.path.isfile(file):
            return None
        with open(file, encoding="utf-8", errors="surrogateescape") as opened:
            lines = opened.read().removeprefix("\ufeff").split("\n")
    except OSError:
        return None
    patterns = [pattern for line in lines if (pattern := _pattern(line)) is not None]
    return Ignored(folder=folder, patterns=patterns[::-1]) if patterns else None


def _pattern(line: str) -> _Pattern | None:
    """What a line says; None for comments, blank lines, and what is no pattern."""
    line = re.sub(r"(?<!\\)((?:\\\\)*) +$", r"\1", line.removesuffix("\r"))
    if not line or line.startswith("#"):
        return None
    brings_back = line.startswith("!")
    line = line.removeprefix("!")
    folders_only = line.endswith("/")
    line = line.removesuffix("/")
    whole = "/" in line
    try:
        expression = "".join(_translated(line.removeprefix("/")))
        return (re.compile(rf"(?s:{expression})\Z"), brings_back, folders_only, whole) if line else None
    except re.error:
        return None


_PART = re.compile(
    r"(?P<through>(?:^|(?<=/))\*\*/)|(?P<below>(?:^|(?<=/))\*\*$)|\*+|\?|\\.|\[[!^]?\]?(?:\\.|[^\]\\])*\]|.", re.S
)


def _translated(glob: str) -> Iterator[str]:
    """The regular expression of a pattern, part by part: only ``**`` between slashes goes through folders."""
    for part in _PART.finditer(glob):
        text = part[0]
        if part["through"]:
            yield "(?:[^/]+/)*"
        elif part["below"]:
            yield ".+"
        elif text.startswith("*"):
            yield "[^/]*"
        elif text == "?":
            yield "[^/]"
        elif text.startswith("[") and len(text) > 1:
            yield _class(text[1:-1])
        else:
            yield re.escape(text[1:] if len(text) == 2 else text)


def _ordered(span: re.Match[str]) -> str:
    """A range in a set. One that ends before it starts is its first character to git, and an error to Python."""
    first, last = span[1], span[2]
    return first if first[-1] > last[-1] else span[0]


def _class(inside: str) -> str:
    negated = inside[:1] in ("!", "^")
    inside = inside[negated:].replace("[", r"\[").replace("&&", r"&\&")
    if inside.startswith("]"):
        inside = "\\" + inside
    inside = re.sub(r"(\\.|.)-(\\.|.)", _ordered, inside, flags=re.S)
    return f"(?!/)[{'^' if negated else ''}{inside}]"
