"""Whole programs: training loops of many kinds are silent, faults are found, and their mended twins are silent.

In ``faulty/``, ``# fault`` marks the line that is to be reported, ``# related`` those that belong to it, and
``# -> code`` says what stands there once the fault is mended.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from tensorcopy.tracing.captures.capture import Finding
from tensorcopy.tracing.viewing.files import Files
from tensorcopy.tracing.viewing.rewriting import instead
from tensorcopy.tracing.viewing.rewriting.statements import statement_at
from tests.tracing.programs import traced

HERE = Path(__file__).parent
CLEAN = sorted((HERE / "clean").glob("*.py"))
FAULTY = sorted((HERE / "faulty").glob("*.py"))
_MARK = re.compile(r"^(?P<code>.*?)\s\s# (?P<what>fault|related)?\s*(?:-> (?P<mended>.*))?$")

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("capsys")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program with a fault, its twin without, and where it is to be found."""

    text: str
    mended: str
    fault: frozenset[int]
    related: frozenset[int]


# Hazards of memory, each with a picture of it.
DRAWN = {
    *("changing-snapshot", "shared-buffer-overwritten", "callers-memory-written", "readonly-memory-written"),
    *("expanded-memory-written", "overlapping-copy", "view-of-moved-memory", "restored-from-itself"),
    *("internal-buffer-returned", "shared-array-changed", "silent-gradient", "inplace-before-backward"),
    "kept-storage",
}


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
    torch.set_grad_enabled(True)


def marked(text: str) -> Program:
    """A program of ``faulty/``, taken apart."""
    lines: dict[str, list[str]] = {"text": [], "mended": []}
    marks: dict[str, set[int]] = {"fault": set(), "related": set()}
    for number, line in enumerate(text.splitlines(), start=1):
        found = _MARK.match(line)
        code, mended = (found["code"], found["mended"]) if found is not None else (line, None)
        lines["text"].append(code)
        lines["mended"].append(code if mended is None else line[: len(line) - len(line.lstrip())] + mended)
        if found is not None and found["what"]:
            marks[found["what"]].add(number)
    return Program(
        text="\n".join(lines["text"]) + "\n",
        mended="\n".join(lines["mended"]) + "\n",
        fault=frozenset(marks["fault"]),
        related=frozenset(marks["related"]),
    )


def in_a_function(text: str) -> str:
    """The same program with all its objects in a function, gone when it ends; its first line is line 2."""
    return f"def main():\n{textwrap.indent(text, '    ')}\n\nmain()\n"


# Its encoder is trained only after the steps that are followed in full.
WARMING_UP = in_a_function("""\
import time
net, head = nn.Linear(4, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
began = time.process_time()
turns = 0
while turns < 30:
    warming = time.process_time() - began < 5.5
    hidden = net(torch.ones(2, 4))
    if warming:
        hidden = hidden.detach()
    else:
        turns += 1
    optimizer.zero_grad()
    head(hidden).sum().backward()
    optimizer.step()
""")


def _names_both_places(finding: Finding, program: Program) -> bool:
    place, others = finding.place.line, {spot.line for spot in finding.related}
    if place not in program.fault | program.related:
        return False
    return not program.related or bool(others & (program.fault | program.related))


@pytest.mark.parametrize("path", CLEAN, ids=[p.stem for p in CLEAN])
def test_a_clean_training_program_is_silent(path: Path, tmp_path: Path) -> None:
    capture = traced(path.read_text(encoding="utf-8"), tmp_path)

    assert (capture.ended, capture.limits, capture.findings) == ("normally", (), ())


@pytest.mark.parametrize("path", CLEAN, ids=[p.stem for p in CLEAN])
def test_a_clean_program_is_silent_in_a_function_too(path: Path, tmp_path: Path) -> None:
    capture = traced(in_a_function(path.read_text(encoding="utf-8")), tmp_path)

    assert (capture.ended, capture.limits, capture.findings) == ("normally", (), ())


@pytest.mark.parametrize("path", FAULTY, ids=[p.stem for p in FAULTY])
def test_a_fault_is_found_with_both_its_lines(path: Path, tmp_path: Path) -> None:
    program = marked(path.read_text(encoding="utf-8"))
    findings = traced(program.text, tmp_path).findings

    assert any(_names_both_places(f, program) for f in findings), findings
    assert [f for f in findings if f.name in DRAWN and (f.memory is None or not f.memory.parts)] == []


# What is judged at the end needs what it is about: arrays and views that are gone by then tell nothing more.
_JUDGED_ALIVE = frozenset(("avoidable-copy", "changing-snapshot"))


@pytest.mark.parametrize("path", FAULTY, ids=[p.stem for p in FAULTY])
def test_a_fault_is_found_in_a_function_too(path: Path, tmp_path: Path) -> None:
    program = marked(path.read_text(encoding="utf-8"))
    found = {(f.name, f.place.line) for f in traced(program.text, tmp_path).findings if f.name not in _JUDGED_ALIVE}
    within = traced(in_a_function(program.text), tmp_path)

    assert within.ended == "normally" or within.findings
    assert found <= {(f.name, f.place.line - 1) for f in within.findings}


def test_a_gradient_that_comes_late_is_none_that_is_cut(tmp_path: Path) -> None:
    capture = traced(WARMING_UP, tmp_path, steps=0)

    assert any("only copies were counted" in limit for limit in capture.limits)
    assert capture.findings == ()


@pytest.mark.parametrize("path", FAULTY, ids=[p.stem for p in FAULTY])
def test_its_mended_twin_is_silent(path: Path, tmp_path: Path) -> None:
    program = marked(path.read_text(encoding="utf-8"))
    capture = traced(program.mended, tmp_path)

    assert (capture.ended, capture.limits, capture.findings) == ("normally", (), ())


@pytest.mark.parametrize("path", FAULTY, ids=[path.stem for path in FAULTY])
def test_what_is_to_be_written_mends_the_program(path: Path, tmp_path: Path) -> None:
    text = "import copy\nimport numpy as np\nimport torch\nfrom torch import nn\n" + marked(path.read_text()).text
    capture = traced(text, tmp_path)
    for finding in capture.findings:
        new, place = instead(finding, Files.of(capture).text), finding.place
        statement = statement_at(text, place.line)
        if not new or statement is None:
            continue
        lines = text.split("\n")
        first, last = statement.node.lineno, statement.last
        lines[first - 1 : last] = textwrap.indent(new, " " * statement.node.col_offset).split("\n")
        mended = traced("\n".join(lines), tmp_path)

        assert (finding.name, place.line) not in [(f.name, f.place.line) for f in mended.findings]
        assert mended.ended in ("normally", capture.ended)
