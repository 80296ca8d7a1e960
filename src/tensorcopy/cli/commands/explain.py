"""``tensorcopy explain``: what an operation does, from the catalogue. Needs neither torch nor NumPy."""

from __future__ import annotations

import argparse
from contextlib import suppress

from ...errors import BadArgumentError

NAME = "explain"
SUMMARY = "what an operation does to memory, to the graph and to values"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The operation to explain, or the wish for a list."""
    parser.epilog = (
        'examples:\n  tensorcopy explain torch.as_tensor\n  tensorcopy explain "x.detach().clone()"\n'
        f"  tensorcopy explain --list\n\n{parser.epilog}"
    )
    parser.add_argument("words", metavar="OPERATION", nargs="*", help='a name or a call: torch.as_tensor, "x.clone()"')
    parser.add_argument("--list", action="store_true", help="all operations by family")
    parser.add_argument("--all", action="store_true", help="everything, also where a name has many meanings")


def run(args: argparse.Namespace) -> int:
    """Show what the catalogue knows.

    Raises:
        BadArgumentError: nothing was named, or nothing of that name is known.
    """
    from ...catalogue import find
    from ...reporting.operations import list_report, operation_report
    from ..showing import show

    asked = " ".join(args.words)
    if args.list:
        show(list_report(), args)
        return 0
    found = find(asked) if asked else ()
    if not found:
        raise _unknown(asked)
    show(operation_report(found, asked, releases=_installed(), full=args.all), args)
    return 0


def _installed() -> dict[str, str]:
    """The releases of torch and NumPy at hand, by what their installers wrote down. Loads neither."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in ("torch", "numpy"):
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def _unknown(asked: str) -> BadArgumentError:
    from ...catalogue import operations
    from ...reporting.operations import closest

    if not asked:
        return BadArgumentError(
            "nothing to explain",
            why="no operation was named",
            fix="name one, or list them all: tensorcopy explain --list",
        )
    close = closest(asked)
    meant = f"did you mean {' or '.join(close)}? " if close else ""
    return BadArgumentError(
        f"no operation is known as {asked!r}",
        why=f"the catalogue has {len(operations())} operations, none by that name",
        fix=f"{meant}tensorcopy explain --list shows all",
    )
