"""``.npy``: a short header, then the bytes of one array."""

from __future__ import annotations

import ast
import re
import struct
from math import prod
from typing import Any, BinaryIO

from ....errors import BadFileError
from ....live.memory import Region, contiguous_strides
from ..contents import Contents, Entry, StoredMemory
from ..naming import WHOLE
from ..reading import INTACT, read_at, size_of, truncated

NAME = "npy"
ORDER = 30
MAGIC = b"\x93NUMPY"
LONGEST_HEADER = 1 << 16
_KINDS = {"b1": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}
SEPARATE = "each array has memory of its own there, so that none drags anything along"


def recognises(head: bytes) -> bool:
    """Whether it begins with NumPy's mark."""
    return head.startswith(MAGIC)


def read(file: BinaryIO, path: str) -> Contents:
    """What it holds, from the header alone."""
    total = size_of(file)
    head = read_at(file, 0, min(total, LONGEST_HEADER + 12), "the header")
    entry, start = described(WHOLE, head)
    size = entry.region.nbytes
    if entry.note != OBJECTS and start + size > total:
        raise truncated(f"the array of {size:,} bytes begins at {start:,}", total)
    follow = total - start - size
    storage = stored(entry, total - start if entry.note == OBJECTS else size, start)
    return Contents(
        path=path,
        format=NAME,
        file_bytes=total,
        entries=(entry,),
        storages={storage.key: storage},
        opaque={OBJECTS: 1} if entry.note == OBJECTS else {},
        warnings=(f"{follow:,} bytes follow the array",) if follow and entry.note != OBJECTS else (),
        cannot_compact=SEPARATE,
    )


OBJECTS = "Python objects as a pickle"


def described(name: str, head: bytes) -> tuple[Entry, int]:
    """The array whose file begins with *head*, and where its bytes begin.

    Raises:
        BadFileError: the header is damaged or lies.
    """
    major = head[6] if head.startswith(MAGIC) and len(head) > 10 else 0
    if major not in (1, 2, 3):
        raise _wrong(name, "the header is of no known version", "NumPy writes versions 1 to 3")
    form, at = ("<H", 10) if major == 1 else ("<I", 12)
    (length,) = struct.unpack(form, head[8:at])
    if length > LONGEST_HEADER or at + length > len(head):
        raise _wrong(name, f"the header claims {length:,} bytes", "it is cut off, or longer than any that NumPy reads")
    fields = _fields(name, head[at : at + length].decode("utf-8" if major == 3 else "latin-1", "replace"))
    dtype, itemsize = _dtype(name, fields["descr"])
    shape = fields["shape"]
    if not isinstance(shape, tuple) or not all(type(n) is int and 0 <= n < 1 << 63 for n in shape):
        raise _wrong(name, f"its shape is {str(shape)[:80]}", "a shape is a tuple of sizes")
    strides = contiguous_strides(shape, itemsize)
    if fields["fortran_order"]:
        strides = contiguous_strides(shape[::-1], itemsize)[::-1]
    note = OBJECTS if "object" in dtype else "column-major" if fields["fortran_order"] else ""
    region = Region(0, shape, strides, 0 if note == OBJECTS else itemsize)
    return Entry(name=name, dtype=dtype, region=region, storage=name, note=note), at + length


def stored(entry: Entry, size: int, offset: int | None) -> StoredMemory:
    """The memory of one array; all of it counts as used where only unpickling would tell what it is."""
    if entry.note == OBJECTS:
        return StoredMemory(key=entry.storage, nbytes=size, offset=offset, whole=OBJECTS)
    return StoredMemory(key=entry.storage, nbytes=size, offset=offset, views=(entry.region,))


def _fields(name: str, text: str) -> dict[str, Any]:
    try:
        fields = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise _wrong(name, "its header is no Python dictionary", str(error)[:120]) from error
    if not isinstance(fields, dict) or set(fields) != {"descr", "fortran_order", "shape"}:
        raise _wrong(
            name, "its header has other fields than descr, fortran_order and shape", "NumPy writes these three"
        )
    return fields


def _dtype(name: str, descr: Any) -> tuple[str, int]:
    """The name of a dtype and the bytes of its element, from the way in which NumPy writes dtypes down."""
    if isinstance(descr, str):
        return _plain(name, descr)
    if isinstance(descr, tuple) and len(descr) == 2 and not isinstance(descr[1], dict):
        inner, itemsize = _dtype(name, descr[0])
        shape = descr[1] if isinstance(descr[1], tuple) else (descr[1],)
        return f"{inner} {shape}", itemsize * prod(shape)
    if isinstance(descr, list) and all(isinstance(part, tuple) and len(part) in (2, 3) for part in descr):
        parts = [_dtype(name, part[1] if len(part) == 2 else (part[1], part[2])) for part in descr]
        return f"fields of {', '.join(dtype for dtype, _ in parts)}"[:200], sum(size for _, size in parts)
    raise _wrong(name, f"its dtype is {str(descr)[:80]}", "NumPy writes no such dtype")


def _plain(name: str, descr: str) -> tuple[str, int]:
    match = re.fullmatch(r"([<>|=]?)([?bBhHiIulLqQfcdgFDGOSaUVMm])(\d{0,18})(\[.{1,20}\])?", descr)
    if match is None:
        raise _wrong(name, f"its dtype is {descr[:80]!r}", "NumPy writes no such dtype")
    order, kind, digits, unit = match.groups()
    size = int(digits) * (4 if kind == "U" else 1) if digits else 8
    if kind == "O":
        return "object", 8
    if kind + digits == "b1":
        return "bool", 1
    word = _KINDS.get(kind)
    shown = f"{word}{size * 8}" if word else f"{kind}{digits}{unit or ''}"
    return f"{shown}, big-endian" if order == ">" and size > 1 else shown, size


def _wrong(name: str, what: str, why: str) -> BadFileError:
    return BadFileError(f"the array {name[:80]!r} cannot be described: {what}", why=why, fix=INTACT)
