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


def _names_both_places(finding: Finding, program: Program) -> bool:
    place, others = finding.place.line, {spot.line for spot in finding.related}
    if place not in program.fault | program.related:
        return False
    return not program.related or bool(others & (program.fault | program.related))


@pytest.mark.parametrize("path", CLEAN, ids=[p.stem for p in CLEAN])
def test_a_clean_training_program_is_silent(path: Path, tmp_path: Path) -> None:
    capture = traced(path.read_text(encoding="utf-8"), tmp_path)

    assert (capture.ended, capture.limits, capture.findings) == ("normally", (), ())


@pytest.mark.parametrize("path", FAULTY, ids=[p.stem for p in FAULTY])
def test_a_fault_is_found_with_both_its_lines(path: Path, tmp_path: Path) -> None:
    program = marked(path.read_text(encoding="utf-8"))
    findings = traced(program.text, tmp_path).findings

    assert any(_names_both_places(f, program) for f in findings), findings
    assert [f for f in findings if f.name in DRAWN and (f.memory is None or not f.memory.parts)] == []


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
