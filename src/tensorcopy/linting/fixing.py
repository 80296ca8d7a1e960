"""Fixes applied: those that do not overlap, again until none is left, each step parsed, every other byte kept.

The only place that changes text. Nothing here writes files.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .model import Edit, Finding, Fix, Place
from .notebooks import read_notebook
from .reading import Text, UnreadableError, as_text, decode, parse

Judge = Callable[[bytes], Sequence[Finding]]
"""The findings to mend in other contents of a file."""
_ROUNDS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """Contents after fixes, how many findings of each code were mended, and which fixes made nonsense and were undone.

    settled: False where fixes were still left after many rounds.
    """

    data: bytes
    counts: Mapping[str, int] = field(default_factory=dict)
    undone: tuple[str, ...] = ()
    settled: bool = True


def fix_contents(file: str, data: bytes, judge: Judge, *, unsafe: bool = False) -> Fixed:
    """*data*, the contents of *file*, with the fixes of its findings. Fixes that overlap wait for the next round."""
    counts: Counter[str] = Counter()
    undone: dict[tuple[str, Place], str] = {}
    seen = {data}
    for _ in range(_ROUNDS):
        fixable = [f for f in judge(data) if f.fix and (f.fix.safe or unsafe) and (f.code, f.place) not in undone]
        changed, done, failed = _one_round(file, data, fixable)
        undone |= {(f.code, f.place): _fix_of(f).title for f in failed}
        if changed == data and not failed:
            return Fixed(data=data, counts=counts, undone=tuple(undone.values()))
        if changed != data and changed in seen:
            break
        seen.add(changed)
        data = changed
        counts.update(finding.code for finding in done)
    return Fixed(data=data, counts=counts, undone=tuple(undone.values()), settled=False)


def _one_round(file: str, data: bytes, findings: Sequence[Finding]) -> tuple[bytes, list[Finding], list[Finding]]:
    """The contents after one round, what was mended, and that the fix of which would have made nonsense."""
    done = _compatible(findings)
    changed = _applied(file, data, done)
    if changed is not None:
        return changed, done, []
    kept: list[Finding] = []
    failed: list[Finding] = []
    for finding in done:
        if _applied(file, data, [*kept, finding]) is None:
            failed.append(finding)
        else:
            kept.append(finding)
    return _applied(file, data, kept) or data, kept, failed


def _fix_of(finding: Finding) -> Fix:
    assert finding.fix is not None
    return finding.fix


def _compatible(findings: Iterable[Finding]) -> list[Finding]:
    """The findings whose fixes do not touch what an earlier one changes; equal new lines, such as imports, are one."""
    taken: list[Edit] = []
    chosen = []
    for finding in sorted(findings, key=lambda f: min(map(_span, _fix_of(f).edits), default=())):
        edits = [edit for edit in _fix_of(finding).edits if not (edit.text.endswith("\n") and edit in taken)]
        if not any(_overlap(_span(edit), _span(other)) for edit in edits for other in taken):
            taken += edits
            chosen.append(finding)
    return chosen


_Position = tuple[int, int, int]


def _span(edit: Edit) -> tuple[_Position, _Position]:
    return (edit.cell, edit.line, edit.column), (edit.cell, edit.end_line, edit.end_column)


def _overlap(one: tuple[_Position, _Position], other: tuple[_Position, _Position]) -> bool:
    """Whether two spans share a character, or, both being empty, are the same point."""
    if one == other:
        return True
    return one[0] < other[1] and other[0] < one[1]


def _applied(file: str, data: bytes, findings: Iterable[Finding]) -> bytes | None:
    """The contents with these fixes; None where the result is not Python any more, or does not fit the encoding."""
    return try_edits(file, data, list(dict.fromkeys(edit for finding in findings for edit in _fix_of(finding).edits)))


def try_edits(file: str, data: bytes, edits: Sequence[Edit]) -> bytes | None:
    """The contents with *edits*; None where the result is not Python any more, or does not fit the encoding."""
    try:
        changed = edited(file, data, edits)
        if changed != data:
            _require_python(file, changed)
    except (UnreadableError, UnicodeEncodeError, IndexError):
        return None
    return changed


def edited(file: str, data: bytes, edits: Sequence[Edit]) -> bytes:
    """The contents of a file with *edits*, which do not overlap. Encoding, byte order mark and line ends stay.

    Raises:
        UnreadableError: the contents cannot be read.
        UnicodeEncodeError: a new character does not exist in the encoding.
        IndexError: an edit is outside of the text.
    """
    if not file.endswith(".ipynb"):
        text = decode(data)
        return text.encoded(*_edited_text(text, edits))
    book = read_notebook(data.decode())
    sources = {}
    for cell in book.cells:
        here = [edit for edit in edits if edit.cell == cell.number]
        if here:
            source = as_text(cell.source)
            sources[cell.number] = source.encoded(*_edited_text(source, here)).decode()
    return book.rewritten(sources).encode()


def _edited_text(text: Text, edits: Iterable[Edit]) -> tuple[str, tuple[str, ...]]:
    """The new text and its line ends; new lines end as most do."""
    starts = [0]
    for line in text.text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    changed, ends = text.text, text.ends
    for start, end, new in sorted((_offsets(edit, starts) for edit in edits), reverse=True):
        first = bisect_left(starts, start + 1) - 1
        removed, added = changed.count("\n", start, end), new.count("\n")
        kept = ends[first : first + min(removed, added)]
        ends = (*ends[:first], *kept, *[text.usual_end] * (added - len(kept)), *ends[first + removed :])
        changed = changed[:start] + new + changed[end:]
    return changed, ends


def _offsets(edit: Edit, starts: Sequence[int]) -> tuple[int, int, str]:
    """Where an edit begins and ends in the text. The line after the last is the end of the text."""
    start, end = (_offset(*at, starts) for at in ((edit.line, edit.column), (edit.end_line, edit.end_column)))
    if start > end:
        raise IndexError(edit)
    return start, end, edit.text


def _offset(line: int, column: int, starts: Sequence[int]) -> int:
    last = starts[-1] - 1
    if line == len(starts) and column == 1:
        return last
    if not (1 <= line < len(starts) and 1 <= column <= starts[line] - starts[line - 1]):
        raise IndexError((line, column))
    return starts[line - 1] + column - 1


def _require_python(file: str, data: bytes) -> None:
    if not file.endswith(".ipynb"):
        parse(decode(data).text, file)
        return
    book = read_notebook(data.decode())
    parse(book.text, file, top_level_await=True)
