"""``tensorcopy view``: look at what ``tensorcopy run`` recorded. Needs neither torch nor NumPy."""

from __future__ import annotations

import argparse

from .run import DEFAULT_CAPTURE

NAME = "view"
SUMMARY = "show what tensorcopy run recorded"
EXAMPLES = (
    "tensorcopy view",
    "tensorcopy view rank0.capture rank1.capture",
    "tensorcopy view folder-of-captures -o report.html",
)
EXIT_CODES = "0 clean, 1 findings, 2 wrong usage or an error"
FORMATS = ("perfetto", "sarif")
"""Beside those of reports; a test compares them with the folder of formats."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The captures."""
    what = f"files that tensorcopy run wrote, or folders of such files, merged; {DEFAULT_CAPTURE} if not given"
    parser.add_argument("captures", metavar="CAPTURE", nargs="*", default=[DEFAULT_CAPTURE], help=what)


def run(args: argparse.Namespace) -> int:
    """Show the captures; 1 if they hold findings.

    Raises:
        BadArgumentError: a file can't be read or is no capture, or the report would replace it.
    """
    from ...tracing.captures.merging import read_all
    from ...tracing.viewing.formats import name_for, render
    from ..showing import is_to_file, keep_apart, put

    keep_apart(args.captures, args.output)
    capture = read_all(args.captures)
    name = args.output_format or (name_for(args.output) if is_to_file(args) else None) or "text"
    put(lambda medium: render(capture, name, medium), args, follows_terminal=name == "text")
    return int(bool(capture.findings))
