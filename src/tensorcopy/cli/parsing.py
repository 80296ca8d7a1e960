"""The command line as data: what all commands understand, and the choice of the command."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any, NoReturn

from .. import __version__
from .._discovery import modules_of
from ..errors import BadArgumentError
from ..reporting import format_names
from . import commands

PROGRAM = "tensorcopy"
_DESCRIPTION = "Copy, share and convert tensors on purpose."
_EXIT_CODES = "0 done, 2 wrong usage or an error"
_OUTPUT = "write there, whole or not at all; the suffix gives the format"


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are errors in three parts."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **options)
        self.color = False  # Python 3.14 would write escape sequences into the usage, which errors quote.

    def error(self, message: str) -> NoReturn:
        """Raise what argparse would print."""
        usage = " ".join(self.format_usage().split()).removeprefix("usage: ")
        raise BadArgumentError(message, why=f"it is called as {usage}", fix=f"see {self.prog} --help")


@cache
def all_commands() -> Mapping[str, ModuleType]:
    """The command modules by what users type."""
    return {module.NAME: module for module in modules_of(commands)}


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments, with the function of the command as ``run``.

    Raises:
        BadArgumentError: the arguments make no sense.
        SystemExit: after the help or the version was printed.
    """
    args = root_parser().parse_args(argv)
    command = _command(args.command)
    parser = Parser(prog=f"{PROGRAM} {command.NAME}", description=_sentence(command.SUMMARY), epilog=_epilog(command))
    command.add_arguments(parser)
    formats = () if hasattr(command, "OUTPUT") else (*format_names(), *getattr(command, "FORMATS", ()))
    _add_common(parser, formats, getattr(command, "OUTPUT", _OUTPUT))
    parser.parse_args(args.arguments, args)
    if args.output_format not in (None, *formats):
        choice = f"choose from {_listed(formats)}" if formats else f"{command.NAME} has no formats"
        parser.error(f"argument --output-format: invalid choice: {args.output_format!r} ({choice})")
    args.run = command.run
    return args


def root_parser() -> Parser:
    """The parser of what stands before the command, and of nothing behind it."""
    width = max(map(len, all_commands()))
    listed = "\n".join(f"  {name:<{width}}  {module.SUMMARY}" for name, module in all_commands().items())
    parser = Parser(
        prog=PROGRAM,
        usage=f"{PROGRAM} [options] COMMAND ...",
        description=f"{_DESCRIPTION}\n\ncommands:\n{listed}",
        epilog=f"{PROGRAM} COMMAND --help tells more, with examples.",
    )
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    _add_common(parser, format_names(), _OUTPUT)
    parser.add_argument("command", metavar="COMMAND", help=argparse.SUPPRESS)
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


def _epilog(command: ModuleType) -> str:
    examples = "\n".join(f"  {line}" for line in command.EXAMPLES)
    return f"examples:\n{examples}\n\nexit codes: {getattr(command, 'EXIT_CODES', _EXIT_CODES)}"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _add_common(parser: Parser, formats: Sequence[str], output: str) -> None:
    """The options that stand before the command or behind it; argparse keeps those that the namespace already has."""
    group = parser.add_argument_group("output")
    if formats:
        group.add_argument("--output-format", metavar="FORMAT", help=f"{_listed(formats)}; text if not given")
    group.add_argument("-o", "--output", metavar="FILE", help=output)
    group.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="colours in text")
    group.add_argument("--traceback", action="store_true", help="where a bug of tensorcopy itself came from")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def _command(name: str) -> ModuleType:
    found = all_commands().get(name)
    if found is None:
        from difflib import get_close_matches

        close = get_close_matches(name, all_commands(), n=1)
        fix = f"did you mean {PROGRAM} {close[0]}?" if close else f"see {PROGRAM} --help"
        raise BadArgumentError(
            f"unknown command {name!r}", why=f"the commands are: {_listed(tuple(all_commands()))}", fix=fix
        )
    return found
