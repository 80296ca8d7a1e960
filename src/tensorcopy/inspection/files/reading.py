"""Read parts of a file with bounds on everything, so that no file can make the reader wait, run code or fill memory."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ...errors import BadArgumentError, BadFileError

INTACT = "get the file again, or write it anew"
"""What to do about a file that is damaged or lies."""


@contextmanager
def opened(path: str | Path) -> Iterator[BinaryIO]:
    """The regular file at *path*, open for reading. Anything else (a folder, a pipe, a device) is refused unopened.

    Raises:
        BadArgumentError: there is no such file, it is not regular, or it may not be read.
    """
    shown = os.fspath(path) or "''"
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode):
            raise _not_a_file(shown, mode)
        file = open(path, "rb")  # noqa: SIM115 - closed below; the with statement must not cover the errors of opening
    except (OSError, ValueError) as error:
        if isinstance(error, BadArgumentError):
            raise
        raise BadArgumentError(
            f"cannot read {shown}",
            why=str(getattr(error, "strerror", None) or error),
            fix="name a file that exists and may be read",
        ) from error
    with file:
        yield file


def _not_a_file(path: str, mode: int) -> BadArgumentError:
    kind = "a folder" if stat.S_ISDIR(mode) else "a pipe, a socket or a device"
    return BadArgumentError(
        f"cannot read {path}", why=f"it is {kind}", fix="name one file; for several, call it once for each"
    )


def size_of(file: BinaryIO) -> int:
    """Its length in bytes."""
    return os.fstat(file.fileno()).st_size


def read_at(file: BinaryIO, offset: int, size: int, what: str) -> bytes:
    """Exactly *size* bytes from *offset*.

    Raises:
        BadFileError: the file ends before.
    """
    file.seek(offset)
    found = file.read(size)
    if len(found) != size:
        raise truncated(f"{what} needs bytes {offset:,} to {offset + size:,}", size_of(file))
    return found


def truncated(what: str, file_bytes: int) -> BadFileError:
    """The error for a file that ends too early."""
    return BadFileError(
        f"the file is cut off: {what}, and there are {file_bytes:,}",
        why="a download or a save that was interrupted leaves such files",
        fix=INTACT,
    )


class Slices:
    """The bytes of a file by ``data[lo:hi]``: read when asked for, so that memory does not grow with the file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def __getitem__(self, part: slice) -> bytes:
        return read_at(self._file, part.start, part.stop - part.start, "a storage")


class Window(io.RawIOBase):
    """The bytes ``[lo, lo + size)`` of a file as a file of their own."""

    def __init__(self, file: BinaryIO, lo: int, size: int) -> None:
        self._file, self._lo, self._size, self._at = file, lo, size, 0

    def readable(self) -> bool:
        """True."""
        return True

    def seekable(self) -> bool:
        """True; `io.BufferedReader` asks for the position."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move, and give the position from the start of the window."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = max(0, start + offset)
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # io declares a wider type
        """Fill *buffer* as far as the window goes."""
        wanted = min(len(buffer), max(0, self._size - self._at))
        self._file.seek(self._lo + self._at)
        count = self._file.readinto(memoryview(buffer)[:wanted])  # type: ignore[attr-defined]  # every open file has it
        self._at += count
        return int(count)


def window(file: BinaryIO, lo: int, size: int) -> io.BufferedReader:
    """A part of *file*, buffered; it can be read to its end and no further."""
    return io.BufferedReader(Window(file, lo, size))
