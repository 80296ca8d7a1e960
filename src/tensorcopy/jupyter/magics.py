"""The magics ``%%copies`` and ``%copies``."""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class, needs_local_scope
from IPython.core.magic_arguments import argument, magic_arguments
from IPython.display import display

from ..tracing.hooks.notebooks import cell_name
from ..tracing.tracing import trace
from .cells import Program, program_of_cell, program_of_line

# Each word with the space behind it, so that an expression can be put together again as it was.
_WORDS = re.compile(r"\S+\s*")


_OPTIONS = (
    argument("--steps", type=int, default=3, metavar="N", help="optimizer steps to follow in full; 3 if not given"),
    argument("--strict", action="store_true", help="make arrays read-only while a tensor shares their memory"),
    argument("--to", metavar="NAME", help="keep the recording in this variable, for .capture and .report()"),
    argument("--quiet", action="store_true", help="show no report"),
    argument("expression", nargs=argparse.REMAINDER, help="what %%copies on a line of its own is to run"),
)


def _with_options(function: Any) -> Any:
    """*function* as a magic for lines and cells that takes the options."""
    magic = line_cell_magic(function)
    for option in reversed(_OPTIONS):
        magic = option(magic)
    return needs_local_scope(magic_arguments()(magic))


class CopyMagics(Magics):  # type: ignore[misc]
    """What a shell learns from ``%load_ext tensorcopy``."""

    @_with_options
    def copies(self, line: str, cell: str | None = None, local_ns: dict[str, Any] | None = None) -> Any:
        """Run the cell, or the expression behind %copies, and show copies, alias hazards and lost gradients by line.

        Variables, output, the value of the last expression and exceptions are what they are without it. The value of
        %copies is that of its expression.
        """
        __tracebackhide__ = True
        options, expression = _parsed(self.copies, line)
        if (cell is None) is not bool(expression):
            raise UsageError(_misuse(cell, expression))
        if options.to is not None and not options.to.isidentifier():
            raise UsageError(f"--to {options.to}: a variable can't be called so; name one, like --to recording")
        shell = self.shell
        program = program_of_line(shell, expression) if cell is None else program_of_cell(shell, line, cell)
        return self._record(program, options, local_ns)

    def _record(self, program: Program, options: argparse.Namespace, scope: dict[str, Any] | None) -> Any:
        __tracebackhide__ = True
        recorder = trace(steps=options.steps, strict=options.strict)
        try:
            with recorder:
                return program.run(self.shell, scope)
        finally:
            recorder.capture = replace(recorder.capture, command=(cell_name(program.file),))
            if options.to is not None:
                self.shell.user_ns[options.to] = recorder
            if not options.quiet:
                display(recorder)


magics_class(CopyMagics)


def _parsed(magic: Any, line: str) -> tuple[argparse.Namespace, str]:
    """The options, and the expression behind them exactly as it was written."""
    words = _WORDS.findall(line)
    options = magic.parser.parse_args([word.rstrip() for word in words])
    return options, "".join(words[len(words) - len(options.expression) :])


def _misuse(cell: str | None, expression: str) -> str:
    if cell is None:
        return "%copies runs what stands behind it: %copies model(x); for a whole cell write %%copies on its first line"
    return f"%%copies runs the lines below it, and does not know what to do with {expression!r} on its own line"
