"""What the arguments of ``tensorcopy check`` ask for, together with the settings of the project."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace

from ..errors import BadArgumentError
from ..linting.request import Request
from ..linting.selecting import split_codes
from ..linting.settings import Settings, settings_for, settings_from


def request_of(args: argparse.Namespace) -> Request:
    """The request, the standard input read if it is to be checked.

    Raises:
        BadArgumentError: the arguments or the settings make no sense.
    """
    paths: tuple[str, ...] = tuple(args.paths or ["."])
    given: dict[str, bytes] = {}
    if "-" in paths:
        _require(len(paths) == 1, "- and other paths together", "the standard input is checked alone", "name only -")
        paths, given = (), {args.stdin_filename or "<stdin>": sys.stdin.buffer.read()}
    return Request(
        paths=paths,
        settings=_settings(args, next(iter(given or paths))),
        given=given,
        force_exclude=args.force_exclude,
        jobs=_jobs(args.jobs),
        use_cache=not args.no_cache and not given,
        raising=args.traceback,
    )


def _require(holds: bool, what: str, why: str, fix: str) -> None:
    if not holds:
        raise BadArgumentError(what, why=why, fix=fix)


def _jobs(text: str) -> int:
    if text == "auto":
        return 0
    _require(
        text.isdecimal() and 0 < int(text) < 1000,
        f"argument -j/--jobs: {text!r}",
        "it is the number of processes",
        "give a number from 1 on, or auto",
    )
    return int(text)


def _settings(args: argparse.Namespace, path: str) -> Settings:
    """The settings of the project with what the arguments change. Rules that are selected are selected anew."""
    found = Settings() if args.isolated else settings_from(args.config) if args.config else settings_for(path)
    if args.select:
        found = replace(found, select=split_codes(args.select), extend_select=(), ignore=())
    exceptions = {**found.per_file_ignores, **_exceptions(args.per_file_ignores or ())}
    exclude = split_codes(args.exclude) if args.exclude else found.exclude
    return replace(
        found,
        extend_select=(*found.extend_select, *split_codes(args.extend_select or ())),
        ignore=(*found.ignore, *split_codes(args.ignore or ())),
        per_file_ignores=exceptions,
        exclude=exclude,
        respect_gitignore=found.respect_gitignore if args.respect_gitignore is None else args.respect_gitignore,
        extend_exclude=(*found.extend_exclude, *split_codes(args.extend_exclude or ())),
        baseline=_from_here(args.baseline) or (None if args.write_baseline else found.baseline),
        cache_dir=_from_here(args.cache_dir) or found.cache_dir,
    )


def _from_here(path: str | None) -> str | None:
    """A path of the command line, which is relative to the working folder wherever the settings are."""
    return os.path.abspath(path) if path else None


def _exceptions(texts: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        pattern, colon, codes = text.rpartition(":")
        _require(
            bool(colon and pattern and codes),
            f"argument --per-file-ignores: {text!r}",
            "it is a pattern of files, a colon and rules",
            'write it like "tests/*:TCY1"',
        )
        found[pattern] = (*found.get(pattern, ()), *split_codes([codes]))
    return found
