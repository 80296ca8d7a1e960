"""Notebooks: their cells as one program, and changed cells written back with every other byte as it was."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from json import JSONDecoder
from typing import Any

from .reading import UnreadableError

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = JSONDecoder(strict=False)
_ITEM_GAP = re.compile(r"\[(\s*)")
_RUNS_PYTHON = re.compile(r"%%(?:time|timeit|capture|prun|memray_flamegraph|scalene|copies)\b")
_MAGIC = re.compile(r"^(\s*)(?:[%!?].*|[\w.]+\?{1,2}\s*$)")
_ASSIGNED_MAGIC = re.compile(r"^(\s*[\w, ]+=\s*)[%!].*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell with code. number: among all cells, from 1. start, end: where in the file's text its source is."""

    number: int
    source: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Notebook:
    """The code of a notebook. text: the cells as one program, magics blanked; starts: the first line of each."""

    raw: str
    cells: tuple[Cell, ...]
    text: str
    starts: tuple[int, ...]

    def locate(self, line: int) -> tuple[int, int]:
        """The number of the cell that a line of the program is in, and the line there."""
        index = max(bisect_right(self.starts, line) - 1, 0)
        return (self.cells[index].number, line - self.starts[index] + 1) if self.cells else (0, line)

    def rewritten(self, sources: Mapping[int, str]) -> str:
        """The notebook with other sources in the cells of these numbers."""
        parts, end = [], 0
        for cell in self.cells:
            if sources.get(cell.number, cell.source) != cell.source:
                parts += [self.raw[end : cell.start], _written(sources[cell.number], self.raw[cell.start : cell.end])]
                end = cell.end
        return "".join([*parts, self.raw[end:]])


def read_notebook(raw: str) -> Notebook:
    """The code in the JSON text *raw*; none if its language is another.

    Raises:
        UnreadableError: it is no notebook.
    """
    try:
        value = _DECODER.decode(raw.lstrip("\ufeff"))
        cells = _cells_of(raw, value)
    except RecursionError:
        raise UnreadableError("it is not a notebook: it is nested too deeply") from None
    except (ValueError, LookupError, TypeError) as error:
        raise UnreadableError(f"it is not a notebook: {error}") from None
    starts, line, texts = [], 1, []
    for cell in cells:
        starts.append(line)
        texts.append(without_magics(cell.source))
        line += texts[-1].count("\n") + 1
    return Notebook(raw=raw, cells=cells, text="\n".join(texts), starts=tuple(starts))


def without_magics(source: str) -> str:
    """The source of a cell with what is not Python blanked, line by line."""
    lines = re.sub("\r\n?", "\n", source).split("\n")
    first = next((line for line in lines if line.strip()), "")
    if first.startswith("%%") and not _RUNS_PYTHON.match(first):
        return "\n" * (len(lines) - 1)
    return "\n".join(map(_without_magic, lines))


def _without_magic(line: str) -> str:
    """A magic becomes ``pass`` where a block may need a statement; what one gives is unknown."""
    assigned = _ASSIGNED_MAGIC.match(line)
    if assigned:
        return f"{assigned[1]}_"
    match = _MAGIC.match(line)
    if match is None:
        return line
    return f"{match[1]}pass" if match[1] else ""


def _cells_of(raw: str, value: object) -> tuple[Cell, ...]:
    """The code cells of a notebook in Python.

    Raises:
        ValueError: it is no notebook.
    """
    if not isinstance(value, dict) or not isinstance(value.get("cells"), list):
        raise ValueError("it has no list of cells")
    if not _is_python(value):
        return ()
    for number, cell in enumerate(value["cells"], 1):
        _require_cell(cell, number)
    return tuple(_cells(raw))


def _require_cell(cell: object, number: int) -> None:
    """Refuse what is no cell."""
    if not isinstance(cell, dict) or "cell_type" not in cell:
        raise ValueError(f"cell {number} has no cell_type")
    source = cell.get("source", "")
    lines = source if isinstance(source, list) else [source]
    if cell["cell_type"] == "code" and not all(isinstance(line, str) for line in lines):
        raise ValueError(f"the source of cell {number} is neither a text nor a list of texts")


def _is_python(value: Mapping[str, Any]) -> bool:
    language = _stated(value, "language_info", "name") or _stated(value, "kernelspec", "language") or "python"
    return str(language).lower().startswith(("python", "ipython"))


def _stated(value: Mapping[str, Any], *names: str) -> Any:
    """What the metadata state below these names, if they are there and as they should be."""
    found: Any = value.get("metadata")
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _cells(raw: str) -> Iterator[Cell]:
    """The code cells with the spans of their sources."""
    spans = dict(_members(raw, _SPACE.match(raw, raw.startswith("\ufeff")).end()))  # type: ignore[union-attr]
    for number, start in enumerate(_items(raw, spans["cells"][0]), 1):
        members = dict(_members(raw, start))
        kind = _value(raw, members["cell_type"])
        if kind == "code" and "source" in members:
            source = _value(raw, members["source"])
            text = source if isinstance(source, str) else "".join(source)
            yield Cell(number=number, source=text, start=members["source"][0], end=members["source"][1])


def _members(raw: str, start: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """The names in the object at *start* and where their values are."""
    at = _skip(raw, _expect(raw, start, "{"))
    while raw[at] != "}":
        name, at = _DECODER.raw_decode(raw, at)
        begin = _skip(raw, _expect(raw, _skip(raw, at), ":"))
        end = _DECODER.raw_decode(raw, begin)[1]
        yield name, (begin, end)
        at = _skip(raw, end)
        at = _skip(raw, at + 1) if raw[at] == "," else at


def _items(raw: str, start: int) -> Iterator[int]:
    """Where the items of the list at *start* are."""
    at = _skip(raw, _expect(raw, start, "["))
    while raw[at] != "]":
        yield at
        at = _skip(raw, _DECODER.raw_decode(raw, at)[1])
        at = _skip(raw, at + 1) if raw[at] == "," else at


def _value(raw: str, span: tuple[int, int]) -> Any:
    return _DECODER.decode(raw[span[0] : span[1]])


def _skip(raw: str, at: int) -> int:
    match = _SPACE.match(raw, at)
    assert match is not None
    return match.end()


def _expect(raw: str, at: int, sign: str) -> int:
    if raw[at] != sign:
        raise ValueError(f"{sign} expected at character {at}")
    return at + 1


def _written(source: str, old: str) -> str:
    """*source* in JSON as *old* is written: one text or a list of lines, laid out and escaped alike."""
    if not old.startswith("["):
        return _quoted(source, old)
    kept = {_DECODER.decode(old[at:end]): old[at:end] for at, end in _spans(old)}
    items = [kept.get(line) or _quoted(line, old) for line in re.findall(r"[^\n]*\n|[^\n]+", source)]
    gap = _ITEM_GAP.match(old)
    assert gap is not None
    inner = old[1:-1]
    separator = f",{gap[1] or _between(old)}"
    return f"[{gap[1]}{separator.join(items)}{inner[len(inner.rstrip()) :]}]" if items else "[]"


def _between(old: str) -> str:
    return " " if '", "' in old else ""


def _spans(old: str) -> Sequence[tuple[int, int]]:
    return [(at, _DECODER.raw_decode(old, at)[1]) for at in _items(old, 0)]


def _quoted(text: str, old: str) -> str:
    """*text* as a JSON text, with other than ASCII characters written out unless *old* has them as they are."""
    return json.dumps(text, ensure_ascii=old.isascii() and "\\u" in old)
