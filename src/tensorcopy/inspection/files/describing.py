"""The report on a file: what it drags along, what shares, and its tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...reporting import (
    Block,
    Callout,
    CalloutKind,
    Cell,
    Column,
    Field,
    KeyValues,
    MemoryPicture,
    Report,
    Section,
    Table,
    Tone,
    ValueType,
    table,
)
from ...reporting.escaping import visible
from ...reporting.picturing import pictured
from ...reporting.quantities import bytes_text
from .contents import Contents, Entry, StoredMemory

_MOST_PICTURES = 8
_MOST_ROWS = 40
_MOST_OPAQUE = 12
_OF_NUMPY = ("npy", "npz")
_LONGEST = 100


def contents_report(contents: Contents, *, full: bool = False) -> Report:
    """Everything about the file; the largest few of what is long, unless *full*."""
    facts = _Facts(contents)
    return Report(
        title=contents.path,
        lead=facts.lead(),
        blocks=tuple(_blocks(facts, full=full)),
        data=_data(facts),
    )


class _Facts:
    """What the blocks of the report have in common, worked out once."""

    def __init__(self, contents: Contents) -> None:
        self.contents = contents
        self.stored = contents.stored_bytes
        self.kept = {key: storage.used for key, storage in contents.storages.items()}
        self.used = sum(self.kept.values())
        self.names: dict[str, list[Entry]] = {}
        for entry in contents.entries:
            if entry.storage:
                self.names.setdefault(entry.storage, []).append(entry)

    @property
    def saved(self) -> int:
        return self.stored - self.used

    def waste(self, key: str) -> int:
        """Bytes of a storage that no tensor uses."""
        return self.contents.storages[key].nbytes - self.kept[key]

    def lead(self) -> str:
        contents = self.contents
        on = f"{_count(len(contents.entries), 'tensor')} on {_count(len(contents.storages), 'storage')}"
        if self.saved:
            return f"{on} of {bytes_text(self.stored)}; no tensor uses {bytes_text(self.saved)} of that."
        return f"{on} of {bytes_text(self.stored)}; none of that can be left out."

    def interesting(self) -> list[str]:
        """The storages that drag something along, the worst first, then those that several tensors lie on."""
        wasteful = sorted((key for key in self.kept if self.waste(key)), key=lambda key: -self.waste(key))
        shared = [key for key, entries in self.names.items() if len(entries) > 1 and not self.waste(key)]
        return [*wasteful, *shared]


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _blocks(facts: _Facts, *, full: bool) -> Iterator[Block]:
    contents = facts.contents
    yield KeyValues(fields=tuple(_fields(facts)))
    yield from (Callout(kind=CalloutKind.WARNING, title=text) for text in contents.warnings)
    yield from _advice(facts)
    yield from _pictures(facts, full=full)
    if contents.entries:
        yield _entries(facts, full=full)
    if contents.opaque:
        yield _opaque(contents, full=full)


def _fields(facts: _Facts) -> Iterator[Field]:
    contents, size = facts.contents, ValueType.BYTES
    yield Field(name="format", value=contents.format)
    yield Field(name="file", value=contents.file_bytes, type=size)
    yield Field(name="stored", value=facts.stored, type=size)
    yield Field(name="used", value=facts.used, type=size)
    yield Field(name="dragged along", value=facts.saved, type=size, tone=Tone.WARN if facts.saved else Tone.NEUTRAL)
    yield Field(name="dtypes", value=_counted(contents.dtypes) or None)
    yield Field(name="devices", value=_counted(contents.devices) or None)


def _counted(counts: Any) -> str:
    listed = [f"{name} × {count}" if count > 1 else name for name, count in list(counts.items())[:_MOST_OPAQUE]]
    return ", ".join(listed)


def _advice(facts: _Facts) -> Iterator[Callout]:
    contents = facts.contents
    if facts.saved and not contents.cannot_compact:
        yield Callout(
            kind=CalloutKind.RECOMMENDATION,
            title=f"compact saves {bytes_text(facts.saved)}",
            text="A tensor that is a view was saved with the whole storage behind it, and loads with all of it. "
            "Compacting keeps every value, and what shares memory keeps sharing it.",
            code=f"tensorcopy compact {_quoted(contents.path)} OUT",
        )
    elif facts.saved:
        yield Callout(
            kind=CalloutKind.NOTE,
            title=f"{bytes_text(facts.saved)} could be saved, not by compact",
            text=f"{contents.cannot_compact}. Load it, tensorcopy.copy it, and save the copy.",
        )


def _quoted(path: str) -> str:
    import shlex

    return shlex.quote(path)


def _pictures(facts: _Facts, *, full: bool) -> Iterator[Section]:
    keys = facts.interesting()
    shown = keys if full else keys[:_MOST_PICTURES]
    if shown:
        storages = tuple(_picture(facts, key, full=full) for key in shown)
        more = f"{len(keys) - len(shown)} more storages are shared or drag something along; --all shows them."
        yield Section(
            title="Storages that are shared or drag something along",
            lead=more if len(shown) < len(keys) else "",
            blocks=(MemoryPicture(storages=storages),),
        )


def _picture(facts: _Facts, key: str, *, full: bool) -> Any:
    storage, waste = facts.contents.storages[key], facts.waste(key)
    entries = facts.names.get(key, [])
    views = [(_short(entry.name), entry.region) for entry in entries]
    note = f"{bytes_text(waste)} dragged along" if waste else storage.whole
    return pictured(f"storage {key}", storage.nbytes, views, note=note, full=full)


def _entries(facts: _Facts, *, full: bool) -> Table:
    entries = facts.contents.entries
    shown = entries if full else entries[:_MOST_ROWS]
    left = len(entries) - len(shown)
    return table(
        [
            Column(name="tensor", type=ValueType.CODE),
            Column(name="dtype"),
            Column(name="shape"),
            Column(name="bytes", type=ValueType.BYTES),
            Column(name="storage", type=ValueType.CODE),
            Column(name="from byte", key="offset", type=ValueType.NUMBER),
            Column(name="remark"),
        ],
        [_row(facts, entry) for entry in shown],
        title="Tensors",
        notes=[f"{left:,} more; --all shows them, --output-format json has them too"] if left else [],
    )


def _short(name: str) -> str:
    """On one line, and not longer than a reader can bear."""
    return visible(name if len(name) <= _LONGEST else f"{name[: _LONGEST // 2]}…{name[-_LONGEST // 2 :]}")


def _row(facts: _Facts, entry: Entry) -> Sequence[Any]:
    return (
        _short(entry.name),
        entry.dtype,
        "×".join(map(str, entry.region.shape)) or "scalar",
        entry.region.nbytes,
        (entry.storage or None) if entry.storage != entry.name else "its own",
        entry.region.address if entry.storage else None,
        Cell(value=_remark(facts, entry), tone=Tone.WARN if _drags(facts, entry) else Tone.NEUTRAL),
    )


def _drags(facts: _Facts, entry: Entry) -> bool:
    return bool(entry.storage) and facts.waste(entry.storage) > 0


def _remark(facts: _Facts, entry: Entry) -> str:
    others = len(facts.names.get(entry.storage, ())) - 1
    shares = f"its storage holds {_count(others, 'other')} too" if others > 0 else ""
    device = entry.device if entry.device != "cpu" else ""
    grad = "requires grad" if entry.requires_grad and "Parameter" not in entry.note else ""
    drags = "drags its storage along" if _drags(facts, entry) else ""
    return ", ".join(filter(None, [entry.note, grad, device, drags, shares]))


def _opaque(contents: Contents, *, full: bool) -> Table:
    listed = list(contents.opaque.items())
    shown = listed if full else listed[:_MOST_OPAQUE]
    left = len(listed) - len(shown)
    refused = (
        "numpy.load refuses them unless it gets allow_pickle=True"
        if contents.format in _OF_NUMPY
        else "torch.load(weights_only=True) refuses those that it does not know"
    )
    notes = [f"a load calls these; {refused}"]
    notes += [f"{left:,} more; --all shows them"] if left else []
    columns = [Column(name="class or function", type=ValueType.CODE), Column(name="times", type=ValueType.NUMBER)]
    return table(columns, shown, title="Other objects, not looked into", notes=notes)


def _data(facts: _Facts) -> dict[str, Any]:
    contents = facts.contents
    return {
        "path": contents.path,
        "format": contents.format,
        "file_bytes": contents.file_bytes,
        "stored_bytes": facts.stored,
        "used_bytes": facts.used,
        "saved_by_compact_bytes": 0 if contents.cannot_compact else facts.saved,
        "cannot_compact": contents.cannot_compact,
        "dtypes": dict(contents.dtypes),
        "devices": dict(contents.devices),
        "warnings": list(contents.warnings),
        "opaque": dict(contents.opaque),
        "storages": [_storage_data(facts, storage) for storage in contents.storages.values()],
        "tensors": [_entry_data(entry) for entry in contents.entries],
    }


def _storage_data(facts: _Facts, storage: StoredMemory) -> dict[str, Any]:
    return {
        "key": storage.key,
        "bytes": storage.nbytes,
        "used_bytes": facts.kept[storage.key],
        "file_offset": storage.offset,
        "device": storage.device,
        "tensors": [entry.name for entry in facts.names.get(storage.key, ())],
    }


def _entry_data(entry: Entry) -> dict[str, Any]:
    region = entry.region
    return {
        "name": entry.name,
        "dtype": entry.dtype,
        "shape": list(region.shape),
        "strides_bytes": list(region.strides),
        "storage": entry.storage or None,
        "offset_bytes": region.address,
        "span_bytes": list(region.span),
        "bytes": region.nbytes,
        "device": entry.device,
        "requires_grad": entry.requires_grad,
        "note": entry.note,
    }
