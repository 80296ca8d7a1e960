"""The lines of checked files, for excerpts and baselines. Files are read when a line of them is wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .checking import read_bytes
from .model import Finding
from .notebooks import read_notebook
from .reading import UnreadableError, as_text, decode


@dataclass(slots=True)
class Contents:
    """The lines of files and of the cells of notebooks. given: contents that stand in for those of files."""

    given: Mapping[str, bytes] = field(default_factory=dict)
    _known: dict[str, Mapping[int, Sequence[str]]] = field(default_factory=dict, init=False)

    def lines(self, file: str, cell: int = 0) -> Sequence[str]:
        """All lines of a file, or of the cell of that number; none where they cannot be read."""
        if file not in self._known:
            self._known[file] = self._read(file)
        return self._known[file].get(cell, ())

    def line_of(self, finding: Finding) -> str:
        """What stands on the line of a finding."""
        lines = self.lines(finding.place.file, finding.place.cell)
        return lines[finding.place.line - 1] if finding.place.line <= len(lines) else ""

    def _read(self, file: str) -> Mapping[int, Sequence[str]]:
        try:
            data = self.given[file] if file in self.given else read_bytes(file)
            if not file.endswith(".ipynb"):
                return {0: decode(data).text.split("\n")}
            cells = read_notebook(data.decode()).cells
            return {cell.number: as_text(cell.source).text.split("\n") for cell in cells}
        except (UnreadableError, UnicodeDecodeError):
            return {}
