"""``tensorcopy explain``: an operation, or a pasted warning or error, from the catalogue. Needs no torch, no NumPy."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from ...errors import BadArgumentError

if TYPE_CHECKING:
    from ...reporting import Report

NAME = "explain"
SUMMARY = "what an operation does to memory, graph and values; what a warning or error of torch or NumPy means"
_LONGEST = 1 << 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to explain, or the wish for a list."""
    parser.epilog = (
        'examples:\n  tensorcopy explain torch.as_tensor\n  tensorcopy explain "x.detach().clone()"\n'
        '  tensorcopy explain "a leaf Variable that requires grad is being used in an in-place operation"\n'
        "  python train.py 2>&1 | tensorcopy explain -\n  tensorcopy explain TCY301\n"
        f"  tensorcopy explain --list\n\n{parser.epilog}"
    )
    what = 'a name or a call: torch.as_tensor, "x.clone()"; a rule: TCY301; or a pasted warning, error or traceback'
    parser.add_argument("words", metavar="WHAT", nargs="*", help=f"{what}; - reads it from standard input")
    parser.add_argument("--list", action="store_true", help="all operations by family, and all messages by theme")
    parser.add_argument("--all", action="store_true", help="everything, also where a name has many meanings")


def run(args: argparse.Namespace) -> int:
    """Show what the catalogue knows.

    Raises:
        BadArgumentError: nothing was named, or nothing of that name is known.
    """
    from ...reporting.operations import list_report
    from ..showing import show

    if args.list:
        show(list_report(), args)
        return 0
    asked = _pasted() if args.words == ["-"] else " ".join(args.words)
    for explain in _EXPLAINERS:
        report = explain(asked, full=args.all) if asked.strip() else None
        if report is not None:
            show(report, args)
            return 0
    raise _unknown(asked)


def _pasted() -> str:
    """The end of standard input; what a program printed need not be text."""
    return sys.stdin.buffer.read()[-_LONGEST:].decode("utf-8", "replace")


def _message(asked: str, *, full: bool) -> Report | None:
    """Of a pasted text: first, because no name of an operation contains one."""
    from ...catalogue.messages import recognised
    from ...reporting.messages import messages_report

    found = recognised(asked)
    return messages_report(found) if found else None


def _part_of_message(asked: str, *, full: bool) -> Report | None:
    """Of a text that was cut off: last, because it may contain the name of an operation."""
    from ...catalogue.messages import containing
    from ...reporting.messages import messages_report

    found = containing(asked)
    return messages_report(found) if found else None


def _operation(asked: str, *, full: bool) -> Report | None:
    from ...catalogue import find
    from ...reporting.operations import operation_report

    found = find(asked)
    return operation_report(found, asked, releases=_installed(), full=full) if found else None


def _rule(asked: str, *, full: bool) -> Report | None:
    """Of a code or a name that ``tensorcopy check`` prints; a message of that name is told too."""
    from ...linting.pages import rule_report
    from ...reporting import Section

    rule = rule_report(asked)
    message = _message(asked, full=full) if rule else None
    if rule is None or message is None:
        return rule
    section = Section(title=f"The message: {message.title}", lead=message.lead, blocks=message.blocks)
    return replace(rule, blocks=(*rule.blocks, section), data={**rule.data, **message.data})


_EXPLAINERS = (_rule, _message, _operation, _part_of_message)
"""What is asked, in this order: each gives a report, or None for what is not its business."""


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
    from ...catalogue.messages import messages, nearest
    from ...reporting.operations import closest

    if not asked.strip():
        return BadArgumentError(
            "nothing to explain",
            why="no operation was named and no text was pasted",
            fix="name one, or list them all: tensorcopy explain --list",
        )
    close = [*closest(asked[:200]), *(message.name for message in nearest(asked))]
    meant = f"did you mean {' or '.join(close)}? " if close else ""
    shown = asked if len(asked) <= 200 else f"{asked[:100]}…{asked[-90:]}"
    return BadArgumentError(
        f"nothing is known as {' '.join(shown.split())!r}",
        why=f"the catalogue has {len(operations())} operations and {len(messages())} warnings and errors, none like it",
        fix=f"{meant}tensorcopy explain --list shows all",
    )
