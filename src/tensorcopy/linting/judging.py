"""Which of the findings in a file to report: those selected that no comment silences and no baseline knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from .baselines import read_baseline, unknown
from .checking import Checked
from .contents import Contents
from .ignoring import silence
from .model import Finding, Rule
from .selecting import Selection, selection
from .settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The findings to report, how many others comments silence, and how many the baseline knows."""

    findings: tuple[Finding, ...]
    silenced: int = 0
    known: int = 0


@dataclass(slots=True)
class Judge:
    """What the settings say about findings.

    Raises:
        BadArgumentError: they name no rule, or a baseline that cannot be read.
    """

    settings: Settings
    rules: Mapping[str, Rule]
    _baseline: str | None = field(init=False)
    _known: Counter[tuple[str, str, str]] = field(init=False)
    _selection: Selection | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._baseline = self.settings.within(self.settings.baseline)
        self._known = read_baseline(self._baseline) if self._baseline else Counter()
        if self.settings.names_rules:
            self._selection = selection(self.settings, self.rules)

    def verdict(self, checked: Checked, contents: Contents) -> Verdict:
        """What of one file to report. Comments that silence nothing are findings too, if all of it was understood."""
        heard, unused = silence(checked.findings, checked.ignores, checked.file)
        found = [*heard, *unused] if checked.complete else heard
        chosen = [finding for finding in found if self._select().includes(finding)]
        new = unknown(chosen, self._known, self._baseline, contents.line_of) if self._baseline else chosen
        silenced = len(checked.findings) - len(heard)
        return Verdict(findings=tuple(new), silenced=silenced, known=len(chosen) - len(new))

    def _select(self) -> Selection:
        """What is selected. Needs the rules, which a check that finds nothing does without."""
        if self._selection is None:
            self._selection = selection(self.settings, self.rules)
        return self._selection
