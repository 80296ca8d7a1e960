"""``tensorcopy view``: look at what ``tensorcopy run`` recorded. Needs neither torch nor NumPy."""

from __future__ import annotations

import argparse

NAME = "view"
SUMMARY = "show what tensorcopy run recorded"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The capture."""
    parser.add_argument("capture", metavar="CAPTURE", help="a file that tensorcopy run wrote")


def run(args: argparse.Namespace) -> int:
    """Show the capture; 1 if it holds findings.

    Raises:
        BadArgumentError: the file can't be read or is no capture.
    """
    from ...tracing.capture import read
    from ...tracing.reporting import findings_json, report_of
    from ..showing import put, show

    capture = read(args.capture)
    if args.output_format == "json":
        put(lambda medium: findings_json(capture), args, follows_terminal=False)
    else:
        show(report_of(capture), args)
    return int(bool(capture.findings))
