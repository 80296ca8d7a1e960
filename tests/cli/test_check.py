"""``tensorcopy check`` as it is called."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tensorcopy.cli.main import main
from tests.cli.commanding import environment, run
from tests.linting.fake import ANALYSIS

BAD = "import torch\ny = x.clone().detach()\nz = x.data\n"
FIXED = BAD.replace("clone().detach", "detach().clone")
Check = Callable[..., tuple[int, str, str]]


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Check:
    """Calls the command, with another analysis, in an empty folder; gives exit code, output and error output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TENSORCOPY_CACHE_DIR", str(tmp_path / ".tensorcopy_cache"))
    monkeypatch.setattr("tensorcopy.linting.analysis.shipped", lambda: ANALYSIS)

    def checked(*arguments: str) -> tuple[int, str, str]:
        code = main(["check", *arguments])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return checked


def stdin(text: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8")


def test_nothing_found_is_exit_0(check: Check) -> None:
    assert check() == (0, "Nothing found: 0 files, 0 lines checked.\n", "")


def test_findings_are_exit_1_and_notes_alone_are_not(check: Check) -> None:
    Path("a.py").write_text(BAD)
    assert check()[0] == 1
    assert check("--ignore", "TCY8")[:2] == (0, "Nothing found: 1 file, 3 lines checked.\n")
    Path("a.py").write_text("torch.zeros(1)\n")
    code, text, _ = check("--select", "ALL")
    assert (code, "1 note in" in text) == (0, True)


def test_exit_zero_is_exit_0_whatever_is_found(check: Check) -> None:
    Path("a.py").write_text(BAD)
    assert check("--exit-zero")[0] == check("--exit-zero", "--diff")[0] == 0


def test_a_bug_of_the_analysis_is_exit_2_after_the_rest_is_shown(check: Check) -> None:
    Path("a.py").write_text("torch; boom\n")
    Path("b.py").write_text(BAD)
    code, text, _ = check("--output-format", "concise", "--exit-zero")
    assert (code, "a.py:1:1 TCY902 this is a bug in tensorcopy" in text, "b.py:2:5 TCY801" in text) == (2, True, True)
    code, _, errors = check("--traceback")
    assert (code, "KeyError: 'boom'" in errors) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["gone"], "there is nothing at gone"),
        (["-", "a.py"], "- and other paths together"),
        (["--select", "TCY7"], "no rule is called 'TCY7'"),
        (["-j", "none"], "argument -j/--jobs: 'none'"),
        (["-j", "0"], "argument -j/--jobs: '0'"),
        (["--per-file-ignores", "TCY801"], "argument --per-file-ignores: 'TCY801'"),
        (["--config", "gone.toml"], "cannot read the settings in gone.toml"),
        (["--baseline", "gone.json"], "cannot read the baseline "),
        (["--output-format", "xml"], "argument --output-format: invalid choice: 'xml'"),
        (["--output", "no/where.txt"], "cannot write no/where.txt"),
    ],
)
def test_wrong_usage_is_three_lines_and_exit_2(check: Check, arguments: list[str], what: str) -> None:
    code, out, errors = check(*arguments)
    told = errors.splitlines()
    assert (code, out, len(told)) == (2, "", 3)
    assert told[0].startswith(f"error: {what}")


def test_the_settings_of_the_project_count_and_arguments_change_them(check: Check) -> None:
    Path("pyproject.toml").write_text('[tool.tensorcopy]\nignore = ["TCY801"]\nper-file-ignores = {"b.py" = ["ALL"]}\n')
    Path("a.py").write_text(BAD)
    Path("b.py").write_text(BAD)

    def codes(*arguments: str) -> list[str]:
        found = json.loads(check("--output-format", "json", *arguments)[1])["findings"]
        return [f"{finding['file']} {finding['code']}" for finding in found]

    assert codes() == ["a.py TCY802"]
    assert codes("--select", "TCY801") == ["a.py TCY801"]
    assert codes("--ignore", "hidden-data") == []
    assert codes("--isolated") == ["a.py TCY801", "a.py TCY802", "b.py TCY801", "b.py TCY802"]
    assert codes("--isolated", "--per-file-ignores", "a.*:TCY801,TCY802", "--exclude", "b.py") == []
    assert codes("--extend-exclude", "a.py") == []
    Path("other.toml").write_text('select = ["TCY802"]')
    assert codes("--config", "other.toml") == ["a.py TCY802", "b.py TCY802"]
    Path(".git").mkdir()
    Path(".gitignore").write_text("b.py")
    assert codes("--isolated") == ["a.py TCY801", "a.py TCY802"]
    assert codes("--isolated", "--no-respect-gitignore") == ["a.py TCY801", "a.py TCY802", "b.py TCY801", "b.py TCY802"]


def test_fixes_are_written_and_what_is_left_decides(check: Check) -> None:
    Path("a.py").write_text(BAD)
    code, text, _ = check("--fix")
    assert (code, Path("a.py").read_text()) == (1, FIXED)
    assert "1 finding fixed. 1 warning left in 1 file, 3 lines checked." in text
    code, text, _ = check("--fix", "--unsafe-fixes")
    assert (code, text) == (0, "1 finding fixed. Nothing left: 1 file, 3 lines checked.\n")
    assert Path("a.py").read_text() == FIXED.replace("x.data", "x.detach()")


