"""A source out of a file, or a complaint that says why not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from .._discovery import modules_of
from ..errors import BadArgumentError, TensorcopyError
from ..live.allocations import available_bytes
from . import files

_LISTED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A source, and what else the file has."""

    value: Any
    label: str
    others: tuple[str, ...] = ()


@cache
def readers() -> Mapping[str, ModuleType]:
    """The module for each suffix."""
    return {suffix: module for module in modules_of(files) for suffix in module.SUFFIXES}


def read(path: str, key: str | None = None) -> Found:
    """The source that *path* holds: the part that *key* names, or the first part of the most elements.

    Copies it into memory; loads the library that reads such files. Only ``.py`` files run code.

    Raises:
        BadArgumentError: the file cannot be read, is of no known kind, or holds no numbers or no such part.
        MissingLibraryError: the library that reads such files is not installed.
    """
    file = Path(path)
    reader = readers().get(file.suffix.lower())
    if reader is None:
        raise _unknown(file)
    _require_memory(file)
    try:
        parts = reader.read(file)
    except TensorcopyError:
        raise
    except Exception as error:
        raise _unreadable(file, error) from error
    return _chosen(file, parts, key)


def _chosen(file: Path, parts: Mapping[str, Any], key: str | None) -> Found:
    if not parts:
        raise BadArgumentError(
            f"{file.name!r} holds nothing to compare",
            why="there is no tensor, array or column of numbers without gaps in it",
            fix="pass a file with one, or make a source with --shape and --dtype",
        )
    if key is not None and key not in parts:
        raise BadArgumentError(
            f"{file.name!r} has no part {key!r}",
            why=f"its parts are {_listed(parts)}",
            fix="name one of them with --key",
        )
    name = key if key is not None else max(parts, key=lambda part: _elements(parts[part]))
    others = tuple(part for part in parts if part and part != name)
    return Found(value=parts[name], label=f"{name} of {file.name}" if name else file.name, others=others)


def _elements(part: Any) -> int:
    if isinstance(part, (list, tuple)):
        return sum(len(member) if isinstance(member, (list, tuple)) else 1 for member in part)
    numel = getattr(part, "numel", None)
    return int(numel()) if callable(numel) else int(getattr(part, "size", 1))


def _listed(parts: Mapping[str, Any]) -> str:
    names = [repr(part) for part in parts if part]
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return (", ".join(names[:_LISTED]) + more) or "just one, without a name"


def _unknown(file: Path) -> BadArgumentError:
    return BadArgumentError(
        f"{file.name!r} is of no kind that can be read",
        why=f"the suffixes are {', '.join(readers())}",
        fix="pass such a file, or a .py file whose last line gives the source",
    )


def _unreadable(file: Path, error: Exception) -> BadArgumentError:
    told = re.sub(r"\x1b\[[\d;]*m", "", (str(error).strip().splitlines() or [""])[0])
    return BadArgumentError(
        f"cannot read {file.name!r}",
        why=f"{type(error).__name__}: {told}" if told else type(error).__name__,
        fix="pass a file that is whole, readable and what its suffix says",
    )


def _require_memory(file: Path) -> None:
    free = available_bytes()
    size = file.stat().st_size if file.is_file() else 0
    if free is not None and 3 * size > free:
        raise BadArgumentError(
            f"{file.name!r} is too large to compare here",
            why=f"it, a copy and what is needed take {3 * size / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free",
            fix="pass a smaller file, or make a source like it with --shape and --dtype",
        )
