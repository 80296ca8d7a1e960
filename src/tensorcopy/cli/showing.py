"""Where output goes: to the terminal, a pipe or a file, in the format and with the characters that fit there."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

from ..errors import BadArgumentError, TensorcopyError
from ..reporting import Medium, formats, render
from ..reporting.escaping import visible
from ..reporting.writing import write_atomically

if TYPE_CHECKING:
    from ..reporting import Report

_PROBE = "─│█✓µ±–»"


def show(report: Report, args: argparse.Namespace) -> None:
    """Print *report*, or write it to the file that ``--output`` names, in the format that the arguments ask for.

    Raises:
        BadArgumentError: the file cannot be written.
    """
    name = args.output_format or (formats.name_for(args.output) if is_to_file(args) else None) or "text"
    put(lambda medium: render(report, name, medium), args, follows_terminal=name == "text")


def is_to_file(args: argparse.Namespace) -> bool:
    """Whether ``--output`` names a file."""
    return args.output not in (None, "-")


def keep_apart(kept: Sequence[str], *written: str | None) -> None:
    """Refuse to write a report over one of the files that the command is about, however they are spelt.

    Raises:
        BadArgumentError: two are one file.
    """
    for path in filter(None, written):
        if any(os.path.realpath(path) == os.path.realpath(other) for other in kept):
            raise BadArgumentError(
                f"will not write the report over {path}",
                why="the command reads or writes that file itself",
                fix="name another file for the report",
            )


def put(rendered: Callable[[Medium], str], args: argparse.Namespace, *, follows_terminal: bool) -> None:
    """Print what is rendered for a medium, or write it to the file that ``--output`` names.

    follows_terminal: the text is in the encoding of the terminal; else it says its own, or is UTF-8.

    Raises:
        BadArgumentError: the file cannot be written.
    """
    if is_to_file(args):
        write_atomically(args.output, rendered(Medium(color=args.color == "always")).encode())
    else:
        _print(rendered(medium_of(sys.stdout, args.color)), follows_terminal=follows_terminal)


def medium_of(stream: TextIO, color: str) -> Medium:
    """What *stream* can show. Its width is ``COLUMNS``, or that of the terminal at the end of a pipe too, or 100."""
    return Medium(columns=_columns(), color=wants_color(stream, color), ascii=not _can_show(_PROBE, stream))


def _columns() -> int:
    """Through a pager or ``head`` the reader sees the terminal of the error stream."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            return os.get_terminal_size(stream.fileno()).columns or Medium().columns
    return Medium().columns


def wants_color(stream: TextIO, color: str) -> bool:
    """Whether to colour what goes to *stream*: ``auto`` means a terminal that understands, and no ``NO_COLOR``."""
    if color != "auto":
        return color == "always"
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def complain(error: TensorcopyError, color: str, stream: TextIO | None = None) -> None:
    """Print the three parts of *error*, a line each, to the error stream if no other is given."""
    stream = stream or sys.stderr
    mark, plain = ("\x1b[1;31m", "\x1b[0m") if wants_color(stream, color) else ("", "")
    lines = (
        f"{mark}error:{plain} {visible(error.what)}",
        f"  why: {visible(error.why)}",
        f"  fix: {visible(error.fix)}",
    )
    print(*(_encodable(line, stream) for line in lines), sep="\n", file=stream)


def complain_of_bug(error: Exception, version: str) -> None:
    """Print one line that tells a bug of our own from a mistake of the user's."""
    told = visible(f"{type(error).__name__}: {error}")
    line = f"internal error: {told}; this is a bug in tensorcopy {version}, please report what --traceback prints"
    print(_encodable(line, sys.stderr), file=sys.stderr)


def _print(text: str, *, follows_terminal: bool) -> None:
    """Text in the encoding of the terminal; the other formats, which say theirs or have to agree, in UTF-8."""
    try:
        if follows_terminal or not hasattr(sys.stdout, "buffer"):
            sys.stdout.write(_encodable(text, sys.stdout))
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode())
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise unprintable(error) from error


def unprintable(error: OSError) -> BadArgumentError:
    """That standard output takes no more, which is given up, so that nothing complains of it a second time."""
    abandon_stdout()
    return BadArgumentError(
        "cannot write to standard output",
        why=error.strerror or str(error),
        fix="make room there, or name another file with --output",
    )


def abandon_stdout() -> None:
    """Let the interpreter's last flush go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _encodable(text: str, stream: TextIO) -> str:
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _can_show(text: str, stream: TextIO) -> bool:
    try:
        text.encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True
