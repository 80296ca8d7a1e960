"""``tensorcopy compact``: a checkpoint without the bytes that no tensor uses. Needs neither torch nor NumPy."""

from __future__ import annotations

import argparse

NAME = "compact"
SUMMARY = "write a checkpoint anew, without the bytes that no tensor uses"
EXAMPLES = (
    "tensorcopy compact model.pt small.pt",
    "tensorcopy compact --force model.pt model.pt",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The two files."""
    parser.add_argument("source", metavar="IN", help="a checkpoint of torch.save; it is only read")
    parser.add_argument("target", metavar="OUT", help="where to write; compared with IN before it is put in place")
    parser.add_argument("--force", action="store_true", help="replace OUT if it exists; it may be IN")


def run(args: argparse.Namespace) -> int:
    """Write the file and say what that saved.

    Raises:
        BadArgumentError: a file cannot be read or written, or OUT exists.
        BadFileError: IN is damaged, would run code when loaded, or is of another format.
    """
    from ...inspection.files import compact_file
    from ..showing import keep_apart, show

    keep_apart([args.source, args.target], args.output)
    show(compact_file(args.source, args.target, overwrite=args.force).report(), args)
    return 0
