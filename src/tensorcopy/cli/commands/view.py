"""``tensorcopy view``: look at what ``tensorcopy run`` recorded. Needs neither torch nor NumPy."""

from __future__ import annotations

import argparse

NAME = "view"
SUMMARY = "show what tensorcopy run recorded"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The captures."""
    parser.epilog = (
        "examples:\n  tensorcopy view tensorcopy.capture\n  tensorcopy view rank0.capture rank1.capture\n"
        f"  tensorcopy view folder-of-captures -o report.html\n\n{parser.epilog}"
    )
    what = "files that tensorcopy run wrote, or folders of such files; several are merged"
    parser.add_argument("captures", metavar="CAPTURE", nargs="+", help=what)


def run(args: argparse.Namespace) -> int:
    """Show the captures; 1 if they hold findings.

    Raises:
        BadArgumentError: a file can't be read or is no capture, or the report would replace it.
    """
    from ...tracing.merging import read_all
    from ...tracing.reporting import findings_json, report_of
    from ..showing import keep_apart, put, show

    keep_apart(args.captures, args.output)
    capture = read_all(args.captures)
    if args.output_format == "json":
        put(lambda medium: findings_json(capture), args, follows_terminal=False)
    else:
        show(report_of(capture), args)
    return int(bool(capture.findings))
