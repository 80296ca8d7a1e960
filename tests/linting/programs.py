"""Check a program given as text, apply its fixes, and run it."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import warnings
from functools import cache

from tensorcopy.linting.flow import findings_in, project_of
from tensorcopy.linting.flow.project import Project
from tensorcopy.linting.model import Edit, Finding, Level
from tensorcopy.linting.rules import modules
from tensorcopy.linting.sources import Source


@cache
def every_rule() -> Project:
    """All rules, listening."""
    return project_of(modules())


def found_in(program: str) -> list[Finding]:
    """What all rules find in a program, notes included."""
    return findings_in(Source(name="program.py", text=program, tree=ast.parse(program)), every_rule())


def codes_in(program: str, *, notes: bool = True) -> list[str]:
    """The codes found in a program, in the order of their places."""
    return [f.code for f in found_in(program) if notes or f.level is not Level.NOTE]


def lines_of(code: str, program: str) -> list[int]:
    """The lines on which one rule finds something."""
    return [f.place.line for f in found_in(program) if f.code == code]


def marked_lines(program: str) -> list[int]:
    """The lines of a program on which its author expects a finding: those that end in ``# here``."""
    return [i for i, line in enumerate(program.splitlines(), start=1) if line.endswith("# here")]


def edited(program: str, edits: list[Edit]) -> str:
    """The program with some spans replaced, the last first."""
    lines = program.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    for edit in sorted(set(edits), reverse=True):
        start, end = starts[edit.line - 1] + edit.column - 1, starts[edit.end_line - 1] + edit.end_column - 1
        program = program[:start] + edit.text + program[end:]
    return program


def mended(program: str, code: str) -> str:
    """The program after the safe fixes of one rule."""
    fixes = [f.fix for f in found_in(program) if f.code == code and f.fix is not None and f.fix.safe]
    return edited(program, [edit for fix in fixes for edit in fix.edits])


def printed_by(program: str) -> str:
    """What a program prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(program, "program.py", "exec"), {"__name__": "program"})
    return out.getvalue()


def cases(text: str) -> dict[str, str]:
    """Programs written one below the other, each under a line ``--- its name``."""
    parts = re.split(r"^--- (.+)\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))
