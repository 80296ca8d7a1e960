"""Changed files put in the place of the old ones, each whole or not at all, and what would change shown as a diff."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import unified_diff

from ..errors import BadArgumentError
from ..reporting.escaping import visible
from ..reporting.writing import write_atomically
from . import upkeep
from .checking import read_bytes
from .model import Finding
from .reading import UnreadableError, decode


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a file holds, what it is to hold, and how many findings that mends."""

    old: bytes
    new: bytes
    mended: int = 0


def write_back(changes: Mapping[str, Change]) -> list[Finding]:
    """Write the files; a finding for each that cannot be written, or does not hold any more what it held."""
    return [finding for file, change in changes.items() for finding in _written(file, change)]


def _written(file: str, change: Change) -> Iterator[Finding]:
    try:
        if read_bytes(file) != change.old:
            yield _unwritten(file, "it was changed meanwhile")
        elif change.new != change.old:
            write_atomically(file, change.new)
    except (UnreadableError, BadArgumentError) as error:
        yield _unwritten(file, getattr(error, "why", str(error)))


def _unwritten(file: str, why: str) -> Finding:
    return upkeep.finding(upkeep.UNREADABLE, f"it was not fixed: {why[0].lower()}{why[1:]}", upkeep.at(file))


def diff(file: str, change: Change) -> str:
    """What changes, as a unified diff that ``patch`` and ``git apply`` understand."""
    old, new = change.old, change.new
    name = visible(file).replace("\\", "/")
    lines = unified_diff(_lines(old, file), _lines(new, file), f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(data: bytes, file: str) -> list[str]:
    """The lines with their ends as they are, so that a diff of other line ends applies too."""
    text = data.decode() if file.endswith(".ipynb") else data.decode(decode(data).encoding)
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + [parts[-1]] * bool(parts[-1])
