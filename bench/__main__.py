"""Run the benchmarks: ``python -m bench [GROUP ...] [--rounds N] [--only TEXT]``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from tensorcopy._discovery import modules_of

from . import groups, report
from .measure import Cell, measure


def cells(names: list[str], only: str) -> Iterator[Cell]:
    """The cells of the groups asked for, all of them by default."""
    for module in modules_of(groups):
        if not names or module.__name__.rpartition(".")[2] in names:
            yield from (cell for cell in module.CELLS if only in cell.name)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("groups", nargs="*", help="all when none is named")
    parser.add_argument("--rounds", type=int, default=7, help="how often the candidates take turns")
    parser.add_argument("--only", default="", help="cells whose name contains this text")
    args = parser.parse_args()
    print(report.machine(), flush=True)
    print(report.HEAD, flush=True)
    for cell in cells(args.groups, args.only):
        for row in report.rows(measure(cell, args.rounds)):
            print(row, flush=True)


if __name__ == "__main__":
    main()
