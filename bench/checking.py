"""What ``tensorcopy check`` costs: ``python -m bench checking FOLDER ... [--rounds N] [--torchfix COMMAND]``.

Every figure is CPU time, user and system, of a process of its own on one core, and the candidates take turns. *parse*
reads and parses the same files and does nothing else; *cold* has no cache; *warm* has the one that it just made.
*start* is a check of three lines with a finding, which loads all rules; start-up is what it takes above Python itself.
All find their modules compiled, as after an installation. TorchFix is run with one process, where a command is given.
"""

from __future__ import annotations

import argparse
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tensorcopy.linting.collecting import EXCLUDED, Exclusion, collect

_PARSE = """
import ast, gc, sys, warnings
gc.disable()
warnings.simplefilter("ignore")
for name in sys.stdin.read().split("\\0"):
    try:
        ast.parse(open(name, "rb").read())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        pass
"""


_SHORT_RUNS = 5
"""How often what takes no time has its turn, each time."""
_SMALL = "import torch\n\nx = torch.tensor(torch.zeros(3))\n"


@dataclass(slots=True, kw_only=True)
class Candidate:
    """A command, what it reads, and what its runs cost: CPU seconds each, and the largest memory in MB."""

    name: str
    command: Sequence[str]
    text: str = ""
    variables: Mapping[str, str] | None = None
    seconds: list[float] = field(default_factory=list)
    memory: float = 0.0

    def run(self) -> None:
        """Run it once more."""
        with tempfile.TemporaryFile() as given:
            given.write(self.text.encode("utf-8", "surrogateescape"))
            given.seek(0)
            quiet = subprocess.DEVNULL
            process = subprocess.Popen(self.command, stdin=given, stdout=quiet, stderr=quiet, env=self.variables)
            _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            raise SystemExit(f"{shlex.join(self.command[:6])} ended with code {process.returncode}")
        self.seconds.append(used.ru_utime + used.ru_stime)
        self.memory = max(self.memory, used.ru_maxrss / 1024)

    @property
    def best(self) -> float:
        """The cheapest run."""
        return min(self.seconds)

    @property
    def spread(self) -> float:
        """Median of the runs over the cheapest."""
        return statistics.median(self.seconds) / self.best


def candidates(folders: Sequence[str], files: Sequence[str], scratch: str, torchfix: str) -> dict[str, Candidate]:
    """What is measured, by name, in the order of its turns."""
    small = os.path.join(scratch, "small")
    os.mkdir(small)
    Path(small, "small.py").write_text(_SMALL)
    check = [sys.executable, "-m", "tensorcopy", "check", "--isolated", "-j1", "--exit-zero"]
    kept = ["--cache-dir", os.path.join(scratch, "cache")]
    commands = {
        "python": [sys.executable, "-c", "pass"],
        "start": [*check, "--no-cache", small],
        "parse": [sys.executable, "-c", _PARSE],
        "cold": [*check, "--no-cache", *folders],
        "fill": [*check, *kept, *folders],
        "warm": [*check, *kept, *folders],
    }
    if torchfix:
        commands["TorchFix"] = [*shlex.split(torchfix), "-j1", *folders]
        Candidate(name="compiling", command=[*shlex.split(torchfix), "-j1", small], variables=_compiled(scratch)).run()
    Candidate(name="compiling", command=commands["start"], variables=_compiled(scratch)).run()
    texts = {"parse": "\0".join(files)}
    return {
        name: Candidate(name=name, command=command, text=texts.get(name, ""), variables=_compiled(scratch))
        for name, command in commands.items()
    }


def _compiled(scratch: str) -> dict[str, str]:
    """Variables with which Python keeps what it compiled, out of everybody's way."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": os.path.join(scratch, "compiled")}


def table(measured: dict[str, Candidate], lines: int) -> list[str]:
    """What was measured, as rows for people."""
    python, parse, cold = (measured[name] for name in ("python", "parse", "cold"))
    start = 1000 * (measured["start"].best - python.best)
    rows = [f"start-up above Python's own: {start:.0f} ms (spread x{measured['start'].spread:.2f})"]
    for name in ("parse", "cold", "warm", "TorchFix"):
        if name in measured:
            one = measured[name]
            rate = lines / one.best
            rows.append(
                f"{name:<9} {one.best:8.2f} s  x{one.spread:.2f}  {rate:>12,.0f} lines/s  {one.memory:6.0f} MB"
                f"  {one.best / cold.best:7.2f} of cold"
            )
    rows.append(
        f"cold, without start-up, is {(cold.best - measured['start'].best) / (parse.best - python.best):.2f} parses"
    )
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench checking", description=__doc__)
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=3, help="how often the candidates take turns")
    parser.add_argument("--torchfix", default="", help="the command that runs TorchFix")
    args = parser.parse_args(arguments)
    files = collect(args.folders, Exclusion(EXCLUDED)).files
    lines = sum(Path(file).read_bytes().count(b"\n") for file in files)
    print(f"{len(files):,} files, {lines:,} lines", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        measured = candidates(args.folders, files, scratch, args.torchfix)
        for _ in range(args.rounds):
            for candidate in measured.values():
                for _ in range(_SHORT_RUNS if candidate.name in ("python", "start") else 1):
                    candidate.run()
    print("\n".join(table(measured, lines)))
    from bench.report import machine  # it loads torch, and children count the memory of the process that started them

    print(machine())


if __name__ == "__main__":
    main()
