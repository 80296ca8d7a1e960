"""JSON for programs. Stable: what is there keeps its name and meaning while ``schema`` stays the same number.

Times are seconds and sizes bytes, both plain numbers under keys that end in ``_seconds`` and ``_bytes``; an infinite or
undefined number is the text ``"inf"``, ``"-inf"`` or ``"nan"``. All characters are ASCII, so any pipe carries them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import singledispatch
from typing import Any

from ..drawings import Axis, Excerpt, MemoryPicture, Plot, Storage, Way
from ..medium import Medium
from ..model import Callout, Code, Field, KeyValues, Paragraph, Report, Row, Section, Table
from ..values import Tone, key_with_unit

SUFFIXES = (".json",)
SCHEMA = 1
_Object = dict[str, Any]


def render(report: Report, medium: Medium) -> str:
    """The report as one JSON object on several lines."""
    value: _Object = {
        "schema": SCHEMA,
        "title": report.title,
        "lead": report.lead,
        "blocks": [_object(block) for block in report.blocks],
        "data": dict(report.data),
    }
    return json.dumps(_plain(value), indent=2, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """*value* with tuples as lists and the numbers that JSON lacks as text."""
    match value:
        case float() if not math.isfinite(value):
            return str(value)
        case Mapping():
            return {key: _plain(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_plain(inner) for inner in value]
    return value


def _set(**values: Any) -> _Object:
    """The values that say something."""
    return {key: value for key, value in values.items() if value not in (None, "", [], (), Tone.NEUTRAL.value)}


@singledispatch
def _object(block: object) -> _Object:
    raise AssertionError(f"no JSON for {block!r}")


@_object.register
def _(block: Paragraph) -> _Object:
    return {"type": "paragraph", "text": block.text, **_set(tone=block.tone.value)}


@_object.register
def _(block: Table) -> _Object:
    columns = [
        {"key": c.machine_key, "name": c.name, "type": c.type.value, "align": c.side.value, **_set(unit=c.unit)}
        for c in block.columns
    ]
    keys = [column.machine_key for column in block.columns]
    rows = [_row(keys, row) for row in block.rows]
    remarks = [
        {"row": number, "column": key, **_set(tone=cell.tone.value, note=cell.note)}
        for number, row in enumerate(block.rows)
        for key, cell in zip(keys, row, strict=True)
        if cell.note or cell.tone is not Tone.NEUTRAL
    ]
    return {
        "type": "table",
        "title": block.title,
        "columns": columns,
        "rows": rows,
        "remarks": remarks,
        "notes": block.notes,
    }


def _row(keys: list[str], row: Row) -> _Object:
    found: _Object = {}
    for key, cell in zip(keys, row, strict=True):
        found[key] = cell.value
        found |= {f"{key}_{name}": v for name, v in (("low", cell.low), ("high", cell.high)) if v is not None}
    return found


@_object.register
def _(block: KeyValues) -> _Object:
    return {
        "type": "key-values",
        "title": block.title,
        "values": {field.machine_key: field.value for field in block.fields},
        "fields": [_field(field) for field in block.fields],
    }


def _field(field: Field) -> _Object:
    return {
        "key": field.machine_key,
        "name": field.name,
        "type": field.type.value,
        **_set(unit=field.unit, tone=field.tone.value),
    }


@_object.register
def _(block: Code) -> _Object:
    return {"type": "code", "title": block.title, "language": block.language, "text": block.text}


@_object.register
def _(block: Callout) -> _Object:
    named = _set(text=block.text, code=block.code, details=[_object(inner) for inner in block.details])
    return {"type": "callout", "kind": block.kind.value, "title": block.title, **named}


@_object.register
def _(block: MemoryPicture) -> _Object:
    return {"type": "memory", "title": block.title, "storages": [_storage(storage) for storage in block.storages]}


def _storage(storage: Storage) -> _Object:
    return {
        "name": storage.name,
        "size_bytes": storage.bytes,
        "uncovered_bytes": storage.uncovered,
        **_set(note=storage.note),
        "spans": [
            {
                "label": span.label,
                "start_bytes": span.lo,
                "end_bytes": span.hi,
                "gaps": span.gaps,
                **_set(strides=span.strides, tone=span.tone.value),
            }
            for span in storage.spans
        ],
        "shared": [
            {"start_bytes": part.lo, "end_bytes": part.hi, "labels": part.labels, "gaps": part.gaps}
            for part in storage.shared_parts
        ],
    }


@_object.register
def _(block: Plot) -> _Object:
    x, y = (key_with_unit(axis.name, axis.type, axis.unit) for axis in (block.x, block.y))
    return {
        "type": "plot",
        "title": block.title,
        "x": _axis(block.x),
        "y": _axis(block.y),
        "series": [
            {
                "name": series.name,
                "emphasis": series.emphasis,
                "points": [
                    {x: point.x, y: point.y, **_set(**{f"{y}_low": point.low, f"{y}_high": point.high})}
                    for point in series.points
                ],
            }
            for series in block.series
        ],
        **_set(moments=[{x: m.x, "name": m.name, **_set(tone=m.tone.value)} for m in block.moments]),
    }


def _axis(axis: Axis) -> _Object:
    return {
        "key": axis.column.machine_key,
        "name": axis.name,
        "type": axis.type.value,
        "log": axis.log,
        **_set(unit=axis.unit),
    }


@_object.register
def _(block: Excerpt) -> _Object:
    marks = [
        {"line": mark.line, "text": mark.text, "tone": mark.tone.value, **_set(columns=mark.columns)}
        for mark in block.marks
    ]
    return {
        "type": "excerpt",
        "title": block.title,
        "path": block.path,
        "language": block.language,
        "first_line": block.first_line,
        "lines": block.lines,
        "marks": marks,
        **_set(amounts=_amounts(block)),
    }


def _amounts(block: Excerpt) -> list[_Object]:
    if block.amounts is None:
        return []
    key = block.amounts.column.machine_key
    return [
        {"line": a.line, "name": block.amounts.column.name, key: a.value, **_set(note=a.note)}
        for a in block.amounts.lines
    ]


@_object.register
def _(block: Way) -> _Object:
    stops = [
        {"label": s.label, **_set(code=s.code, remark=s.remark, tone=s.tone.value, cut=s.cut)} for s in block.stops
    ]
    return {"type": "way", "title": block.title, "stops": stops}


@_object.register
def _(block: Section) -> _Object:
    return {
        "type": "section",
        "title": block.title,
        "lead": block.lead,
        "blocks": [_object(inner) for inner in block.blocks],
    }
