"""``.npz``: a zip archive of ``.npy`` files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import BinaryIO

from ....errors import BadFileError
from ..contents import Contents, Entry, StoredMemory
from ..reading import INTACT, size_of
from ..zip_directory import STORED, Member, data_offset, members_of, unpacked
from . import npy

NAME = "npz"
ORDER = 11


def recognises(head: bytes) -> bool:
    """Never first: archives are recognised together, and sorted out by what they hold."""
    return False


def read(file: BinaryIO, path: str) -> Contents:
    """What it holds, from the directory and the headers alone."""
    return from_members(file, path, members_of(file))


def from_members(file: BinaryIO, path: str, members: Mapping[str, Member]) -> Contents:
    """The same from a directory that is read already.

    Raises:
        BadFileError: it is an archive of something else, or a header is damaged.
    """
    arrays = {name: member for name, member in members.items() if name.endswith(".npy")}
    if not arrays:
        raise BadFileError(
            f"{path} is a zip archive without tensors",
            why=f"it holds {', '.join(list(members)[:3]) or 'nothing'}, and neither a data.pkl nor an array",
            fix="name a checkpoint of torch.save or an archive of numpy.savez",
        )
    found = [_array(file, member) for member in arrays.values()]
    objects = sum(entry.note == npy.OBJECTS for entry, _ in found)
    return Contents(
        path=path,
        format=NAME,
        file_bytes=size_of(file),
        entries=tuple(entry for entry, _ in found),
        storages={storage.key: storage for _, storage in found},
        opaque={npy.OBJECTS: objects} if objects else {},
        warnings=tuple(f"{name!r} is no array" for name in members if name not in arrays)[:3],
        cannot_compact=npy.SEPARATE,
    )


def _array(file: BinaryIO, member: Member) -> tuple[Entry, StoredMemory]:
    name = member.name.removesuffix(".npy")
    entry, start = npy.described(name, unpacked(file, member, npy.LONGEST_HEADER + 12))
    if entry.note != npy.OBJECTS and start + entry.region.nbytes != member.size:
        raise BadFileError(
            f"the array {name[:80]!r} has {member.size - start:,} bytes",
            why=f"its shape and dtype need {entry.region.nbytes:,}",
            fix=INTACT,
        )
    offset = data_offset(file, member) + start if member.method == STORED else None
    return entry, npy.stored(entry, member.size - start, offset)
