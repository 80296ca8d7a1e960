"""The directory of a zip archive, read without any data, and checked: what is there, how large, and where it begins.

The standard library reads a directory of any size into memory; here a file that claims a huge one is refused first.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from ...errors import BadFileError
from .reading import INTACT, read_at, size_of, truncated

STORED, DEFLATED = 0, 8
_END, _LOCATOR, _END64 = b"PK\x05\x06", b"PK\x06\x07", b"PK\x06\x06"
_LARGEST_DIRECTORY = 256 << 20
_LONGEST_COMMENT = (1 << 16) + 22
_NOT_IN_32_BITS = 0xFFFFFFFF


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One file of the archive; `packed` and `size` are its bytes as stored and as unpacked."""

    name: str
    method: int
    packed: int
    size: int
    header: int
    encrypted: bool


def members_of(file: BinaryIO) -> dict[str, Member]:
    """The members by name, in the order of the directory.

    Raises:
        BadFileError: there is no directory, or it contradicts the file or itself.
    """
    offset, size, count, shift = _end_record(file)
    if size > _LARGEST_DIRECTORY:
        raise _bad(f"its directory claims {size:,} bytes", "no checkpoint has so many parts")
    data = read_at(file, offset + shift, size, "the directory of the zip archive")
    found: dict[str, Member] = {}
    for member in _entries(data, shift):
        if member.name in found:
            raise _bad(f"{member.name!r} is in the archive twice", "readers disagree on which one counts")
        found[member.name] = member
    if len(found) != count:
        raise _bad(f"its directory lists {len(found):,} parts, and should list {count:,}", "the directory is damaged")
    _refuse_overlaps(list(found.values()), offset + shift)
    return found


def data_offset(file: BinaryIO, member: Member) -> int:
    """Where the bytes of *member* begin.

    Raises:
        BadFileError: its own header is not there, or its bytes do not fit into the file.
    """
    header = read_at(file, member.header, 30, f"the header of {member.name!r}")
    signature, name, extra = header[:4], *struct.unpack("<HH", header[26:30])
    if signature != b"PK\x03\x04":
        raise _bad(f"there is no header of {member.name!r} at byte {member.header:,}", "the directory points elsewhere")
    start = member.header + 30 + int(name) + int(extra)
    if start + member.packed > size_of(file):
        raise truncated(f"{member.name!r} ends at byte {start + member.packed:,}", size_of(file))
    return start


def unpacked(file: BinaryIO, member: Member, limit: int) -> bytes:
    """The bytes of *member*, or the first *limit* of them where there are more. Never makes more than that.

    Raises:
        BadFileError: they cannot be unpacked, or are not as many as the directory says.
    """
    start, wanted = data_offset(file, member), min(member.size, limit)
    if member.encrypted or member.method not in (STORED, DEFLATED):
        raise _bad(f"{member.name!r} is encrypted or packed in an unusual way", "it cannot be read without unpacking")
    if member.method == STORED:
        return read_at(file, start, wanted, repr(member.name))
    data = b"".join(_inflated(file, member, start, wanted))
    if len(data) != wanted:
        raise _bad(
            f"{member.name!r} unpacks to {len(data):,} bytes, not to {member.size:,}", "the archive lies about it"
        )
    return data


def _inflated(file: BinaryIO, member: Member, start: int, wanted: int) -> Iterator[bytes]:
    """At most one byte more than *wanted*, which shows that there is too much."""
    engine, left, at = zlib.decompressobj(-15), wanted + (wanted == member.size), start
    end = start + member.packed
    while left > 0 and not engine.eof:
        chunk = engine.unconsumed_tail or read_at(file, at, min(1 << 16, end - at), repr(member.name))
        at += 0 if engine.unconsumed_tail else len(chunk)
        if not chunk:
            return
        try:
            made = engine.decompress(chunk, left)
        except zlib.error as error:
            raise _bad(f"{member.name!r} cannot be unpacked: {error}", "its bytes are damaged") from error
        left -= len(made)
        yield made


