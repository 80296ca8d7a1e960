"""Lint whole repositories, and hold the findings against a reader's verdicts: ``python -m bench.evaluate FOLDER ...``.

Each folder is one repository: its imports are followed inside it, its settings and caches are not used. Nothing is
fetched. Verdicts are a table of ``repository file line code verdict reason``, separated by tabs; a finding without one
is counted as unread, and ``--unread`` lists those.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tensorcopy.linting.analysis import shipped
from tensorcopy.linting.model import Finding, Level
from tensorcopy.linting.outcome import Outcome
from tensorcopy.linting.request import Request, Session
from tensorcopy.linting.settings import Settings

VERDICTS = Path(__file__).with_name("verdicts.tsv")
COLUMNS = ("right", "arguable", "wrong", "unread")
Key = tuple[str, str, int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """What the linter made of one folder, and the CPU seconds that it took."""

    name: str
    outcome: Outcome
    seconds: float

    def gated(self) -> Iterator[tuple[Key, Finding]]:
        """Its findings that gate, each with what a verdict is kept under."""
        for finding in self.outcome.findings:
            if finding.level is not Level.NOTE and not finding.code.startswith("TCY9"):
                yield (self.name, finding.place.file, finding.place.line, finding.code), finding


def linted(folder: Path) -> Repository:
    """The findings in all Python files below a folder, followed as one project in this process."""
    back = Path.cwd()
    os.chdir(folder)
    try:
        session = Session(Request(paths=["."], settings=Settings(), jobs=1, use_cache=False), shipped())
        session.analysis.start()
        start = time.process_time()
        outcome = session.outcome()
        return Repository(name=folder.name.replace("+", "/"), outcome=outcome, seconds=time.process_time() - start)
    finally:
        os.chdir(back)


def read_verdicts(file: Path) -> dict[Key, str]:
    """Each verdict by repository, file, line and code."""
    with file.open(encoding="utf-8", newline="") as opened:
        rows = csv.DictReader(opened, delimiter="\t")
        return {(r["repository"], r["file"], int(r["line"]), r["code"]): r["verdict"] for r in rows}


def table_of_repositories(repositories: Iterable[Repository]) -> Iterator[str]:
    """One row a repository: its size, what was found, and how fast."""
    yield "| repository | lines | lines/s | errors | warnings |"
    yield "|---|--:|--:|--:|--:|"
    for each in repositories:
        levels = Counter(finding.level for _, finding in each.gated())
        speed = each.outcome.lines / max(each.seconds, 1e-9)
        numbers = (each.outcome.lines, round(speed), levels[Level.ERROR], levels[Level.WARNING])
        yield f"| {each.name} | " + " | ".join(f"{number:,}" for number in numbers) + " |"


def table_of_rules(repositories: Iterable[Repository], verdicts: dict[Key, str]) -> Iterator[str]:
    """One row a rule: how many findings, and how a reader judged them; the last row is the sum."""
    counts: dict[str, Counter[str]] = {}
    for each in repositories:
        for key, finding in each.gated():
            verdict = verdicts.get(key, "unread")
            counts.setdefault(f"{finding.code} {finding.name}", Counter())[verdict] += 1
            counts.setdefault("~ together", Counter())[verdict] += 1
    yield "| rule | findings | " + " | ".join(COLUMNS) + " |"
    yield "|---" + "|--:" * (len(COLUMNS) + 1) + "|"
    for rule, count in sorted(counts.items()):
        numbers = (count.total(), *(count[column] for column in COLUMNS))
        yield f"| {rule.removeprefix('~ ')} | " + " | ".join(map(str, numbers)) + " |"


def unread(repositories: Iterable[Repository], verdicts: dict[Key, str]) -> Iterator[str]:
    """The findings without a verdict, as rows to be judged."""
    for each in repositories:
        for key, finding in each.gated():
            if key not in verdicts:
                yield "\t".join((*map(str, key), "", finding.message))


def main() -> None:
    """Lint and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.evaluate", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="one repository each")
    parser.add_argument("--verdicts", type=Path, default=VERDICTS, help="what a reader judged")
    parser.add_argument("--unread", action="store_true", help="list the findings without a verdict instead")
    args = parser.parse_args()
    verdicts = read_verdicts(args.verdicts)
    repositories = [linted(folder.resolve()) for folder in args.folders]
    if args.unread:
        print(*unread(repositories, verdicts), sep="\n")
        return
    print(*table_of_repositories(repositories), "", *table_of_rules(repositories, verdicts), sep="\n")


if __name__ == "__main__":
    main()
