"""The command ``tensorcopy``: chooses the command, and turns what happens into output and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress

from .. import __version__
from ..errors import TensorcopyError
from .endings import ProgramInterruptedError
from .parsing import parse, root_parser
from .showing import abandon_stdout, complain, complain_of_bug, unprintable

ERROR, INTERRUPTED, BROKEN_PIPE = 2, 130, 141
"""Wrong usage or an error; and, as shells write it, ended by Ctrl-C or because the reader of the pipe went away."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line *argv*, that of the process by default, and return the exit code.

    Raises:
        KeyboardInterrupt: Ctrl-C has ended the program that was run; nothing else is raised.
    """
    given = sys.argv[1:] if argv is None else list(argv)
    try:
        code = _run(given)
        _flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except ProgramInterruptedError:
        # The program's traceback has been shown. Python ends itself by the signal when this arrives.
        sys.excepthook = lambda *_: None
        raise KeyboardInterrupt from None
    except BrokenPipeError:
        abandon_stdout()
        return BROKEN_PIPE
    except OSError as error:
        complain(unprintable(error), "auto")
        return ERROR
    return code


def _flush() -> None:
    """Write what waits to be printed. A program that was run may have closed the stream."""
    with suppress(ValueError):
        sys.stdout.flush()


def _run(given: list[str]) -> int:
    if not given:
        root_parser().print_help(sys.stderr)
        return ERROR
    color = "auto"
    try:
        args = parse(given)
        color = args.color
        return int(args.run(args))
    except SystemExit as asked:
        return int(asked.code or 0)
    except TensorcopyError as error:
        complain(error, color)
    except BrokenPipeError:
        raise
    except Exception as error:
        _report_bug(error, given)
    return ERROR


def _report_bug(error: Exception, given: list[str]) -> None:
    if "--traceback" in given:
        import traceback

        traceback.print_exception(error)
    complain_of_bug(error, __version__)
