"""Compare a compacted checkpoint with the old one: every element of every tensor, and everything else that was kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import BinaryIO

from ...errors import BadFileError
from ...live.memory import Region
from .contents import Entry, StoredMemory
from .formats.torch_archive import Archive, take_apart
from .reading import Slices
from .transfer import every
from .zip_directory import members_of

_CHUNK = 1 << 22
_Step = tuple[int, int, int]
"""How many elements along a dimension, and the bytes from one to the next in the old file and in the new one."""


def verify(data: Slices, archive: Archive, out: BinaryIO) -> None:
    """Nothing if the checkpoint in *out* says the same as *archive*, whose bytes are in *data*.

    Raises:
        BadFileError: something differs; the old file changed while it was read, or the disk gives back other bytes.
    """
    out.seek(0)
    again = take_apart(out, archive.contents.path, members_of(out))
    if _skeleton(archive) != _skeleton(again):
        raise _differs("the names, types and shapes of its tensors")
    for key, storage in archive.contents.storages.items():
        if not _storage_equal(data, storage, Slices(out), again.contents.storages[key]):
            raise _differs(f"a tensor of storage {key!r}")


def _storage_equal(data: Slices, storage: StoredMemory, written: Slices, new: StoredMemory) -> bool:
    assert storage.offset is not None, "compressed archives are refused before"
    assert new.offset is not None, "nothing is compressed when written"
    if storage.whole:
        return storage.nbytes == new.nbytes and _rows_equal(
            data, storage.offset, written, new.offset, new.nbytes, (1, 0, 0)
        )
    return all(
        _equal(data, before, storage.offset, written, after, new.offset)
        for before, after in dict.fromkeys(zip(storage.views, new.views, strict=True))
    )


def _skeleton(archive: Archive) -> object:
    """Everything but where elements lie."""
    entries = [replace(entry, region=_size_only(entry)) for entry in archive.contents.entries]
    others = sorted(
        (name.removeprefix(archive.prefix), member.size)
        for name, member in archive.members.items()
        if not name.startswith((f"{archive.prefix}data", f"{archive.prefix}.data")) and not name.endswith("/")
    )
    return entries, dict(archive.contents.opaque), others


def _size_only(entry: Entry) -> Region:
    return Region(0, entry.region.shape, entry.region.shape, entry.region.itemsize)


def _equal(data: Slices, before: Region, old: int, written: Slices, after: Region, new: int) -> bool:
    """Whether both hold the same elements at the same indices. Bytes that repeat are read once."""
    if before.shape != after.shape or before.itemsize != after.itemsize:
        return False
    moving = [step for step in zip(before.shape, before.strides, after.strides, strict=True) if step[0] > 1]
    if any((st == 0) != (to == 0) for _, st, to in moving):
        return False
    run, steps = _joined([step for step in moving if step[1]], before.itemsize)
    if not before.size:
        return True
    longest = max(steps, default=(1, run, run))
    rest = [step for step in steps if step is not longest]
    return all(
        _rows_equal(data, old + before.address + a, written, new + after.address + b, run, longest)
        for a, b in _offsets(rest)
    )


def _joined(steps: list[_Step], itemsize: int) -> tuple[int, list[_Step]]:
    """The bytes that lie back to back in both, and the steps between such runs, as few as possible."""
    run = itemsize
    left: list[_Step] = []
    for n, st, to in sorted(steps, key=lambda step: step[1]):
        if not left and st == to == run:
            run *= n
        elif left and st == left[-1][0] * left[-1][1] and to == left[-1][0] * left[-1][2]:
            left[-1] = (n * left[-1][0], *left[-1][1:])
        else:
            left.append((n, st, to))
    return run, left


def _offsets(steps: list[_Step]) -> Iterator[tuple[int, int]]:
    for indices in product(*(range(n) for n, _, _ in steps)):
        pairs = list(zip(indices, steps, strict=True))
        yield sum(k * st for k, (_, st, _) in pairs), sum(k * to for k, (_, _, to) in pairs)


def _rows_equal(data: Slices, old: int, written: Slices, new: int, run: int, step: _Step) -> bool:
    count, st, to = step
    if count == 1:
        return all(
            data[old + at : old + min(at + _CHUNK, run)] == written[new + at : new + min(at + _CHUNK, run)]
            for at in range(0, run, _CHUNK)
        )
    most = max(1, _CHUNK // max(st, to))
    for first in range(0, count, most):
        number = min(most, count - first)
        before = every(data, old + first * st, run=run, stride=st, count=number)
        after = every(written, new + first * to, run=run, stride=to, count=number)
        if b"".join(before) != b"".join(after):
            return False
    return True


def _differs(what: str) -> BadFileError:
    return BadFileError(
        f"the compacted file differs in {what}, and was thrown away",
        why="the old file changed while it was read, or the disk gave back other bytes than were written",
        fix="try again when nothing writes to it; if it happens again, please report it",
    )
