"""``tensorcopy run``: run a program and record every copy, alias hazard and lost gradient, by line."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

from ...errors import BadArgumentError
from ...reporting.escaping import visible
from ..endings import ProgramInterruptedError
from ..showing import complain

if TYPE_CHECKING:
    from pathlib import Path

    from ...tracing.captures.capture import Finding
    from ...tracing.session import Session

NAME = "run"
SUMMARY = "run a program and record its copies, alias hazards and lost gradients"
DEFAULT_CAPTURE = "tensorcopy.capture"
EXAMPLES = (
    "tensorcopy run train.py --epochs 1",
    "tensorcopy run --output first.capture -m package.train",
    "tensorcopy view first.capture",
)
OUTPUT = f"where to keep the capture, which tensorcopy view shows; {DEFAULT_CAPTURE} if not given"
EXIT_CODES = "those of the program; 2 where there is none to run"
_MOST_TOLD = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The program and its own arguments."""
    parser.add_argument(
        "-m", dest="module", metavar="MODULE", nargs=argparse.REMAINDER, help="run a module, as python -m does"
    )
    parser.add_argument(
        "--steps", type=int, default=3, metavar="N", help="optimizer steps to follow in full; 3 if not given"
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="make arrays read-only while a tensor shares their memory: NumPy's write raises where it is done",
    )
    parser.add_argument(
        "--progress",
        action=argparse.BooleanOptionalAction,
        help="tell now and then on the error stream what has been found so far; if not given, only on a terminal",
    )
    parser.add_argument("--quiet", action="store_true", help="print nothing about what was found when the program ends")
    parser.add_argument("program", metavar="SCRIPT", nargs=argparse.REMAINDER, help="a script, and its arguments")


def run(args: argparse.Namespace) -> int:
    """Run the program; the capture is in the file that ``--output`` names however the program ends.

    Raises:
        BadArgumentError: there is nothing to run, the script is not there, or the capture can't be written.
        MissingLibraryError: torch or NumPy is not installed.
        ProgramInterruptedError: Ctrl-C has ended the program.
    """
    module = _module(args.module)
    script = None if module else _script(args.program)
    arguments = (args.module or args.program)[1:]
    from ...tracing.needing import need_torch

    need_torch()
    from pathlib import Path

    from ...reporting.writing import require_writable
    from ...tracing.processes.launching import is_launcher, own_file
    from ...tracing.running import run_module, run_script
    from ...tracing.session import Session
    from ..showing import keep_apart
    from ..underway import UnderWay

    keep_apart([script] if script else [], args.output)
    output = Path(args.output or DEFAULT_CAPTURE).absolute()
    require_writable(output)
    if is_launcher(module, script):
        return _launch(args, arguments, output)
    output = own_file(output)
    command = ("-m", *args.module) if module else tuple(args.program)
    session = Session(steps=args.steps, command=command, strict=args.strict)
    if sys.stderr.isatty() if args.progress is None else args.progress:
        session.progress = UnderWay(sys.stderr)
    process, stream = os.getpid(), sys.stderr
    if script is None:
        status = run_module(module, arguments, session, output)
    else:
        status = run_script(script, arguments, session, output)
    if os.getpid() == process:  # and not a fork of it
        _tell_of(session, stream, quiet=args.quiet)
    if session.interrupted:
        raise ProgramInterruptedError
    return status


def _tell_of(session: Session, stream: TextIO, *, quiet: bool) -> None:
    """What was found, and what became of the capture. The program may have closed the stream."""
    found = session.findings.all() if session.result is None else session.result.findings
    with suppress(OSError, ValueError):
        if session.unwritten is not None:
            complain(session.unwritten, "auto", stream)
        if not quiet:
            _tell(found, session.output, stream)


def _launch(args: argparse.Namespace, arguments: list[str], output: Path) -> int:
    """Have torch's launcher start the program with each rank recorded, and tell what all of them found."""
    from ...tracing.captures.merging import read_all
    from ...tracing.processes.launching import files_of_ranks, launch

    options = ["--steps", str(args.steps), *(["--strict"] if args.strict else [])]
    if args.progress is not None:
        options.append("--progress" if args.progress else "--no-progress")
    status = launch(arguments, options, output)
    if (files := files_of_ranks(output)) and not args.quiet:
        _tell(read_all(files).findings, output, sys.stderr)
    return status


def _module(given: list[str] | None) -> str:
    """What stands behind ``-m``, with the arguments of the program behind it; empty if there is no ``-m``."""
    if given == []:
        raise BadArgumentError(
            "nothing to run", why="no module was named behind -m", fix="tensorcopy run -m module arguments..."
        )
    return given[0] if given else ""


def _script(program: list[str]) -> str:
    if not program:
        raise BadArgumentError(
            "nothing to run", why="no script was named", fix="tensorcopy run script.py, or tensorcopy run -m module"
        )
    if not os.path.isfile(program[0]):
        raise BadArgumentError(
            f"cannot run {program[0]!r}", why="there is no such file", fix="name a Python script, or a module with -m"
        )
    return program[0]


def _tell(found: Sequence[Finding], output: Path | None, stream: TextIO) -> None:
    from ..underway import counted

    errors = sum(f.level == "error" for f in found)
    lines = [f"{f.place.file}:{f.place.line}: {f.code} {f.name}: {f.message}" for f in found[:_MOST_TOLD]]
    counts = f"{counted(errors, 'error')} and {counted(len(found) - errors, 'warning')}"
    more = f"tensorcopy view {shlex.quote(str(output))} shows more" if output else "the capture is lost"
    lines.append(f"tensorcopy: {counts}; {more}")
    print("\n".join(map(visible, lines)), file=stream)
