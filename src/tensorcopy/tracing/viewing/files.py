"""The program's files as a report shows them: short names, lines of text, anchors."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..captures.capture import Capture, Spot


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a capture. `texts` are those whose text it has."""

    texts: dict[str, str]
    root: str = ""
    _lines: dict[str, list[str]] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, capture: Capture) -> Files:
        """Those that findings and copies are about."""
        places = [place for f in capture.findings for place in (f.place, *f.related)]
        places += [copy.place for copy in capture.copies]
        return cls({source.file: source.text for source in capture.sources}, _common(p.file for p in places))

    def name(self, file: str) -> str:
        """What a file is called: its path from the folder that all files lie in."""
        return file[len(self.root) :] if self.root and file.startswith(self.root) else file

    def where(self, spot: Spot) -> str:
        """``train.py:12``."""
        return f"{self.name(spot.file)}:{spot.line}" if spot.file else "(library)"

    def text(self, file: str) -> str:
        """Its text; empty if the capture does not have it."""
        return self.texts.get(file, "")

    def lines(self, file: str) -> Sequence[str]:
        """Its lines; none if the capture does not have them."""
        if file not in self._lines:
            self._lines[file] = self.text(file).removesuffix("\n").split("\n") if self.text(file) else []
        return self._lines[file]

    def has(self, spot: Spot) -> bool:
        """Whether the text of its line is there."""
        return 0 < spot.line <= len(self.lines(spot.file))

    @staticmethod
    def anchor(file: str) -> str:
        """What a page calls the lines of a file."""
        return "f" + hashlib.blake2b(file.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()

    def target(self, spot: Spot) -> str:
        """Where a page has that line; nothing if it has not."""
        return f"{self.anchor(spot.file)}-{spot.line}" if self.has(spot) else ""


def _common(files: Iterable[str]) -> str:
    """The folder of all absolute paths, with the sign that ends it."""
    folders = {posixpath.dirname(file) for file in files if posixpath.isabs(file)}
    if not folders:
        return ""
    # Paths of which one could not say where they are would be too short.
    folder = posixpath.commonpath(folders).rstrip("/")
    return f"{folder}/" if folder else ""
