"""Checkpoints of torch 1.6 and later: a zip archive with one pickle and a part for each storage."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO

from ....errors import BadFileError
from ..checkpoint import contents_of
from ..contents import Contents
from ..pickle_walk import walk
from ..reading import INTACT
from ..torch_tensors import Reader, StorageUse
from ..zip_directory import STORED, Member, data_offset, members_of, unpacked
from . import npz

NAME = "torch checkpoint"
ORDER = 10
_LONGEST_PICKLE = 256 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """A checkpoint taken apart: its parts, its pickle, and what the pickle says.

    prefix: what the names of all parts begin with.
    records: the part of each storage by the storage's key.
    """

    members: Mapping[str, Member]
    prefix: str
    pickle: bytes
    reader: Reader
    records: Mapping[str, Member]
    contents: Contents


def recognises(head: bytes) -> bool:
    """Any zip archive; those of NumPy are sorted out once the directory is read."""
    return head.startswith(b"PK")


def read(file: BinaryIO, path: str) -> Contents:
    """What it holds, from the directory and the pickle alone."""
    members = members_of(file)
    if not _pickles(members):
        return npz.from_members(file, path, members)
    return take_apart(file, path, members).contents


def take_apart(file: BinaryIO, path: str, members: Mapping[str, Member]) -> Archive:
    """The checkpoint with its pickle, for those who want to write it anew.

    Raises:
        BadFileError: it is damaged, contradicts itself, or would run code when loaded.
    """
    pickles = _pickles(members)
    if len(pickles) != 1:
        raise _no_checkpoint(f"it has {len(pickles)} pickles", "a checkpoint has one")
    member = members[pickles[0]]
    if member.size > _LONGEST_PICKLE:
        raise _no_checkpoint(f"its pickle claims {member.size:,} bytes", "no checkpoint needs so many besides its data")
    pickle = unpacked(file, member, _LONGEST_PICKLE)
    reader = Reader()
    root = walk(io.BytesIO(pickle), understand=reader.understand, persistent=reader.persistent)
    prefix = member.name.removesuffix("data.pkl")
    records = {use.key: _record(members, prefix, use) for use in reader.uses}
    contents = contents_of(
        root,
        reader,
        path=path,
        format="TorchScript archive" if _is_script(members, prefix) else "torch checkpoint (zip)",
        file=file,
        places={key: (_offset(file, record), record.size) for key, record in records.items()},
        cannot_compact=_obstacle(members, prefix),
    )
    return Archive(members=members, prefix=prefix, pickle=pickle, reader=reader, records=records, contents=contents)


def _pickles(members: Mapping[str, Member]) -> list[str]:
    return [name for name in members if name == "data.pkl" or name.endswith("/data.pkl")]


def _record(members: Mapping[str, Member], prefix: str, use: StorageUse) -> Member:
    member = members.get(f"{prefix}data/{use.key}")
    if member is None:
        raise _no_checkpoint(
            f"the data of storage {use.key!r} is missing", "the pickle names it and the archive has none"
        )
    needed = use.count * use.itemsize
    if member.size < needed:
        raise _no_checkpoint(
            f"storage {use.key!r} has {member.size:,} bytes", f"the pickle says that it has {needed:,}"
        )
    return member


def _offset(file: BinaryIO, member: Member) -> int | None:
    start = data_offset(file, member)
    return start if member.method == STORED and not member.encrypted else None


def _is_script(members: Mapping[str, Member], prefix: str) -> bool:
    return any(name.startswith(f"{prefix}code/") for name in members)


def _obstacle(members: Mapping[str, Member], prefix: str) -> str:
    if _is_script(members, prefix):
        return "it is a TorchScript archive, whose code names its tensors too"
    if any(member.method != STORED or member.encrypted for member in members.values()):
        return "parts of it are compressed, as torch never writes them"
    return ""


def _no_checkpoint(what: str, why: str) -> BadFileError:
    return BadFileError(f"the checkpoint contradicts itself: {what}", why=why, fix=INTACT)
