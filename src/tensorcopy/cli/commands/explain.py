"""``tensorcopy explain``: an operation, or a pasted warning or error, from the catalogue. Needs no torch, no NumPy."""

from __future__ import annotations

import argparse
import re
import sys
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from ...errors import BadArgumentError

if TYPE_CHECKING:
    from ...reporting import Report

NAME = "explain"
SUMMARY = "what an operation, a warning or an error of torch or NumPy means"
EXAMPLES = (
    "tensorcopy explain torch.as_tensor",
    'tensorcopy explain "x.detach().clone()"',
    'tensorcopy explain "a leaf Variable that requires grad is being used in an in-place operation"',
    "tensorcopy explain TCY301",
    "tensorcopy explain --list",
    "python train.py 2>&1 | tensorcopy explain -",
)
_LONGEST = 1 << 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to explain, or the wish for a list."""
    what = 'a name or a call: torch.as_tensor, "x.clone()"; a finding: TCY301, TCY601; or a pasted warning or traceback'
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
    """Of a code or a name that ``tensorcopy check`` or ``run`` prints; all that goes by that name is told."""
    from ...linting.pages import rule_report

    rule, kind = rule_report(asked), _kind(asked)
    first = rule or kind
    if first is None:
        return None
    told = [("While a program runs", kind)] if rule and kind else []
    told += [("The message", message)] if (message := _message(asked, full=full)) else []
    return _with(first, told)


def _kind(asked: str) -> Report | None:
    """Loads the kinds only for what may be one."""
    if not re.fullmatch(r"tcy6\d\d|[a-z]+(-[a-z0-9]+)*", asked.strip(), re.IGNORECASE):
        return None
    from ...tracing.kinds import kind_report

    return kind_report(asked)


def _with(first: Report, others: list[tuple[str, Report]]) -> Report:
    """A report with others as its last sections."""
    from ...reporting import Section

    more = tuple(Section(title=f"{what}: {r.title}", lead=r.lead, blocks=r.blocks) for what, r in others)
    data = dict(item for _, report in reversed(others) for item in report.data.items())
    return replace(first, blocks=(*first.blocks, *more), data={**data, **first.data})


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
