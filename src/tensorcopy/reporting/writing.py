"""Files that are there whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO

from ..errors import BadArgumentError

if TYPE_CHECKING:
    from pathlib import Path


def write_atomically(path: str | Path, content: bytes, *, durably: bool = True) -> None:
    """Make *path* hold *content*: whoever looks sees the old file or the new one, and a failure leaves the old one.

    A symbolic link stays and what it points to is replaced; the permissions of an old file stay. What is no regular
    file (``/dev/null``, a pipe) is written to directly.

    durably: it is there after a power cut too, which takes the disk's time; without, after any end of this process.

    Raises:
        BadArgumentError: the file cannot be written.
    """
    target = os.path.realpath(path)
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            with open(target, "wb") as existing:
                existing.write(content)
        else:
            with _new_file(target, durably=durably) as file:
                file.write(content)
    except OSError as error:
        raise _cannot_write(path, error) from error


def require_writable(path: str | Path) -> None:
    """Say now, and not after long work, that `write_atomically` could not write *path*. Writes nothing there.

    Raises:
        BadArgumentError: the file cannot be written.
    """
    import tempfile

    target = os.path.realpath(path)
    try:
        if os.path.isdir(target):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if os.path.isfile(target) or not os.path.exists(target):
            tempfile.TemporaryFile(dir=os.path.dirname(target)).close()
    except OSError as error:
        raise _cannot_write(path, error) from error


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """A new file, open for writing and reading, that takes the place of *path* when the block ends without an error.

    Until then, and after an error, *path* is as it was. Links and permissions stay as with `write_atomically`.

    Raises:
        BadArgumentError: the file cannot be written.
    """
    try:
        with _new_file(os.path.realpath(path)) as file:
            yield file
    except OSError as error:
        raise _cannot_write(path, error) from error


@contextmanager
def _new_file(target: str, *, durably: bool = True) -> Iterator[BinaryIO]:
    import tempfile

    folder, own = os.path.split(target)
    handle, name = tempfile.mkstemp(prefix=f".{own[:100]}.", dir=folder)
    try:
        with os.fdopen(handle, "w+b") as file:
            yield file
            file.flush()
            if durably:
                os.fsync(file.fileno())
        os.chmod(name, _permissions(target))
        os.replace(name, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise


def _cannot_write(path: str | Path, error: OSError) -> BadArgumentError:
    return BadArgumentError(
        f"cannot write {os.fspath(path)}",
        why=error.strerror or str(error),
        fix="name a file in a folder that exists and may be written to",
    )


def _permissions(target: str) -> int:
    """Those that the file has, or that a new one would get."""
    if os.path.exists(target):
        return os.stat(target).st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
