"""Run the benchmarks: ``python -m bench [GROUP ...] [--rounds N] [--only TEXT] [--one-thread]``.

``python -m bench checking FOLDER ...`` measures `tensorcopy check`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from tensorcopy._discovery import modules_of

from . import checking, groups, report
from .measure import Cell, count_one_thread, measure


def cells(names: list[str], only: str) -> Iterator[Cell]:
    """The cells of the groups asked for, all of them by default."""
    for module in modules_of(groups):
        if not names or module.__name__.rpartition(".")[2] in names:
            yield from (cell for cell in module.CELLS if only in cell.name)


def own_lines(names: list[str], rounds: int, only: str) -> Iterator[str]:
    """What the groups print that measure in a way of their own."""
    for module in modules_of(groups):
        if hasattr(module, "lines") and (not names or module.__name__.rpartition(".")[2] in names):
            yield from module.lines(rounds, only)


def main() -> None:
    """Measure and print."""
    if sys.argv[1:2] == ["checking"]:
        checking.main(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("groups", nargs="*", help="all when none is named")
    parser.add_argument("--rounds", type=int, default=7, help="how often the candidates take turns")
    parser.add_argument("--only", default="", help="cells whose name contains this text")
    parser.add_argument("--one-thread", action="store_true", help="processor time of one thread, for a busy machine")
    args = parser.parse_args()
    if args.one_thread:
        count_one_thread()
    print(report.machine(), flush=True)
    for line in own_lines(args.groups, args.rounds, args.only):
        print(line, flush=True)
    for number, cell in enumerate(cells(args.groups, args.only)):
        if number == 0:
            print(report.HEAD, flush=True)
        for row in report.rows(measure(cell, args.rounds)):
            print(row, flush=True)


if __name__ == "__main__":
    main()
