"""The command line as a whole: exit codes, errors in three lines, pipes, what is loaded."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tensorcopy import __version__
from tensorcopy.cli import commands
from tensorcopy.cli.main import main
from tensorcopy.cli.parsing import all_commands, parse
from tensorcopy.errors import CannotShareError
from tests.cli.commanding import SOURCE, environment, run

Add = Callable[..., None]


@pytest.fixture
def add(monkeypatch: pytest.MonkeyPatch) -> Add:
    """Adds a command ``probe`` that runs a function."""

    def adding(body: Callable[[argparse.Namespace], int], **more: object) -> None:
        module = ModuleType("probe")
        facts = {
            "NAME": "probe",
            "SUMMARY": "a probe",
            "EXAMPLES": (),
            "add_arguments": lambda parser: None,
            "run": body,
            **more,
        }
        vars(module).update(facts)
        monkeypatch.setattr("tensorcopy.cli.parsing.all_commands", lambda: {**all_commands(), "probe": module})

    return adding


def test_the_commands_are_the_files_of_the_folder() -> None:
    files = {path.stem for path in Path(commands.__path__[0]).glob("[!_]*.py")}
    assert {module.__name__.rpartition(".")[2] for module in all_commands().values()} == files


@pytest.mark.parametrize("name", all_commands())
def test_every_command_has_a_line_and_a_help_of_its_own(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert re.match(rf"usage: tensorcopy {name} \[-h\]", shown)
    summary = all_commands()[name].SUMMARY
    assert f"{summary[1:]}. positional arguments: " in shown
    assert re.search(r"exit codes: (0 done|0 clean, 1 findings|those of the program).* 2 w", shown)
    assert main(["--help"]) == 0
    assert f"{name}  {summary}" in re.sub(" {2,}", "  ", capsys.readouterr().out)


def test_the_list_of_commands_fits_a_terminal_of_eighty_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert [line for line in capsys.readouterr().out.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("line", [line for command in all_commands().values() for line in command.EXAMPLES])
def test_every_example_of_a_help_text_is_understood(line: str) -> None:
    arguments = shlex.split(line.rpartition("tensorcopy ")[2])
    assert parse(arguments).command == arguments[0]


def test_no_arguments_get_help_on_the_error_stream(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("usage: tensorcopy [options] COMMAND ...\n")


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"tensorcopy {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (
            ["explian", "x"],
            ["error: unknown command 'explian'", "the commands are: .*explain", "did you mean tensorcopy explain[?]"],
        ),
        (["frob"], ["error: unknown command 'frob'", "the commands are: .*explain", "see tensorcopy --help"]),
        (
            ["--frob", "explain"],
            ["error: unrecognized arguments: --frob", "it is called as tensorcopy .*COMMAND", "see tensorcopy --help"],
        ),
        (
            ["explain", "--frob"],
            [
                "error: unrecognized arguments: --frob",
                "it is called as tensorcopy explain .-h",
                "see tensorcopy explain --help",
            ],
        ),
        (
            ["explain", "clone", "--output-format", "x\ty"],
            [r"error: argument --output-format: invalid choice: 'x\\ty' .choose from html, json", "it is", "see"],
        ),
        (
            ["--output-format", "html", "run", "train.py"],
            [r"error: argument --output-format: invalid choice: 'html' .run has no formats.", "it is called", "see"],
        ),
        (
            ["--color", "x", "explain"],
            ["error: argument --color: invalid choice: 'x'", "it is called", "see tensorcopy --help"],
        ),
        (["--color"], ["error: argument --color: expected one argument", "it is called", "see tensorcopy --help"]),
    ],
)
def test_wrong_usage_is_three_lines_and_exit_2(
    arguments: list[str], lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    told = shown.err.splitlines()
    assert len(told) == 3
    expected = [lines[0], f"  why: {lines[1]}", f"  fix: {lines[2]}"]
    assert [line for line, pattern in zip(told, expected, strict=True) if not re.match(pattern, line)] == []


def test_an_error_is_three_lines_whatever_is_in_it(add: Add, capsys: pytest.CaptureFixture[str]) -> None:
    def body(args: argparse.Namespace) -> int:
        raise CannotShareError("a\nb \x1b[31m", why="c\rd", fix="[red]e")

    add(body)
    assert main(["probe"]) == 2
    assert capsys.readouterr().err == "error: a\\nb \\x1b[31m\n  why: c\\rd\n  fix: [red]e\n"


def test_errors_are_coloured_only_where_it_is_asked_for(add: Add, capsys: pytest.CaptureFixture[str]) -> None:
    def body(args: argparse.Namespace) -> int:
        raise CannotShareError("a", why="b", fix="c")

    add(body)
    assert main(["probe", "--color=always"]) == 2
    assert capsys.readouterr().err.startswith("\x1b[1;31merror:\x1b[0m a\n")


def test_a_bug_is_one_line_that_asks_for_a_report(add: Add, capsys: pytest.CaptureFixture[str]) -> None:
    def body(args: argparse.Namespace) -> int:
        raise KeyError("lost\nkey")

    add(body)
    told = r"internal error: KeyError: 'lost\nkey'; this is a bug in tensorcopy"
    line = f"{told} {__version__}, please report what --traceback prints\n"
    assert main(["probe"]) == 2
    assert capsys.readouterr().err == line
    assert main(["probe", "--traceback"]) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("Traceback (most recent call last):\n")
    assert shown.endswith(line)


def test_findings_are_exit_1(add: Add) -> None:
    add(lambda args: 1)
    assert main(["probe"]) == 1


def test_common_options_stand_before_or_behind_the_command(add: Add) -> None:
    seen: list[tuple[object, ...]] = []

    def body(args: argparse.Namespace) -> int:
        seen.append((args.output_format, args.output, args.color, args.traceback))
        return 0

    add(body, FORMATS=("sarif",))
    assert main(["--output-format", "json", "--color", "never", "probe", "-o", "f"]) == 0
    assert main(["probe", "--output-format=sarif", "--traceback"]) == 0
    assert main(["--output-format", "json", "probe", "--output-format", "html"]) == 0
    assert seen == [("json", "f", "never", False), ("sarif", None, "auto", True), ("html", None, "auto", False)]


def test_ctrl_c_is_exit_130_and_silent(add: Add, capsys: pytest.CaptureFixture[str]) -> None:
    def body(args: argparse.Namespace) -> int:
        raise KeyboardInterrupt

    add(body)
    assert main(["probe"]) == 130
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(os.name == "nt", reason="Windows has other pipes")
@pytest.mark.parametrize(
    "arguments", [["explain", "x.data"], ["explain", "x.data", "--output-format=html"], ["--help"]]
)
def test_a_reader_that_leaves_early_is_no_error(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-W", "error", "-m", "tensorcopy", *arguments]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, env=environment(), check=False, timeout=60)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [["explain", "x.data"], ["explain", "--list"], ["--help"]])
def test_a_full_disk_behind_standard_output_is_an_error_in_three_parts(arguments: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-W", "error", "-m", "tensorcopy", *arguments]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=environment(), check=False, timeout=60)
    assert (done.returncode, done.stderr.decode().splitlines()) == (
        2,
        [
            "error: cannot write to standard output",
            "  why: No space left on device",
            "  fix: make room there, or name another file with --output",
        ],
    )


def test_the_package_runs_as_a_module() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout.split()) == (0, [b"tensorcopy", __version__.encode()])
    assert run("explain", "frobnicate").returncode == 2


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["explain", "--help"], ["explain", "a mistake"], []])
def test_start_up_loads_neither_array_libraries_nor_rich(arguments: list[str]) -> None:
    code = (
        f"import sys; from tensorcopy.cli.main import main; main({arguments!r})\n"
        "loaded = {'torch', 'numpy', 'rich', 'matplotlib', 'pandas'} & set(sys.modules); assert not loaded, loaded"
    )
    subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, check=True, timeout=60)


def test_an_explanation_loads_rich_and_still_no_array_library() -> None:
    code = (
        "import sys; from tensorcopy.cli.main import main; main(['explain', 'clone'])\n"
        "assert not {'torch', 'numpy', 'matplotlib'} & set(sys.modules)\n"
        "assert 'rich' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, check=True, timeout=60)


def test_the_project_installs_the_command() -> None:
    project = (SOURCE.parent / "pyproject.toml").read_text(encoding="utf-8")
    assert '[project.scripts]\ntensorcopy = "tensorcopy.cli.main:main"\n' in project


def test_help_is_given_without_loading_what_reports_are_made_of() -> None:
    code = (
        "import sys; from tensorcopy.cli.main import main\n"
        "assert main(['--help']) == 0\n"
        "print(sorted({'rich', 'torch', 'numpy', 'tensorcopy.reporting.model'} & {*sys.modules}), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"
