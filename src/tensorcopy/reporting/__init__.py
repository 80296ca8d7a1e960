"""What a command or a call found out, as one plain value, and the formats that show it. Loads no array library.

Build a `Report` from the blocks of `reporting.model`; `render` turns it into text of a format that is found by folder.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .formats import names as format_names
from .formats import render
from .medium import Medium

if TYPE_CHECKING:
    from .model import (
        Align as Align,
    )
    from .model import (
        Amount as Amount,
    )
    from .model import (
        Amounts as Amounts,
    )
    from .model import (
        Axis as Axis,
    )
    from .model import (
        Block as Block,
    )
    from .model import (
        Callout as Callout,
    )
    from .model import (
        CalloutKind as CalloutKind,
    )
    from .model import (
        Cell as Cell,
    )
    from .model import (
        Code as Code,
    )
    from .model import (
        Column as Column,
    )
    from .model import (
        Excerpt as Excerpt,
    )
    from .model import (
        Field as Field,
    )
    from .model import (
        KeyValues as KeyValues,
    )
    from .model import (
        Mark as Mark,
    )
    from .model import (
        MemoryPicture as MemoryPicture,
    )
    from .model import (
        Moment as Moment,
    )
    from .model import (
        Paragraph as Paragraph,
    )
    from .model import (
        Plot as Plot,
    )
    from .model import (
        Point as Point,
    )
    from .model import (
        Report as Report,
    )
    from .model import (
        Row as Row,
    )
    from .model import (
        Section as Section,
    )
    from .model import (
        Series as Series,
    )
    from .model import (
        SharedPart as SharedPart,
    )
    from .model import (
        Span as Span,
    )
    from .model import (
        Stop as Stop,
    )
    from .model import (
        Storage as Storage,
    )
    from .model import (
        Table as Table,
    )
    from .model import (
        Tone as Tone,
    )
    from .model import (
        Value as Value,
    )
    from .model import (
        ValueType as ValueType,
    )
    from .model import (
        Way as Way,
    )
    from .model import (
        table as table,
    )
    from .showing import Shown as Shown

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


def __getattr__(name: str) -> Any:
    """The blocks of reports are made when first asked for: a command that only parses its arguments needs none."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(".showing" if name == "Shown" else ".model", __name__), name)
    globals()[name] = value
    return value
