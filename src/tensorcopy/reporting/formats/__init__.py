"""The formats of a report, one a module, found by folder: adding a file adds a format.

A format module has ``SUFFIXES``, the ends of the names of files it is for, and ``render(report, medium)``, which gives
the whole text. The module's name is the format's name.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, cast

from ...errors import BadArgumentError
from ..medium import Medium

if TYPE_CHECKING:
    from ..model import Report


def names() -> tuple[str, ...]:
    """The names of all formats. Loads none of them."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_")))


def render(report: Report, name: str, medium: Medium | None = None) -> str:
    """*report* in the format called *name*, for *medium* where the format cares. Loads that format only.

    Raises:
        BadArgumentError: there is no such format.
    """
    if name not in names():
        raise BadArgumentError(
            f"unknown format {name!r}", why=f"the formats are {', '.join(names())}", fix="name one of them"
        )
    renderer = cast("Callable[[Report, Medium], str]", import_module(f"{__name__}.{name}").render)
    return renderer(report, medium or Medium())


def name_for(path: str) -> str | None:
    """The format that files of this name are in, by their suffix; None if no format claims it."""
    suffixes = {suffix: name for name in names() for suffix in import_module(f"{__name__}.{name}").SUFFIXES}
    return next((name for suffix, name in suffixes.items() if path.lower().endswith(suffix)), None)
