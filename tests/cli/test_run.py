"""``tensorcopy run`` runs a program as Python does, and ``tensorcopy view`` shows what it recorded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tensorcopy
from tensorcopy.cli.main import main
from tensorcopy.tracing.captures.capture import UNFINISHED, read

PROGRAM = """
import sys
import torch
kept, t = [], torch.zeros(2)
for _ in range(2):
    t += 1
    kept.append(t.numpy())
print("<script>", sys.argv[1:], __name__)
sys.exit(7)
"""


KILLED = """
import os, signal
import torch
torch.ones(4).clone()
os.kill(os.getpid(), signal.SIGKILL)
"""


def run_program(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "program.py").write_text(code)
    command = [sys.executable, "-m", "tensorcopy", "run", "--output", "first.capture", "program.py", "--lr", "1"]
    environment = {**os.environ, "PYTHONPATH": str(Path(tensorcopy.__path__[0]).parent)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("run")
    return folder, run_program(PROGRAM, folder)


def test_the_program_prints_and_ends_as_it_does_alone(ran: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    _, done = ran

    assert (done.returncode, done.stdout) == (7, "<script> ['--lr', '1'] __main__\n")


def test_view_shows_the_capture_of_the_last_run_where_none_is_named(
    ran: tuple[Path, subprocess.CompletedProcess[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(["view"]) == 2
    assert "cannot read the capture 'tensorcopy.capture'" in capsys.readouterr().err

    (tmp_path / "tensorcopy.capture").write_bytes((ran[0] / "first.capture").read_bytes())

    assert main(["view"]) == 1
    assert "TCY601" in capsys.readouterr().out


def test_the_findings_have_the_shape_of_check(
    ran: tuple[Path, subprocess.CompletedProcess[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["view", "--output-format", "json", str(ran[0] / "first.capture")])
    (finding,) = json.loads(capsys.readouterr().out)["findings"]

    assert code == 1
    assert (finding["code"], finding["name"], finding["level"]) == ("TCY601", "changing-snapshot", "error")
    assert (finding["file"], finding["line"]) == ("program.py", 7)
    assert [related["line"] for related in finding["related"]] == [6]


@pytest.mark.parametrize("name", ["text", "markdown", "html"])
def test_every_report_format_names_the_line(
    name: str, ran: tuple[Path, subprocess.CompletedProcess[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["view", "--output-format", name, str(ran[0] / "first.capture")])

    assert "program.py:7" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["run"], "nothing to run"),
        (["run", "missing.py"], "cannot run 'missing.py'"),
        (["view", "missing.capture"], "cannot read the capture"),
    ],
)
def test_wrong_usage_is_an_error_in_three_parts(
    arguments: list[str], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert what in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_of_a_program_that_is_killed_the_capture_is_left(tmp_path: Path) -> None:
    assert run_program(KILLED, tmp_path).returncode == -9

    capture = read(tmp_path / "first.capture")
    assert (capture.ended, [c.kind for c in capture.copies]) == (UNFINISHED, ["clone"])
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_several_captures_are_shown_as_one(
    ran: tuple[Path, subprocess.CompletedProcess[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(ran[0] / "first.capture")
    main(["view", "--output-format", "json", path])
    (alone,) = json.loads(capsys.readouterr().out)["findings"]
    main(["view", "--output-format", "json", path, path])

    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert finding["count"] == 2 * alone["count"]


def test_a_report_is_not_written_over_the_capture(
    ran: tuple[Path, subprocess.CompletedProcess[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(ran[0] / "first.capture")

    assert main(["view", path, "-o", path]) == 2
    assert "will not write the report over" in capsys.readouterr().err


def test_what_follows_a_module_belongs_to_it(tmp_path: Path) -> None:
    (tmp_path / "shows.py").write_text("import sys\nprint(sys.argv[1:])\n")
    environment = {**os.environ, "PYTHONPATH": str(Path(tensorcopy.__path__[0]).parent)}
    command = [sys.executable, "-m", "tensorcopy", "run", "--steps", "1", "-m", "shows", "-k", "x", "--steps", "2"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)

    assert (done.returncode, done.stdout) == (0, "['-k', 'x', '--steps', '2']\n")


def test_a_module_has_to_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "-m"]) == 2
    assert "why: no module was named behind -m" in capsys.readouterr().err


def test_strict_stops_the_program_at_the_line_that_writes(tmp_path: Path) -> None:
    program = "import numpy as np\nimport torch\na = np.zeros(2)\nt = torch.from_numpy(a)\na[0] = 1\nprint('never')\n"
    (tmp_path / "program.py").write_text(program)
    environment = {**os.environ, "PYTHONPATH": str(Path(tensorcopy.__path__[0]).parent)}
    command = [sys.executable, "-m", "tensorcopy", "run", "--strict", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)

    assert (done.returncode, done.stdout) == (1, "")
    assert "ValueError: assignment destination is read-only\nprogram.py:5: TCY613 shared-array-written: " in done.stderr


def test_without_torch_nothing_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "program.py").write_text("print('never')\n")
    monkeypatch.setattr("tensorcopy.tracing.needing.find_spec", lambda name: None if name == "torch" else name)

    assert main(["run", str(tmp_path / "program.py")]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines() == [
        "error: nothing can be traced here",
        "  why: torch is not installed",
        "  fix: pip install 'tensorcopy[torch]'",
    ]
