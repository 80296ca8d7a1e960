"""The files of an editor's workspace, checked as their texts are typed. Knows nothing of the protocol."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..errors import TensorcopyError
from ..linting.adding_ignores import comments_for
from ..linting.analysis import Analysis
from ..linting.checking import Checker, read_bytes
from ..linting.collecting import Exclusion, collect
from ..linting.contents import Contents
from ..linting.fixing import fix_contents
from ..linting.judging import Judge
from ..linting.model import Edit, Finding
from ..linting.modules import Modules
from ..linting.reading import worth_reading
from ..linting.settings import Settings, settings_for


@dataclass(slots=True)
class Documents:
    """What is open, over what is on the disk. Imports are followed between the files of `folders`."""

    analysis: Analysis
    folders: Sequence[str] = ()
    texts: dict[str, str] = field(default_factory=dict)
    problem: str = field(default="", init=False)
    _checker: Checker | None = field(default=None, init=False)
    _judges: dict[str, Judge] = field(default_factory=dict, init=False)

    def refresh(self) -> None:
        """Take notice of what changed on the disk: files, imports, settings."""
        self._checker = None
        self._judges.clear()

    def findings(self, file: str) -> Sequence[Finding]:
        """The findings to show in an open file."""
        return self._found(file, self.texts[file].encode("utf-8", "surrogatepass"))

    def fixed(self, file: str) -> str:
        """The text of an open file after all safe fixes."""
        fixed = fix_contents(file, self.texts[file].encode(), lambda data: self._found(file, data))
        return fixed.data.decode()

    def comment(self, file: str, finding: Finding) -> tuple[Edit, ...]:
        """The edits that silence a finding by a comment."""
        return comments_for(self.texts[file].split("\n"), [finding])

    def _found(self, file: str, data: bytes) -> Sequence[Finding]:
        if not worth_reading(data):
            return ()
        checked = self._checked().check(file, data)
        return self._judge(file).verdict(checked, Contents({file: data})).findings

    def _checked(self) -> Checker:
        if self._checker is None:
            found = (
                collect(self.folders, Exclusion(Settings().exclude), respect_gitignore=True).files
                if self.folders
                else ()
            )
            names = tuple(dict.fromkeys((*map(os.path.abspath, found), *self.texts)))
            self._checker = Checker(self.analysis, Modules(names, self.folders), self._read)
        return self._checker

    def _read(self, file: str) -> bytes:
        return self.texts[file].encode() if file in self.texts else read_bytes(file)

    def _judge(self, file: str) -> Judge:
        """What the settings around a file say; the usual ones where those make no sense, and `problem` says why."""
        folder = os.path.dirname(file)
        if folder not in self._judges:
            self.problem = ""
            try:
                self._judges[folder] = Judge(settings_for(file), self.analysis.rules)
            except TensorcopyError as error:
                self.problem = str(error)
                self._judges[folder] = Judge(Settings(), self.analysis.rules)
        return self._judges[folder]
