"""The formats of a capture, one a module, found by folder: adding a file adds a format.

A format module has ``SUFFIXES``, the ends of the names of files it is for, and ``render(capture)``, which gives the
whole text. The module's name is the format's name. What is not here is a format of reports.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from ....reporting import formats as report_formats
from ....reporting.medium import Medium
from ...captures.capture import Capture
from ..reporting import report_of

_PAGES = ("html",)
"""Formats of reports that have room for everything."""


def names() -> tuple[str, ...]:
    """The names of the formats in this folder. Loads none of them."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_")))


def render(capture: Capture, name: str, medium: Medium | None = None) -> str:
    """*capture* in the format called *name*, for *medium* where the format cares. Loads that format only.

    Raises:
        BadArgumentError: there is no such format.
    """
    if name not in names():
        return report_formats.render(report_of(capture, full=name in _PAGES), name, medium)
    text: str = import_module(f"{__name__}.{name}").render(capture)
    return text


def name_for(path: str) -> str | None:
    """The format that files of this name are in, by their suffix; None if no format claims it."""
    suffixes = {suffix: name for name in names() for suffix in import_module(f"{__name__}.{name}").SUFFIXES}
    fitting = [suffix for suffix in suffixes if path.lower().endswith(suffix)]
    return suffixes[max(fitting, key=len)] if fitting else report_formats.name_for(path)
