"""The files by which other tools call the linter: what they call exists and takes what it is given."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tensorcopy.cli.parsing import parse
from tensorcopy.linting.formats import names

ROOT = Path(__file__).parents[1]
HOOKS = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
ACTION = (ROOT / "action.yml").read_text(encoding="utf-8")
ENTRIES = re.findall(r"^  entry: (.+)$", HOOKS, re.M)


def test_there_is_a_hook_that_checks_and_one_that_fixes() -> None:
    assert re.findall(r"^- id: (.+)$", HOOKS, re.M) == ["tensorcopy-check", "tensorcopy-fix"]
    assert [("--fix" in entry.split()) for entry in ENTRIES] == [False, True]


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_hook_is_a_command_that_takes_files(entry: str) -> None:
    program, *arguments = shlex.split(entry)
    args = parse([*arguments, "a.py", "b.ipynb"])
    assert (program, args.paths, args.force_exclude) == ("tensorcopy", ["a.py", "b.ipynb"], True)


def test_the_action_calls_the_command_with_a_format_that_exists() -> None:
    called = re.search(r"bin/tensorcopy\" check (.+)$", ACTION, re.M)
    assert called is not None
    assert called[1] == '--output-format "$FORMAT" "${arguments[@]}" "${paths[@]}"'
    assert re.search(r"^    default: github$", ACTION, re.M)
    assert {"github", "sarif"} <= set(names())


def test_no_input_of_the_action_is_pasted_into_a_script() -> None:
    for script in re.findall(r"^      run: \|\n((?:        .*\n)+)", ACTION, re.M):
        assert "${{" not in script


def test_the_action_takes_paths_on_lines_of_their_own(tmp_path: Path) -> None:
    script = re.findall(r"^      run: \|\n((?:        .*\n)+)", ACTION, re.M)[-1]
    program = tmp_path / "tensorcopy" / "bin" / "tensorcopy"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\necho "$@"\n')
    program.chmod(0o755)
    inputs = {"PATHS": "src\ntests  tools\n", "ARGUMENTS": "", "FORMAT": "github", "OUTPUT": ""}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        env={"PATH": os.environ["PATH"], "RUNNER_TEMP": str(tmp_path), **inputs},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("check --output-format github src tests tools\n", "", 0)


def test_the_language_server_is_a_script_of_the_project() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '\ntensorcopy-lsp = "tensorcopy.lsp:main"\n' in project
    assert '\nlsp = ["pygls>=2"]\n' in project
