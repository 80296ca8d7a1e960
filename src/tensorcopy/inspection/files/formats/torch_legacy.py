"""Checkpoints of torch before 1.6: five pickles one after the other, then the bytes of the storages."""

from __future__ import annotations

import struct
from typing import BinaryIO

from ....errors import BadFileError
from ..checkpoint import contents_of
from ..contents import Contents
from ..pickle_walk import Sequence, walk
from ..reading import read_at, size_of, truncated, window
from ..torch_tensors import Reader, StorageUse

NAME = "torch checkpoint before 1.6"
ORDER = 20
_MAGIC = 0x1950A86A20F9469CFC6C
_LONGEST_PICKLES = 256 << 20


def recognises(head: bytes) -> bool:
    """Whether it begins as a pickle does."""
    return head[:1] == b"\x80" and head[1:2] in b"\x02\x03\x04\x05" and len(head) > 2


def read(file: BinaryIO, path: str) -> Contents:
    """What it holds, from its pickles alone."""
    pickles = window(file, 0, min(size_of(file), _LONGEST_PICKLES))
    reader = Reader()
    magic = walk(pickles, understand=_nothing, persistent=_none)
    if magic != _MAGIC:
        raise _plain_pickle(path)
    for _ in ("protocol", "system"):
        walk(pickles, understand=_nothing, persistent=_none)
    root = walk(pickles, understand=reader.understand, persistent=reader.persistent)
    keys = walk(pickles, understand=_nothing, persistent=_none)
    places = _places(file, pickles.tell(), keys, {use.key: use for use in reader.uses})
    return contents_of(
        root,
        reader,
        path=path,
        format=NAME,
        file=file,
        places=places,
        cannot_compact="it is in the format of torch before 1.6, which no torch writes any more",
    )


def _places(file: BinaryIO, start: int, keys: object, uses: dict[str, StorageUse]) -> dict[str, tuple[int | None, int]]:
    """Offset and size of each storage. Each is its number of elements in 8 bytes, then these."""
    listed = [str(key) for key in keys.items] if isinstance(keys, Sequence) else []
    if sorted(listed) != sorted(uses):
        raise BadFileError(
            f"the checkpoint contradicts itself: its pickle names {len(uses)} storages, and {len(listed)} follow",
            why="each storage has to be there once",
            fix="get the file again, or write it anew",
        )
    places: dict[str, tuple[int | None, int]] = {}
    for key in listed:
        (count,) = struct.unpack("<Q", read_at(file, start, 8, f"storage {key!r}"))
        size = uses[key].count * uses[key].itemsize
        if count not in (uses[key].count, size) or start + 8 + size > size_of(file):
            raise truncated(f"storage {key!r} of {size:,} bytes begins at {start:,}", size_of(file))
        places[key] = (start + 8, size)
        start += 8 + size
    return places


def _nothing(*_: object) -> None:
    """Understand no call."""


def _none(_: object) -> None:
    """No persistent identifier stands for anything here."""


def _plain_pickle(path: str) -> BadFileError:
    return BadFileError(
        f"{path} is a plain pickle",
        why="only unpickling it could tell what it holds, and that may run any code",
        fix="save tensors with torch.save or safetensors, and arrays with numpy.savez, which can be looked into",
    )
