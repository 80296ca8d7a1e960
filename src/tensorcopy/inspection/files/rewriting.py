"""Plan a compacted checkpoint: the new layout of each storage, and the pickle with the numbers that go with it."""

from __future__ import annotations

import pickle
import pickletools
from collections.abc import Mapping
from dataclasses import dataclass

from ...live.memory import Region
from .formats.torch_archive import Archive
from .pickle_walk import Number
from .squeezing import Squeezed
from .torch_tensors import Laid


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """The new layout of each storage by its key, and the new pickle."""

    layouts: Mapping[str, Squeezed]
    pickle: bytes


def rewritten(archive: Archive) -> Rewritten:
    """How the checkpoint looks without what no tensor uses. Moves nothing.

    A storage stays as it is where one number of the pickle would have to say two things at once: where two tensors were
    given one and the same tuple of strides, and would need different ones.
    """
    storages = dict(archive.contents.storages)
    frozen: set[str] = set()
    while True:
        layouts = {
            key: storage.squeezed() if key not in frozen else _as_it_is(storage.nbytes, storage.views)
            for key, storage in storages.items()
        }
        edits, conflicts = _edits(archive, layouts)
        if not conflicts - frozen:
            return Rewritten(layouts=layouts, pickle=_edited(archive.pickle, edits))
        frozen |= conflicts


def _as_it_is(nbytes: int, views: tuple[Region, ...]) -> Squeezed:
    from .squeezing import squeeze

    return squeeze(nbytes, views, keep_all=True)


def _edits(archive: Archive, layouts: Mapping[str, Squeezed]) -> tuple[dict[tuple[int, int], int], set[str]]:
    """What each number of the pickle is to be, by the bytes where it stands; and the storages that disagree on one."""
    edits: dict[tuple[int, int], int] = {}
    said_by: dict[tuple[int, int], str] = {}
    conflicts: set[str] = set()

    def say(number: object, value: int, key: str) -> None:
        assert isinstance(number, Number), "the reader accepts no other numbers here"
        place = (number.at, number.end)
        if edits.setdefault(place, value) != value:
            conflicts.update((key, said_by[place]))
        said_by.setdefault(place, key)

    for use in archive.reader.uses:
        if archive.contents.storages[use.key].views or layouts[use.key].nbytes < archive.records[use.key].size:
            shrunk = layouts[use.key].nbytes < archive.records[use.key].size
            say(use.count, layouts[use.key].nbytes // use.itemsize if shrunk else int(use.count), use.key)
    for laid, placed in _placed(archive, layouts):
        assert laid.use is not None, "tensors without data are not placed"
        say(laid.offset, placed.address // placed.itemsize, laid.use.key)
        for number, stride in zip(laid.strides, placed.strides, strict=True):
            say(number, stride // placed.itemsize, laid.use.key)
    return edits, conflicts


def _placed(archive: Archive, layouts: Mapping[str, Squeezed]) -> list[tuple[Laid, Region]]:
    """Each tensor of the pickle with its new region. The views of a storage are in the order of the reader's ones."""
    waiting = {key: iter(layout.views) for key, layout in layouts.items()}
    return [(laid, next(waiting[laid.use.key])) for laid in archive.reader.laid if laid.use is not None]


def _edited(old: bytes, edits: Mapping[tuple[int, int], int]) -> bytes:
    """The pickle with other numbers. Frames are dropped: their lengths would be untrue, and no reader needs them."""
    changes = {place: _encoded(value, old[slice(*place)]) for place, value in edits.items()}
    for opcode, _, at in pickletools.genops(old):
        if opcode.name == "FRAME" and at is not None:
            changes[at, at + 9] = b""
    parts, end = [], 0
    for (lo, hi), new in sorted(changes.items()):
        parts += [old[end:lo], new]
        end = hi
    return b"".join([*parts, old[end:]])


def _encoded(value: int, old: bytes) -> bytes:
    """The steps that push *value*; those that were there where it is unchanged."""
    new = pickle.dumps(value, protocol=2)[2:-1]
    return old if pickle.loads(b"\x80\x02" + old + b".") == value else new
