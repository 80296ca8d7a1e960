"""What judges a file: the analysis and its rules, as one value, so that what is around it can be tried with another."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from .. import __version__
from . import upkeep
from .model import Finding, Rule
from .sources import Source

Find = Callable[[Source], list[Finding]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """A way to judge files.

    start: makes what gives all findings of one file, of all rules and levels, and may keep what it finds out about the
        sources that it is given or imports. Only the findings matter; it may raise `RecursionError`.
    rules: the rules by their codes. page: the text that explains the rule of a code, in Markdown.
    key: gives a text that changes whenever the findings of an unchanged file may.
    """

    start: Callable[[], Find]
    rules: Mapping[str, Rule]
    page: Callable[[str], str]
    key: Callable[[], str]


class _LateRules(Mapping[str, Rule]):
    """The rules of this package, loaded when one is asked for: a check that finds nothing to check needs none."""

    def _all(self) -> Mapping[str, Rule]:
        from .rules import all_rules

        return {**all_rules(), **upkeep.RULES}

    def __getitem__(self, code: str) -> Rule:
        return self._all()[code]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


def shipped() -> Analysis:
    """The analysis of this package, with all its rules. Loads them when they are needed."""
    return Analysis(start=_start, rules=_LateRules(), page=page_of, key=_key)


def _start() -> Find:
    from .following import start

    return start()


def page_of(code: str) -> str:
    """The text that explains the rule of this code."""
    from . import rules

    return upkeep.page_of(code) if code in upkeep.RULES else rules.page_of(code)


def _key() -> str:
    """The release, the Python that parses, and the state of our own files, which in development change without it."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found = [f"{__version__} {sys.version_info[:2]}"]
    for folder in ("linting", "catalogue"):
        for here, folders, files in os.walk(os.path.join(package, folder)):
            folders.sort()
            for name in sorted(files):
                if name.endswith(".py"):
                    state = os.stat(os.path.join(here, name))
                    found.append(f"{name} {state.st_size} {state.st_mtime_ns}")
    return hashlib.blake2b("\n".join(found).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