def test_a_diff_shows_what_would_change_and_changes_nothing(check: Check) -> None:
    Path("a.py").write_text(BAD)
    code, text, _ = check("--diff")
    assert (code, Path("a.py").read_text()) == (1, BAD)
    assert text == (
        "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n import torch\n"
        "-y = x.clone().detach()\n+y = x.detach().clone()\n z = x.data\n"
    )
    Path("a.py").write_text(FIXED)
    assert check("--diff") == (0, "", "")


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "z = 1"])
def test_a_diff_can_be_applied(check: Check, ends: str, last: str) -> None:
    text = (BAD + last).replace("\n", ends)
    Path("a.py").write_bytes(text.encode())
    main(["check", "--diff", "-o", "a.diff"])
    done = subprocess.run(["git", "apply", "a.diff"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert Path("a.py").read_bytes() == (FIXED + last).replace("\n", ends).encode()


def test_the_standard_input_is_checked_under_its_name(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", stdin(BAD))
    code, text, _ = check("-", "--stdin-filename", "p/a.py", "--output-format", "concise")
    assert (code, text.splitlines()[0]) == (1, "p/a.py:2:5 TCY801 [*] the copy is made on the graph")
    monkeypatch.setattr(sys, "stdin", stdin("import os\n"))
    assert check("-")[:2] == (0, "Nothing found: 1 file, 1 line checked.\n")


def test_the_fixed_standard_input_goes_to_the_standard_output(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    monkeypatch.setattr("tensorcopy.linting.analysis.shipped", lambda: ANALYSIS)
    for text, fixed in ((BAD.replace("\n", "\r\n"), FIXED.replace("\n", "\r\n")), ("import os\n", "import os\n")):
        monkeypatch.setattr(sys, "stdin", stdin(text))
        assert main(["check", "-", "--fix", "--output-format", "concise", "--isolated"]) == int("x" in text)
        shown = capfdbinary.readouterr()
        assert shown.out == fixed.encode()
        assert (b"TCY802" in shown.err) is ("x" in text)


def test_a_baseline_is_written_and_then_known(check: Check) -> None:
    Path("a.py").write_text(BAD)
    assert check("--write-baseline", "known.json") == (0, "2 findings written to known.json\n", "")
    assert check("--baseline", "known.json")[0] == 0
    Path("pyproject.toml").write_text('[tool.tensorcopy]\nbaseline = "known.json"\n')
    Path("a.py").write_text("\n" + BAD + "w = y.data\n")
    code, text, _ = check("--output-format", "concise")
    assert (code, text.splitlines()[0].split(" ")[:2]) == (1, ["a.py:5:5", "TCY802"])
    assert check("--write-baseline", "known.json")[1] == "3 findings written to known.json\n"


def test_comments_are_added_and_then_silence(check: Check) -> None:
    Path("a.py").write_text(BAD)
    code, text, _ = check("--add-noqa")
    assert (code, "2 silenced by comments" in text) == (0, True)
    assert Path("a.py").read_text().splitlines()[1] == "y = x.clone().detach()  # noqa: TCY801"
    assert check()[0] == 0


def test_statistics_count_by_rule(check: Check) -> None:
    Path("a.py").write_text(BAD * 2)
    assert check("--statistics")[1].splitlines()[0] == "2  TCY801 error    [*]  clone-first"


def test_the_rules_are_listed(check: Check) -> None:
    code, text, _ = check("--list-rules")
    assert (code, text.splitlines()[0]) == (0, "TCY801  error    clone-first        copies the graph, then cuts it")


def test_a_file_gets_the_format_of_its_suffix(check: Check) -> None:
    Path("a.py").write_text(BAD)
    assert check("-o", "out.sarif")[:2] == (1, "")
    assert json.loads(Path("out.sarif").read_text())["version"] == "2.1.0"


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_shown_on_a_terminal_only(terminal: bool, check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensorcopy.cli.progress._PATIENCE", -1.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    Path("a.py").write_text(BAD)
    _, out, errors = check()
    assert "\r" not in out
    assert errors.startswith("\rchecking [########################] 1 of 1") is terminal
    assert errors == "" or errors.endswith("\r")


def test_the_real_analysis_runs_in_a_process_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\n")
    done = run("check", str(tmp_path), TENSORCOPY_CACHE_DIR=str(tmp_path / "cache"))
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == "Nothing found: 1 file, 1 line checked.\n"


def test_a_check_loads_neither_array_libraries_nor_rich(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\nx = torch.zeros(1)\n")
    code = (
        "import sys; from tensorcopy.cli.main import main; main(['check', '.', '--no-cache', '-o', 'o.json'])\n"
        "loaded = {'torch', 'numpy', 'rich', 'multiprocessing', 'asyncio'} & set(sys.modules)\n"
        "assert not loaded, loaded"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), cwd=tmp_path, check=True, timeout=60)
    assert done.returncode == 0
