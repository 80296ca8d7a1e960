"""Tables in rows of text: CSV, read into lists of Python numbers as a program without a library would have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

SUFFIXES = (".csv", ".tsv")


def read(path: Path) -> Mapping[str, Any]:
    """All columns of numbers as a nested list under no name, and each as a list under its own. Needs no library."""
    rows = _rows(path)
    if not rows:
        raise ValueError("it has no rows")
    has_head = not any(_number(cell) is not None for cell in rows[0])
    names = rows[0] if has_head else [f"column {k}" for k in range(len(rows[0]))]
    columns = dict(_columns(names, rows[has_head:]))
    together = [list(row) for row in zip(*columns.values(), strict=True)]
    return {"": together, **columns} if columns else {}


def _rows(path: Path) -> list[list[str]]:
    import csv

    separator = "\t" if path.suffix.lower() == ".tsv" else ","
    with path.open(newline="", encoding="utf-8-sig") as lines:
        return [row for row in csv.reader(lines, delimiter=separator) if row]


def _columns(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[tuple[str, list[int | float]]]:
    """The columns in which every cell is a number."""
    for k, name in enumerate(names):
        numbers = [_number(row[k]) if k < len(row) else None for row in rows]
        found = [number for number in numbers if number is not None]
        if found and len(found) == len(numbers):
            yield name, found


def _number(cell: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return None
