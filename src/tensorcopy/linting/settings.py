"""The settings of a project: the table ``[tool.tensorcopy]`` of the nearest ``pyproject.toml``."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

from ..errors import BadArgumentError
from .collecting import EXCLUDED


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a project says about its checks. Each field is a key of the table, with hyphens for underscores.

    select: the rules to report, by code, start of a code, name or ``ALL``; None means all but notes.
    extend_select, ignore: rules to add and to leave out. per_file_ignores: the latter for files by pattern.
    exclude: patterns of files and folders to leave out; extend_exclude adds to it.
    respect_gitignore: whether what git ignores in a work tree is left out as well.
    baseline: a file of findings that are known and not reported. cache_dir: where to keep what was found.
    root: the folder that patterns and these two paths are relative to; no key.
    """

    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    exclude: tuple[str, ...] = EXCLUDED
    extend_exclude: tuple[str, ...] = ()
    respect_gitignore: bool = True
    baseline: str | None = None
    cache_dir: str | None = None
    root: str = "."

    def within(self, path: str | None) -> str | None:
        """A path of the settings, which is relative to the folder that they are from."""
        return os.path.join(self.root, path) if path else None

    @property
    def names_rules(self) -> bool:
        """Whether there is a rule in them, which may be misspelt."""
        return bool(self.select or self.extend_select or self.ignore or self.per_file_ignores)


KEYS = tuple(f.name.replace("_", "-") for f in fields(Settings) if f.name != "root")
_TEXTS = ("baseline", "cache-dir")
_WANTED = {
    **dict.fromkeys(_TEXTS, "a text"),
    "per-file-ignores": "a table of lists of texts",
    "respect-gitignore": "true or false",
}


def settings_for(path: str) -> Settings:
    """The settings of the project that *path* is in: of the nearest ``pyproject.toml`` above it that has some.

    Raises:
        BadArgumentError: that file cannot be read, or a setting makes no sense.
    """
    folder = os.path.abspath(path)
    if not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    while True:
        file = os.path.join(folder, "pyproject.toml")
        table = _table(file) if os.path.isfile(file) else None
        if table is not None:
            return _settings(table, file)
        if os.path.dirname(folder) == folder:
            return Settings()
        folder = os.path.dirname(folder)


def settings_from(file: str) -> Settings:
    """The settings in *file*: in its table ``[tool.tensorcopy]``, or, unless it is a ``pyproject.toml``, at its top.

    Raises:
        BadArgumentError: it cannot be read, has no settings, or one makes no sense.
    """
    table = _table(file)
    if table is None and os.path.basename(file) == "pyproject.toml":
        raise BadArgumentError(
            f"no settings in {file}",
            why="it has no table [tool.tensorcopy]",
            fix="add the table, or name the file that has it",
        )
    return _settings(_read(file) if table is None else table, file)


def _table(file: str) -> Mapping[str, Any] | None:
    tools = _read(file).get("tool", {})
    table = tools.get("tensorcopy") if isinstance(tools, dict) else None
    return table if table is None or isinstance(table, dict) else {}


def _read(file: str) -> dict[str, Any]:
    try:
        with open(file, "rb") as opened:
            data = opened.read()
        if b"tensorcopy" not in data and os.path.basename(file) == "pyproject.toml":
            return {}
        return _load(data.decode())
    except OSError as error:
        why, fix = error.strerror or str(error), "name a file that exists and can be read"
    except ValueError as error:
        why, fix = str(error), "mend the TOML there"
    raise BadArgumentError(f"cannot read the settings in {file}", why=why, fix=fix)


def _load(text: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        from tomllib import loads
    else:
        from tomli import loads
    return loads(text)


def _settings(table: Mapping[str, Any], file: str) -> Settings:
    for key, value in table.items():
        if key not in KEYS:
            raise _unknown(key, file)
        _require(_fits(key, value), key, value, file)
    values = {key.replace("-", "_"): _frozen(value) for key, value in table.items()}
    return Settings(**values, root=os.path.dirname(os.path.abspath(file)))


def _fits(key: str, value: Any) -> bool:
    if key in _TEXTS:
        return isinstance(value, str)
    if key == "respect-gitignore":
        return isinstance(value, bool)
    if key == "per-file-ignores":
        return isinstance(value, dict) and all(map(_is_texts, value.values()))
    return _is_texts(value)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return MappingProxyType({key: tuple(items) for key, items in value.items()})
    return tuple(value) if isinstance(value, list) else value


def _require(fits: bool, key: str, value: Any, file: str) -> None:
    if not fits:
        wanted = _WANTED.get(key, "a list of texts")
        raise BadArgumentError(
            f"{key} = {value!r} in {file}", why=f"the setting {key} is {wanted}", fix="write it so, or take it out"
        )


def _unknown(key: str, file: str) -> BadArgumentError:
    from difflib import get_close_matches

    close = get_close_matches(key, KEYS, n=1)
    return BadArgumentError(
        f"unknown setting {key!r} in [tool.tensorcopy] of {file}",
        why=f"the settings are {', '.join(KEYS)}",
        fix=f"did you mean {close[0]}?" if close else "take it out",
    )
