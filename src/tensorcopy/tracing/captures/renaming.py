"""The files of a capture under other names."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

from .capture import Capture, Spot


def renamed(capture: Capture, name_of: Callable[[str], str]) -> Capture:
    """*capture* with the files called as *name_of* says."""

    def moved(spot: Spot) -> Spot:
        return replace(spot, file=name_of(spot.file)) if spot.file else spot

    return replace(
        capture,
        findings=tuple(
            replace(finding, place=moved(finding.place), related=tuple(map(moved, finding.related)))
            for finding in capture.findings
        ),
        copies=tuple(replace(copy, place=moved(copy.place)) for copy in capture.copies),
        sources=tuple(replace(source, file=name_of(source.file)) for source in capture.sources),
    )


def as_called(capture: Capture, script: str, whole: str) -> Capture:
    """*capture* with the file of the script called as it was on the command line, and not by its *whole* path."""
    return renamed(capture, lambda file: script if os.path.normpath(file) == whole else file) if script else capture
