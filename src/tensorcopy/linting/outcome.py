"""What a check found, as one value that shows itself in notebooks, is printed as text, and is true if nothing gates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..reporting.showing import Shown
from . import upkeep
from .contents import Contents
from .model import Finding, Level, Rule

if TYPE_CHECKING:
    from ..reporting.model import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Shown):
    """The findings of a check, sorted by file and place.

    files, lines: how much was checked. silenced: findings that comments silence. known: those that are in the baseline.
    mended: findings that are gone because they were just fixed.
    rules: the rules that were there to be broken, by code; page: the text that explains one.
    """

    findings: tuple[Finding, ...]
    files: int = 0
    lines: int = 0
    silenced: int = 0
    known: int = 0
    mended: int = 0
    rules: Mapping[str, Rule] = field(default_factory=dict, repr=False, hash=False)
    page: Callable[[str], str] = field(default=upkeep.page_of, repr=False, hash=False, compare=False)
    contents: Contents = field(default_factory=Contents, repr=False, hash=False, compare=False)

    @property
    def gates(self) -> bool:
        """Whether there is an error or a warning. Notes never gate."""
        return any(finding.level is not Level.NOTE for finding in self.findings)

    @property
    def is_finished(self) -> bool:
        """Whether every file was checked, so far as it can be: False after a bug in the check itself."""
        return not any(finding.code == upkeep.UNFINISHED for finding in self.findings)

    @property
    def counts(self) -> Mapping[str, int]:
        """How many findings of each code, the most frequent first."""
        return dict(Counter(finding.code for finding in self.findings).most_common())

    def report(self) -> Report:
        """The findings with excerpts, for every format of reports."""
        from .reports import report_of

        return report_of(self)
