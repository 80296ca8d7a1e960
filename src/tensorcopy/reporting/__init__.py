"""What a command or a call found out, as one plain value, and the formats that show it. Loads no array library.

Build a `Report` from the blocks of `reporting.model` and `reporting.drawings`; `render` turns it into text of a format
that is found by folder.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .formats import names as format_names
from .formats import render
from .medium import Medium

if TYPE_CHECKING:
    from .drawings import (
        Amount,
        Amounts,
        Axis,
        Excerpt,
        Mark,
        MemoryPicture,
        Moment,
        Plot,
        Point,
        Series,
        SharedPart,
        Span,
        Stop,
        Storage,
        Way,
    )
    from .model import (
        Block,
        Callout,
        CalloutKind,
        Cell,
        Code,
        Field,
        KeyValues,
        Paragraph,
        Report,
        Row,
        Section,
        Table,
        table,
    )
    from .showing import Shown
    from .values import Align, Column, Tone, Value, ValueType

__all__ = [
    "Align",
    "Amount",
    "Amounts",
    "Axis",
    "Block",
    "Callout",
    "CalloutKind",
    "Cell",
    "Code",
    "Column",
    "Excerpt",
    "Field",
    "KeyValues",
    "Mark",
    "Medium",
    "MemoryPicture",
    "Moment",
    "Paragraph",
    "Plot",
    "Point",
    "Report",
    "Row",
    "Section",
    "Series",
    "SharedPart",
    "Shown",
    "Span",
    "Stop",
    "Storage",
    "Table",
    "Tone",
    "Value",
    "ValueType",
    "Way",
    "format_names",
    "render",
    "table",
]

_HOMES = (".model", ".drawings", ".values", ".showing")


def __getattr__(name: str) -> Any:
    """The blocks of reports are made when first asked for: a command that only parses its arguments needs none."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    homes = (vars(import_module(home, __name__)) for home in _HOMES)
    value = next(home[name] for home in homes if name in home)
    globals()[name] = value
    return value
