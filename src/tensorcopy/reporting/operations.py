"""Reports about operations, made from their catalogue entries. Load no array library."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from enum import Enum
from importlib import import_module
from typing import Any, TypeAlias

from ..catalogue import Graph, Operation, Rejection, Trait, Warns, Wrong, families, operations
from ..catalogue.messages import messages, themes
from .messages import list_of_messages
from .model import Block, Callout, CalloutKind, Cell, Code, Field, KeyValues, Paragraph, Report, Section, Table, table
from .values import Column, Tone, Value, ValueType

_IN_FULL = 3
_RELATED = 8
_SPELLED = {"numpy": "NumPy", "dlpack": "DLPack"}
_CODE, _VERDICT = ValueType.CODE, ValueType.VERDICT
_Row: TypeAlias = Sequence[Cell | Value]


def operation_report(
    found: Sequence[Operation], asked: str, *, releases: Mapping[str, str], full: bool = False
) -> Report:
    """What is known about the operations that *asked* may mean: all of it for one, side by side first for several.

    releases: the versions at hand, ``{"torch": "2.4.1"}``; the facts are those that hold there.
    full: all of it also where there are more than a few.
    """
    data = {"asked": asked, "releases": dict(releases), "operations": [as_data(op.on(releases)) for op in found]}
    if len(found) == 1:
        one = found[0]
        return Report(title=one.name, lead=one.summary, blocks=(*_blocks(one, releases), *_related(one)), data=data)
    now = [operation.on(releases) for operation in found]
    blocks: list[Block] = [_side_by_side(now)]
    if full or len(found) <= _IN_FULL:
        blocks += [Section(title=op.name, lead=op.summary, blocks=tuple(_blocks(op, releases))) for op in found]
    else:
        blocks += [*_dangers_of_all(now), _more(found)]
    lead = f"{len(found)} operations of the catalogue fit. Which one it is depends on the source and the arguments."
    return Report(title=asked, lead=lead, blocks=tuple(blocks), data=data)


def list_report() -> Report:
    """All operations by family, and all warnings and errors by theme."""
    sections = tuple(_family_section(name, found) for name, found in families().items())
    names = {name: [operation.name for operation in found] for name, found in families().items()}
    texts = {name: [message.name for message in found] for name, found in themes().items()}
    lead = f"{len(operations())} operations in {len(sections)} families, {len(messages())} warnings and errors."
    told = Section(title="Warnings and errors of torch and NumPy", blocks=tuple(list_of_messages()))
    data = {"families": names, "messages": texts}
    return Report(title="The catalogue", lead=lead, blocks=(*sections, told), data=data)


def closest(asked: str) -> list[str]:
    """Names that look like *asked* and can be explained, the most similar first; empty if none does."""
    spelled: dict[str, str] = {}
    for operation in operations().values():
        named = {name: name for name in (*operation.call.names, operation.name)}
        main = next(iter(named))
        for text, name in (named | dict.fromkeys(operation.examples, main)).items():
            spelled.setdefault(text, name)
            spelled.setdefault(text.rpartition(".")[2], name)
    similar = get_close_matches(asked, spelled, n=5, cutoff=0.6)
    return list(dict.fromkeys(spelled[text] for text in similar))[:3]


def as_data(value: Any) -> Any:
    """A record of the catalogue in JSON types: enumerations by name, in small letters."""
    match value:
        case Enum():
            return value.name.lower()
        case tuple() | list():
            return [as_data(inner) for inner in value]
        case Mapping():
            return {key: as_data(inner) for key, inner in value.items()}
        case _ if dataclasses.is_dataclass(value):
            return {field.name: as_data(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return value


def _family_section(name: str, found: Sequence[Operation]) -> Section:
    about = (import_module(f"tensorcopy.catalogue.{name}").__doc__ or "").strip().partition("\n")[0]
    words = [_SPELLED.get(word, word) for word in name.split("_")]
    title = " ".join([words[0][0].upper() + words[0][1:], *words[1:]])
    return Section(title=title, lead=about, blocks=(_side_by_side(found),))


def _side_by_side(found: Sequence[Operation]) -> Table:
    rows: list[_Row] = [
        [
            operation.name,
            Cell(value=operation.memory.value, note=_when(operation)),
            Cell(value=_graph(operation), note=operation.graph_condition),
            _dangers(operation),
            operation.summary,
        ]
        for operation in found
    ]
    return _filled(
        [
            Column(name="operation", type=_CODE),
            Column(name="memory", type=_VERDICT),
            Column(name="graph", type=_VERDICT),
            Column(name="beware", type=_VERDICT),
            Column(name="what it gives"),
        ],
        rows,
    )


def _graph(operation: Operation) -> str | None:
    return None if operation.graph is Graph.NOT_APPLICABLE else operation.graph.value


def _when(operation: Operation) -> str:
    """When a depending operation copies; it shares otherwise."""
    return f"{operation.condition}, shares otherwise" if operation.condition else ""


def _dangers_of_all(found: Sequence[Operation]) -> Iterator[Section]:
    """The crashes and the wrong values of each operation that has any."""
    for operation in found:
        callouts = (*_crashes(operation), *map(_wrong, operation.silently_wrong))
        if callouts:
            yield Section(title=f"Beware of {operation.name}", blocks=callouts)


def _dangers(operation: Operation) -> Cell:
    if operation.crashes:
        return Cell(value="crash", tone=Tone.BAD)
    return Cell(value="wrong values", tone=Tone.WARN) if operation.silently_wrong else Cell(value="")


def _more(found: Sequence[Operation]) -> Callout:
    return Callout(
        kind=CalloutKind.NOTE,
        title="all about one of them, or about all with --all",
        code=f'tensorcopy explain "{found[0].name}"',
    )


def _blocks(operation: Operation, releases: Mapping[str, str]) -> Iterator[Block]:
    """Everything known about one operation."""
    now = operation.on(releases)
    yield from _availability(operation, releases)
    yield Code(text="\n".join(filter(None, [now.setup, now.example])), title=f"Example (x: {now.source.value})")
    yield KeyValues(fields=tuple(_facts(now)), title="What it does")
    if now.note:
        yield Paragraph(text=now.note)
    yield from _crashes(now)
    if now.silently_wrong:
        yield Section(title="Silently wrong", blocks=tuple(map(_wrong, now.silently_wrong)))
    yield from _tables(now)
    if operation.was:
        yield _earlier_releases(operation)
    if len(now.examples) > 1:
        yield Code(text="\n\n".join(now.examples[1:]), title="Also written")


def _related(operation: Operation) -> Iterator[Table]:
    related = related_operations(operation)
    if related:
        rows: list[_Row] = [[op.name, op.memory.value, _graph(op), op.summary] for op in related]
        names: list[Column | str] = [Column(name="operation", type=_CODE), "memory", "graph", "what it gives"]
        yield _filled(names, rows, title="Related operations")


def _availability(operation: Operation, releases: Mapping[str, str]) -> Iterator[Block]:
    here = " and ".join(f"{name} {release}" for name, release in releases.items())
    if not operation.exists_in(releases):
        yield Callout(kind=CalloutKind.WARNING, title=f"new in {operation.since}, and so not in {here}, installed here")
    elif operation.on(releases) is not operation:
        yield Callout(kind=CalloutKind.NOTE, title=f"the facts below are those of {here}, installed here")


def _facts(op: Operation) -> Iterator[Field]:
    """The facts that apply, in the words of the catalogue."""
    memory = f"depends: {_when(op)}" if op.condition else op.memory.value
    graph = f"depends: {op.graph_condition}, keeps it otherwise" if op.graph_condition else op.graph.value
    facts: dict[str, str] = {
        "memory": memory,
        "writes": "changes memory that others may see" if op.writes else "",
        "graph": graph,
        "requires_grad": op.requires_grad.value,
        "dtype": f"{op.dtype.value}{f': {op.dtype_name}' if op.dtype_name else ''}",
        "device": op.device.value,
        "layout": op.layout.value,
        "version counter": op.version.value,
        "gives x itself": op.returns_self.value,
        "subclass": op.subclass.value,
        "takes": f"{op.source.value}{_unless(op)}",
        "gives": op.result.value,
        "changes": "shape, flags or memory of an object, not its bytes" if op.changes_object else "",
        "values": "" if op.takes_values else "not taken from the source, only shape, dtype and device",
        "storage": "a copy of a small view carries the whole storage" if op.whole_storage else "",
        "since": op.since,
        "torch overload": f"torch.ops.aten.{op.aten}" if op.aten else "",
    }
    silent = {
        "",
        "not applicable",
        "the result has none",
        "not a pair of tensors",
        "the result is not of the source's library",
    }
    yield from (Field(name=name, value=text) for name, text in facts.items() if text not in silent)


def _unless(op: Operation) -> str:
    return f", unless it {_or(op.unless)}" if op.unless else ""


def _or(traits: Sequence[Trait]) -> str:
    return " or ".join(trait.value for trait in traits)


def _crashes(op: Operation) -> Iterator[Callout]:
    for crash in op.crashes:
        given = f" for a source that {crash.given.value}" if crash.given else ""
        title = f"ends the process{given}: {', '.join(crash.ends)}"
        yield Callout(kind=CalloutKind.ERROR, title=title, text=_since(crash.why, crash.since), code=crash.code)


def _wrong(wrong: Wrong) -> Callout:
    text = f"gives {wrong.gives}, where {wrong.wanted} is expected"
    return Callout(kind=CalloutKind.WARNING, title=_since(wrong.why, wrong.since), text=text, code=wrong.code)


def _tables(op: Operation) -> Iterator[Table]:
    """What it refuses, by source and by code, and what it warns about."""
    error, code = Column(name="error", type=_CODE), Column(name="code", type=_CODE)
    for title, first in (("Rejects", "a source that"), ("Rejects this code", code)):
        chosen = [r for r in op.rejects if bool(r.code) is (first is code)]
        refused: list[_Row] = [[r.code or _given(r), r.error, _since(r.text, r.since)] for r in chosen]
        if refused:
            yield _filled([first, error, "message"], refused, title=title)
    if op.warns:
        warned: list[_Row] = [
            [_given(w), w.code, w.category, _since(w.text, w.since), "once" if w.once else "always"] for w in op.warns
        ]
        category = Column(name="category", type=_CODE)
        yield _filled(["a source that", code, category, "message", "how often"], warned, title="Warns")


def _given(case: Rejection | Warns) -> str:
    return case.given.value if case.given else ""


def _since(text: str, release: str) -> str:
    return f"{text} (since {release})" if release else text


def _earlier_releases(op: Operation) -> Table:
    rows: list[_Row] = []
    for was in op.was:
        old = {field.name: field.value for field in _facts(dataclasses.replace(op, **was.facts))}
        new = {field.name: field.value for field in _facts(op)}
        changed = [f"{name}: {text}" for name, text in old.items() if new.get(name) != text]
        rows.append([f"before {was.before}", was.note, "\n".join(changed)])
    return _filled(["release", "difference", "facts there"], rows, title="Earlier releases")


def _filled(columns: Iterable[Column | str], rows: Sequence[_Row], *, title: str = "") -> Table:
    """A table without the columns in which nothing stands."""
    full = table(tuple(columns), rows, title=title)
    kept = [i for i in range(len(full.columns)) if any(row[i].value not in ("", None) for row in full.rows)]
    return dataclasses.replace(
        full,
        columns=tuple(full.columns[i] for i in kept),
        rows=tuple(tuple(row[i] for i in kept) for row in full.rows),
    )


def related_operations(operation: Operation) -> list[Operation]:
    """Other ways to write the call first, then the neighbours in its family that take and give the same."""
    names = set(operation.call.names)
    others = [other for other in operations().values() if other.name != operation.name]
    same_call = [other for other in others if names & set(other.call.names)]
    family = next((found for found in families().values() if operation in found), ())
    neighbours = [o for o in family if (o.source, o.result) == (operation.source, operation.result) and o in others]
    return list({other.name: other for other in [*same_call, *neighbours]}.values())[:_RELATED]
