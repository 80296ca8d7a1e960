"""What a command or a call found out, as one plain value, and the formats that show it. Loads no array library.

Build a `Report` from the blocks of `reporting.model`; `render` turns it into text of a format that is found by folder.
"""

from __future__ import annotations

from .formats import names as format_names
from .formats import render
from .medium import Medium
from .model import (
    Align,
    Axis,
    Block,
    Callout,
    CalloutKind,
    Cell,
    Code,
    Column,
    Excerpt,
    Field,
    KeyValues,
    Mark,
    MemoryPicture,
    Paragraph,
    Plot,
    Point,
    Report,
    Row,
    Section,
    Series,
    SharedPart,
    Span,
    Storage,
    Table,
    Tone,
    Value,
    ValueType,
    table,
)
from .showing import Shown

__all__ = [
    "Align",
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
    "Storage",
    "Table",
    "Tone",
    "Value",
    "ValueType",
    "format_names",
    "render",
    "table",
]
