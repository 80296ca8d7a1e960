"""`compact_file`: write a checkpoint anew in which each storage holds only the bytes that its tensors use.

The pickle is carried over as it is but for the numbers that say where tensors lie, so objects of every class survive,
none of them is made, and no code of the file runs. Bytes are copied through a window, never all at once.
"""

from __future__ import annotations

import os
import struct
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from ...errors import BadArgumentError, BadFileError
from ...reporting import Field, KeyValues, Report, Shown, Tone, ValueType
from ...reporting.writing import replacing
from . import rewriting, verifying
from .contents import Contents
from .formats.torch_archive import Archive, recognises, take_apart
from .looking import inspect_file
from .reading import Slices, opened, read_at
from .rewriting import Rewritten
from .transfer import gathered
from .zip_directory import Member, data_offset, members_of

_ALIGNMENT = 64
_NAMES_THE_BYTES = (".data/serialization_id",)
"""Parts that would be untrue of the new file: an identifier made from the bytes of the old one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted(Shown):
    """What `compact_file` did. `before` and `after` are the bytes of the two files, `storages` how many shrank."""

    source: str
    target: str
    before: int
    after: int
    storages: int
    tensors: int

    def report(self) -> Report:
        """What there is to show."""
        size, saved = ValueType.BYTES, self.before - self.after
        shrunk = f"{self.storages:,} storage{'' if self.storages == 1 else 's'} shrank"
        compared = {0: "there is no tensor", 1: "the one tensor was compared with the old file and is equal"}.get(
            self.tensors, f"all {self.tensors:,} tensors were compared with the old file and are equal"
        )
        lead = f"{shrunk}; {compared}."
        fields = (
            Field(name="before", value=self.before, type=size),
            Field(name="after", value=self.after, type=size),
            Field(name="saved", value=saved, type=size, tone=Tone.GOOD if saved > 0 else Tone.NEUTRAL),
        )
        return Report(title=self.target, lead=lead, blocks=(KeyValues(fields=fields),), data=asdict(self))


def compact_file(source: str | Path, target: str | Path, *, overwrite: bool = False) -> Compacted:
    """Write the checkpoint *source* to *target* without the bytes that no tensor uses.

    What shares memory shares it still, at the same elements; values, names, dtypes, shapes and all other objects stay
    as they are; strides change where gaps are closed. The new file is compared with the old one, tensor by tensor and
    byte by byte, before it takes its place; until then *target* is as it was. *source* is only read. Needs no torch;
    memory does not grow with the size of the tensors.

    Args:
        source: A checkpoint of ``torch.save``.
        target: Where to write; may be *source* itself if *overwrite* is set.
        overwrite: Replace a file that is there.

    Raises:
        BadArgumentError: *source* cannot be read, or *target* exists or cannot be written.
        BadFileError: *source* is damaged, would run code when loaded, or is of a format that drags nothing along.
    """
    _refuse_target(target, overwrite=overwrite)
    with opened(source) as file:
        if not recognises(file.read(4)):
            raise _nothing_to_compact(inspect_file(source))
        members = members_of(file)
        archive = _taken_apart(file, os.fspath(source), members)
        plan = rewriting.rewritten(archive)
        with replacing(target) as out:
            _write(out, file, archive, plan)
            out.flush()
            verifying.verify(Slices(file), archive, out)
            after = out.seek(0, os.SEEK_END)
    return Compacted(
        source=os.fspath(source),
        target=os.fspath(target),
        before=archive.contents.file_bytes,
        after=after,
        storages=sum(plan.layouts[key].nbytes < record.size for key, record in archive.records.items()),
        tensors=len(archive.contents.entries),
    )


def _refuse_target(target: str | Path, *, overwrite: bool) -> None:
    shown = os.fspath(target)
    if not os.path.lexists(target):
        return
    if not os.path.isfile(target):
        raise BadArgumentError(f"cannot write {shown}", why="it is no regular file", fix="name a file that is new")
    if not overwrite:
        raise BadArgumentError(
            f"will not overwrite {shown}",
            why="the file exists",
            fix="name another one, or say --force (overwrite=True)",
        )


def _taken_apart(file: BinaryIO, path: str, members: Mapping[str, Member]) -> Archive:
    if not any(name == "data.pkl" or name.endswith("/data.pkl") for name in members):
        raise _nothing_to_compact(inspect_file(path))
    archive = take_apart(file, path, members)
    if archive.contents.cannot_compact:
        raise _nothing_to_compact(archive.contents)
    return archive


def _nothing_to_compact(contents: Contents) -> BadFileError:
    return BadFileError(
        f"cannot compact {contents.path}, which is of format {contents.format}",
        why=contents.cannot_compact,
        fix="give a checkpoint of torch.save; of others, load them, tensorcopy.copy what you need, and save that",
    )


def _write(out: BinaryIO, file: BinaryIO, archive: Archive, plan: Rewritten) -> None:
    storages = {record.name: key for key, record in archive.records.items()}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED, allowZip64=True) as archived:
        for member in archive.members.values():
            if member.name.removeprefix(archive.prefix) in _NAMES_THE_BYTES or member.name.endswith("/"):
                continue
            if member.name == f"{archive.prefix}data.pkl":
                _add(archived, member.name, len(plan.pickle), iter((plan.pickle,)))
            elif member.name in storages:
                layout, start = plan.layouts[storages[member.name]], data_offset(file, member)
                _add(archived, member.name, layout.nbytes, gathered(Slices(file), start, layout))
            else:
                _add(archived, member.name, member.size, _verbatim(file, member))


def _verbatim(file: BinaryIO, member: Member) -> Iterator[bytes]:
    start, step = data_offset(file, member), 1 << 22
    for at in range(0, member.size, step):
        yield read_at(file, start + at, min(step, member.size - at), repr(member.name))


def _add(archived: zipfile.ZipFile, name: str, size: int, chunks: Iterator[bytes]) -> None:
    """Add one part whose bytes begin at a multiple of 64, as torch has them, so that they can be mapped."""
    info = zipfile.ZipInfo(name)
    info.file_size = size
    large = size >= zipfile.ZIP64_LIMIT // 2
    at = archived.fp.tell() if archived.fp is not None else 0
    header = 30 + len(name.encode()) + 4 + (20 if large else 0)
    gap = -(at + header) % _ALIGNMENT
    info.extra = struct.pack("<2sH", b"FB", gap) + b"Z" * gap
    with archived.open(info, "w", force_zip64=large) as part:
        for chunk in chunks:
            part.write(chunk)
