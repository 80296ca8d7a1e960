"""Which findings to report: rules selected and ignored by code, start of a code or name, for all files or for some."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..errors import BadArgumentError
from .collecting import Exclusion
from .model import Finding, Level, Rule
from .settings import Settings

ALL = "ALL"
_DEFAULT = -1
"""How exactly a rule is chosen that nothing names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The codes to report, and those that are left out in files by pattern."""

    codes: frozenset[str]
    exceptions: tuple[tuple[Exclusion, frozenset[str]], ...] = ()

    def includes(self, finding: Finding) -> bool:
        """Whether to report the finding."""
        if finding.code not in self.codes:
            return False
        if not self.exceptions:
            return True
        file = finding.place.file
        return not any(finding.code in codes and where.matches_any_part(file) for where, codes in self.exceptions)


def selection(settings: Settings, rules: Mapping[str, Rule]) -> Selection:
    """What *settings* select of the *rules*. Where selected and ignored contradict each other, the more exact wins.

    Raises:
        BadArgumentError: something that is named is no rule.
    """
    chosen = _exactness(settings.select or (), rules)
    if settings.select is None:
        chosen = {code: _DEFAULT for code, rule in rules.items() if rule.level is not Level.NOTE}
    added = _exactness(settings.extend_select, rules)
    chosen = {code: max(chosen.get(code, _DEFAULT), added.get(code, _DEFAULT)) for code in (*chosen, *added)}
    ignored = _exactness(settings.ignore, rules)
    exceptions = tuple(
        (Exclusion([pattern], settings.root), frozenset(_exactness(codes, rules)))
        for pattern, codes in settings.per_file_ignores.items()
    )
    kept = (code for code, exactness in chosen.items() if ignored.get(code, _DEFAULT - 1) < exactness)
    return Selection(codes=frozenset(kept), exceptions=exceptions)


def split_codes(texts: Iterable[str]) -> tuple[str, ...]:
    """Selectors given with commas, spaces or one by one."""
    return tuple(part for text in texts for part in re.split(r"[,\s]+", text) if part)


def _exactness(selectors: Sequence[str], rules: Mapping[str, Rule]) -> dict[str, int]:
    """The rules that are named, with how exactly."""
    found: dict[str, int] = {}
    for selector in selectors:
        codes, exactness = _meant(selector, rules)
        found |= {code: max(found.get(code, 0), exactness) for code in codes}
    return found


def _meant(selector: str, rules: Mapping[str, Rule]) -> tuple[list[str], int]:
    """The codes of the rules that a selector means, and how exactly: by how many letters, a name by all."""
    if selector.upper() == ALL:
        return list(rules), 0
    named = [code for code, rule in rules.items() if rule.name == selector.lower()]
    found = named or [code for code in rules if code.startswith(selector.upper())]
    if not found or not selector:
        raise _unknown(selector, rules)
    return found, len(found[0]) if named else len(selector)


def _unknown(selector: str, rules: Mapping[str, Rule]) -> BadArgumentError:
    names = [rule.name for rule in rules.values()]
    from difflib import get_close_matches

    close = get_close_matches(selector.lower(), names, n=1) or get_close_matches(selector.upper(), rules, n=1)
    return BadArgumentError(
        f"no rule is called {selector!r}",
        why="a rule is named by its code, the start of it, its name, or ALL",
        fix=f"did you mean {close[0]}?" if close else "tensorcopy check --list-rules shows them",
    )
