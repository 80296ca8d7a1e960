"""The formats of an outcome, one a module, found by folder: adding a file adds a format.

A format module has ``SUFFIXES``, the ends of the names of files it is for, and ``render(outcome, medium)``, which gives
the whole text. The module's name is the format's name. What is not here is a format of reports.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING

from ...reporting import formats as report_formats
from ...reporting.medium import Medium

if TYPE_CHECKING:
    from ..outcome import Outcome


def names() -> tuple[str, ...]:
    """The names of the formats in this folder. Loads none of them."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_")))


def render(outcome: Outcome, name: str, medium: Medium | None = None) -> str:
    """*outcome* in the format called *name*, for *medium* where the format cares. Loads that format only.

    Raises:
        BadArgumentError: there is no such format.
    """
    if name not in names():
        return report_formats.render(outcome.report(), name, medium)
    text: str = import_module(f"{__name__}.{name}").render(outcome, medium or Medium())
    return text


def name_for(path: str) -> str | None:
    """The format that files of this name are in, by their suffix; None if no format claims it."""
    suffixes = {suffix: name for name in names() for suffix in import_module(f"{__name__}.{name}").SUFFIXES}
    fitting = [suffix for suffix in suffixes if path.lower().endswith(suffix)]
    return suffixes[max(fitting, key=len)] if fitting else report_formats.name_for(path)