def _end_record(file: BinaryIO) -> tuple[int, int, int, int]:
    """Offset, size and number of entries of the directory, and by how much all offsets are to be moved."""
    total = size_of(file)
    tail = read_at(file, max(0, total - _LONGEST_COMMENT), min(total, _LONGEST_COMMENT), "the end of the archive")
    at = tail.rfind(_END)
    if at < 0 or at + 22 > len(tail):
        raise _bad("it begins as a zip archive and has no directory at its end", "the file is cut off, or no archive")
    position = total - len(tail) + at
    count, size, offset = struct.unpack("<HII", tail[at + 10 : at + 20])
    if position >= 20 and read_at(file, position - 20, 4, "the archive") == _LOCATOR:
        position, count, size, offset = _end_record_64(file, position - 20)
    shift = position - size - offset
    if shift < 0:
        raise _bad("its directory would begin before the file does", "the file is cut off at its beginning, or damaged")
    return offset, size, count, shift


def _end_record_64(file: BinaryIO, locator: int) -> tuple[int, int, int, int]:
    """The large record lies directly before its locator in every archive that torch or NumPy writes."""
    position = locator - 56
    record = read_at(file, max(0, position), 56, "the end of the archive")
    if position < 0 or record[:4] != _END64:
        raise _bad("the record of its directory is not where it should be", "the archive is damaged")
    count, size, offset = struct.unpack("<QQQ", record[32:56])
    return position, count, size, offset


def _entries(data: bytes, shift: int) -> Iterator[Member]:
    at = 0
    while at < len(data):
        fixed = data[at : at + 46]
        if len(fixed) < 46 or fixed[:4] != b"PK\x01\x02":
            raise _bad(f"its directory is damaged at byte {at:,}", "there is no entry where one should begin")
        flags, method = struct.unpack("<HH", fixed[8:12])
        packed, size, name, extra, comment = struct.unpack("<IIHHH", fixed[20:34])
        (header,) = struct.unpack("<I", fixed[42:46])
        end = at + 46 + name
        text = data[at + 46 : end].decode("utf-8" if flags & 0x800 else "cp437", "backslashreplace")
        sizes = _in_64_bits(text, [size, packed, header], data[end : end + extra])
        yield Member(
            name=text,
            method=method,
            size=sizes[0],
            packed=sizes[1],
            header=sizes[2] + shift,
            encrypted=bool(flags & 1),
        )
        at = end + extra + comment
    if at != len(data):
        raise _bad("the last entry of its directory is cut off", "the archive is damaged")


def _in_64_bits(name: str, numbers: list[int], extra: bytes) -> list[int]:
    """Those of *numbers* that do not fit their 32 bits, taken from the extra field that has them."""
    large = [k for k, number in enumerate(numbers) if number == _NOT_IN_32_BITS]
    if not large:
        return numbers
    at = 0
    while at + 4 <= len(extra):
        tag, length = struct.unpack("<HH", extra[at : at + 4])
        if tag == 1 and length >= 8 * len(large) and at + 4 + 8 * len(large) <= len(extra):
            for position, k in enumerate(large):
                (numbers[k],) = struct.unpack_from("<Q", extra, at + 4 + 8 * position)
            return numbers
        at += 4 + length
    raise _bad(f"the size of {name!r} is missing", "the archive is damaged")


def _refuse_overlaps(members: list[Member], directory: int) -> None:
    """Bytes that count for two members are how a small archive claims to be a huge one."""
    end, last = 0, ""
    for member in sorted(members, key=lambda m: m.header):
        if member.header < end:
            raise _bad(f"{member.name!r} and {last!r} lie on the same bytes", "that is how a zip bomb is made")
        end, last = member.header + 30 + member.packed, member.name
    if end > directory:
        raise truncated(f"{last!r} ends at byte {end:,}, its directory begins at {directory:,}", directory)


def _bad(what: str, why: str) -> BadFileError:
    return BadFileError(f"the zip archive cannot be trusted: {what}", why=why, fix=INTACT)
