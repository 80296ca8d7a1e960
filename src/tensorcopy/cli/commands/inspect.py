"""``tensorcopy inspect``: what a file of tensors shares and drags along. Needs neither torch nor NumPy."""

from __future__ import annotations

import argparse

NAME = "inspect"
SUMMARY = "what a file of tensors shares and drags along, without loading it or running its code"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The file, and whether to leave nothing out."""
    parser.epilog = (
        "examples:\n  tensorcopy inspect model.pt\n  tensorcopy inspect model.safetensors --output-format json\n\n"
        f"formats: checkpoints of torch.save, safetensors, npz, npy; told apart by their bytes\n{parser.epilog}"
    )
    parser.add_argument("file", metavar="FILE", help="a checkpoint or a file of arrays")
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
