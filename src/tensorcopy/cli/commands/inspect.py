"""``tensorcopy inspect``: what a file of tensors shares and drags along. Needs neither torch nor NumPy."""

from __future__ import annotations

import argparse

NAME = "inspect"
SUMMARY = "what a file of tensors shares and drags along; loads and runs nothing"
EXAMPLES = (
    "tensorcopy inspect model.pt",
    "tensorcopy inspect model.safetensors --output-format json",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The file, and whether to leave nothing out."""
    parser.add_argument(
        "file", metavar="FILE", help="a checkpoint of torch.save, safetensors, npz or npy; told apart by their bytes"
    )
    parser.add_argument("--all", action="store_true", help="every tensor and every storage, however many")


def run(args: argparse.Namespace) -> int:
    """Show what the file holds.

    Raises:
        BadArgumentError: it cannot be read.
        BadFileError: it is of no known format, damaged, or would run code when loaded.
    """
    from ...inspection.files import inspect_file
    from ..showing import keep_apart, show

    keep_apart([args.file], args.output)
    show(inspect_file(args.file).report(full=args.all), args)
    return 0
