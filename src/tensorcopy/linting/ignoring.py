"""Comments that silence findings: ``# noqa: TCY101``, ``# tensorcopy: ignore[name]``, ``# tensorcopy: ignore-file``."""

from __future__ import annotations

import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from . import upkeep
from .model import Edit, Finding, Fix, Place

_HINT = re.compile(r"#.*?(?:noqa|tensorcopy:)", re.IGNORECASE)
_HINT_OF_OURS = re.compile(r"#.*?(?:TCY|tensorcopy:)", re.IGNORECASE)
_CODE = r"[A-Z][A-Z0-9]*\d+"
_NOQA = re.compile(rf"#\s*noqa(?P<list>\s*:\s*(?P<codes>{_CODE}(?:[,\s]+{_CODE})*))?(?![\w:])", re.IGNORECASE)
_OWN = re.compile(r"#\s*tensorcopy:\s*ignore(?P<whole>-file)?(?P<list>\[(?P<codes>[\w\s,-]*)\])?(?![\w\[])")
_OURS = re.compile(r"TCY\d*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignore:
    """A comment that silences.

    line, column, end_column: where it stands. first_line: the first line that it speaks for, above its own where a
    text or a line goes on over several.
    codes: codes, prefixes or names; none means all. text: the comment itself.
    start: the column from which on it is taken away, so that no blanks stay behind; 0 for the line as a whole.
    """

    line: int
    column: int
    end_column: int
    text: str
    codes: tuple[str, ...] = ()
    first_line: int = 0
    whole_file: bool = False
    own: bool = False
    start: int = 0
    cell: int = 0

    def speaks_for(self, finding: Finding) -> bool:
        """Whether the finding stands where the comment silences."""
        if self.whole_file:
            return True
        place = finding.place
        lines = (place.line, place.end_line)
        return place.cell == self.cell and any((self.first_line or self.line) <= line <= self.line for line in lines)

    def names(self, code: str, finding: Finding) -> bool:
        """Whether *code*, one of its own, means the rule of the finding."""
        if self.own and code.lower() == finding.name:
            return True
        return bool(_OURS.fullmatch(code)) and finding.code.startswith(code.upper())


def ignores_in(text: str, *, silent: bool = False) -> tuple[Ignore, ...]:
    """All comments of *text* that silence. A text without the words costs one search.

    silent: nothing was found in it, so that only comments matter that may be found idle, which are those that name us.
    """
    if not (_HINT_OF_OURS if silent else _HINT).search(text):
        return ()
    return tuple(found for comment in _comments(text) for found in _read(comment))


def silence(findings: Iterable[Finding], ignores: Sequence[Ignore], file: str) -> tuple[list[Finding], list[Finding]]:
    """The findings of *file* that no comment silences, and a finding for each comment that silences nothing."""
    used: dict[Ignore, set[str]] = defaultdict(set)
    kept = [finding for finding in findings if not _silenced(finding, ignores, used)]
    return kept, [found for ignore in ignores for found in _unused(ignore, used[ignore], file)]


def _silenced(finding: Finding, ignores: Sequence[Ignore], used: dict[Ignore, set[str]]) -> bool:
    silenced = False
    for ignore in ignores:
        if ignore.speaks_for(finding):
            named = {code for code in ignore.codes if ignore.names(code, finding)}
            used[ignore] |= named or ({""} if not ignore.codes else set())
            silenced = silenced or bool(named) or not ignore.codes
    return silenced


def _unused(ignore: Ignore, used: set[str], file: str) -> Iterator[Finding]:
    """What is idle of a comment. A bare ``# noqa`` may be meant for other tools, and so may codes that are not ours."""
    if ignore.codes:
        idle = [code for code in ignore.codes if code not in used and (ignore.own or _OURS.fullmatch(code))]
    else:
        idle = [] if used or not ignore.own else [""]
    if idle:
        named = f"{', '.join(idle)} in this comment" if idle != [""] else "this comment"
        silences = "silence" if len(idle) > 1 else "silences"
        place = Place(
            file=file,
            line=ignore.line,
            column=ignore.column,
            end_line=ignore.line,
            end_column=ignore.end_column,
            cell=ignore.cell,
        )
        found = upkeep.finding(upkeep.UNUSED, f"{named} {silences} nothing", place)
        yield replace(found, fix=_without(ignore, idle))


def _without(ignore: Ignore, idle: Sequence[str]) -> Fix:
    """The comment with the idle codes taken out, or without the comment."""
    left = [code for code in ignore.codes if code not in idle]
    here, cell = ignore.line, ignore.cell
    if left:
        text = ignore.text.replace(_listed(ignore), ", ".join(left), 1)
        edit = Edit(line=here, column=ignore.column, end_line=here, end_column=ignore.end_column, text=text, cell=cell)
        return Fix(title=f"take {', '.join(idle)} out of the comment", edits=(edit,), safe=True)
    if ignore.start:
        edit = Edit(line=here, column=ignore.start, end_line=here, end_column=ignore.end_column, text="", cell=cell)
    else:
        edit = Edit(line=here, column=1, end_line=here + 1, end_column=1, text="", cell=cell)
    return Fix(title="take the comment away", edits=(edit,), safe=True)


def _listed(ignore: Ignore) -> str:
    match = (_OWN if ignore.own else _NOQA).search(ignore.text)
    assert match is not None
    return match["codes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Comment:
    """A comment token: its line from 1, its column from 0, and the first line of what it ends."""

    line: int
    column: int
    text: str
    first_line: int
    before: str


def _comments(text: str) -> Iterator[_Comment]:
    """The comments of *text*; of one that cannot be read as tokens to its end, those before that."""
    reaches: dict[int, int] = {}
    lines = text.split("\n")
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            (line, column), (end_line, _) = token.start, token.end
            if token.type == tokenize.COMMENT:
                first = _first_line(reaches, line, lines)
                before = lines[line - 1][:column]
                yield _Comment(line=line, column=column, text=token.string, first_line=first, before=before)
            elif end_line > line and token.string.strip():
                reaches[end_line] = min(line, reaches.get(end_line, line))
    except (tokenize.TokenError, SyntaxError, ValueError):
        return


def _first_line(reaches: dict[int, int], line: int, lines: Sequence[str]) -> int:
    """The first line of the texts over several lines that end on *line*, and of the lines that a backslash goes on."""
    first = line
    while True:
        if reaches.get(first, first) < first:
            first = reaches[first]
        elif first > 1 and lines[first - 2].endswith("\\"):
            first -= 1
        else:
            return first


def _read(comment: _Comment) -> Iterator[Ignore]:
    for pattern, own in ((_OWN, True), (_NOQA, False)):
        for match in pattern.finditer(comment.text):
            codes = tuple(re.split(r"[,\s]+", match["codes"].strip())) if match["list"] else ()
            if codes != ("",):
                yield _ignore(comment, match, codes, own=own)


def _ignore(comment: _Comment, match: re.Match[str], codes: tuple[str, ...], *, own: bool) -> Ignore:
    column = comment.column + match.start() + 1
    return Ignore(
        line=comment.line,
        column=column,
        end_column=comment.column + match.end() + 1,
        text=match[0],
        codes=codes,
        first_line=comment.first_line,
        whole_file=own and bool(match["whole"]),
        own=own,
        start=_start(comment, match, column),
    )


def _start(comment: _Comment, match: re.Match[str], column: int) -> int:
    if match[0] != comment.text:
        return column
    return len(comment.before.rstrip()) + 1 if comment.before.strip() else 0
