"""The plugin holds tests to their marks, tells what all of them showed, and is not there where nobody asks for it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import tensorcopy
import tensorcopy.pytest_plugin.summary
import tensorcopy.pytest_plugin.watching
import tensorcopy.tracing.recording  # pytester forgets what is imported first in a run of its own
import tensorcopy.tracing.tracing
from tensorcopy import pytest_plugin
from tensorcopy.pytest_plugin.judging import complaints
from tensorcopy.pytest_plugin.marks import Limits
from tensorcopy.tracing.captures.capture import Capture, CopyLine, Finding, Spot
from tests.pages.reading import blocks, expect

pytest_plugins = ["pytester"]

SOURCE = Path(tensorcopy.__path__[0]).parent
COPYING = """
import pytest
import torch

@pytest.mark.max_copied("1 kB")
def test_copying():
    x = torch.ones(1000)
    y = [x.clone() for _ in range(3)]
    z = x.double()
"""
ALIASING = """
import pytest
import torch

@pytest.mark.no_aliasing
def test_aliasing():
    t, kept = torch.zeros(2), []
    for _ in range(3):
        t += 1
        kept.append(t.numpy())
"""
CUTTING = """
import pytest
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)

    def forward(self, x):
        h = self.body(x).data
        return self.head(h)

@pytest.mark.no_graph_cut
def test_cutting():
    net = Net()
    net(torch.ones(4, 2)).sum().backward()
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """Run pytest on a file with the plugin, and no other that is installed."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("COLUMNS", "100")

    def runs(code: str, *options: str) -> pytest.RunResult:
        pytester.makepyfile(test_it=code)
        fixed = ("-p", "no:cacheprovider", "--strict-markers", "-Werror")
        return pytester.runpytest_inprocess(*fixed, *options, plugins=[pytest_plugin])

    return runs


def failure(result: pytest.RunResult) -> str:
    """What stands below the headline of the only failure."""
    found = re.search(r"^_{5,}.*?_{5,}\n(.*?)^=====", result.stdout.str() + "\n=====", re.M | re.S)
    assert found is not None, result.stdout.str()
    return found[1].rstrip()


def section(result: pytest.RunResult) -> str:
    """The plugin's section of the summary."""
    found = re.search(r"^=+ tensorcopy =+\n(.*?)^=", result.stdout.str(), re.M | re.S)
    assert found is not None, result.stdout.str()
    return found[1].strip()


def test_a_test_that_copies_too_much_fails_with_its_lines(run) -> None:
    result = run(COPYING)

    result.assert_outcomes(failed=1)
    assert failure(result) == "\n".join(
        [
            "max_copied('1 kB'): the test copies 20.0 kB",
            " allowed: 1,000 bytes",
            "  copied: 20,000 bytes in 4 copies",
            "    12.0 kB  test_it.py:7: clone 3 times",
            "             y = [x.clone() for _ in range(3)]",
            "    8,000 B  test_it.py:8: cast",
            "             z = x.double()",
        ]
    )
    result.stdout.fnmatch_lines(["FAILED test_it.py::test_copying - Failed: max_copied('1 kB'): the *"])


@pytest.mark.parametrize("size", ["20000", "'20 kB'", "'1 MiB'"])
def test_a_test_within_its_size_passes(run, size: str) -> None:
    run(COPYING.replace('"1 kB"', size)).assert_outcomes(passed=1)


def test_a_test_with_an_alias_hazard_fails_with_all_lines(run) -> None:
    result = run(ALIASING)

    result.assert_outcomes(failed=1)
    told = failure(result).splitlines()
    assert told[0] == "no_aliasing: the test has 1 alias hazard"
    assert re.fullmatch(r"  TCY601 changing-snapshot( \(\d+ times\))?: \d arrays that .numpy\(\) gave .*", told[1])
    assert told[2:] == [
        "    test_it.py:9: kept.append(t.numpy())",
        "    test_it.py:8: t += 1",
        "        <- the memory is written here",
    ]


def test_a_test_that_cuts_the_graph_fails_although_its_model_dies_with_it(run) -> None:
    result = run(CUTTING)

    result.assert_outcomes(failed=1)
    told = failure(result)
    assert told.startswith(
        "no_graph_cut: the test has 1 cut of the graph\n  TCY623 gradient-cut: .data takes the value"
    )
    assert "body.bias, body.weight never get a gradient" in told
    assert "    test_it.py:10: h = self.body(x).data\n    test_it.py:16: net(torch.ones(4, 2)).sum().backward()" in told


@pytest.mark.parametrize(
    "code",
    [
        ALIASING.replace("t.numpy()", "t.numpy().copy()"),
        CUTTING.replace(".data", ""),
        ALIASING.replace("no_aliasing", "no_graph_cut"),
        CUTTING.replace("no_graph_cut", "no_aliasing"),
    ],
)
def test_a_test_without_what_its_mark_forbids_passes(run, code: str) -> None:
    run(code).assert_outcomes(passed=1)


def test_a_warning_about_memory_fails_no_test(tmp_path: Path) -> None:
    found = Finding(
        code="TCY612", name="shared-array-changed", level="error", message="m", place=Spot(file="a", line=1)
    )
    limits = Limits(no_aliasing=True)

    def told(level: str) -> list[str]:
        return complaints(Capture(command=("x",), findings=(replace(found, level=level),)), limits, tmp_path)

    assert told("warning") == []
    assert told("error") == ["no_aliasing: the test has 1 alias hazard\n  TCY612 shared-array-changed: m\n    a:1"]


def test_two_marks_complain_together(run) -> None:
    result = run(
        ALIASING.replace("@pytest.mark.no_aliasing", "@pytest.mark.max_copied(0)\n@pytest.mark.no_aliasing")
        + "    t.clone()\n"
    )

    assert re.findall(r"^(max_copied|no_aliasing)\b.*: the test", failure(result), re.M) == [
        "max_copied",
        "no_aliasing",
    ]


def test_an_own_failure_comes_first_and_the_marks_stand_beside_it(run) -> None:
    result = run(COPYING + "    assert 1 == 5\n")

    result.assert_outcomes(failed=1)
    told = failure(result)
    assert told.index("assert 1 == 5") < told.index("- Captured tensorcopy call -")
    assert told.index("- Captured tensorcopy call -") < told.index("max_copied('1 kB'): the test copies 20.0 kB")
    result.stdout.fnmatch_lines(["FAILED test_it.py::test_copying - assert 1 == 5*"])


@pytest.mark.parametrize(
    ("ending", "outcome"),
    [
        ("pytest.skip('why')", {"skipped": 1}),
        ("pytest.xfail('why')", {"xfailed": 1}),
        ("raise KeyError('mine')", {"failed": 1}),
    ],
)
def test_other_endings_of_a_test_stay_what_they_are(run, ending: str, outcome: dict[str, int]) -> None:
    run(COPYING + f"    {ending}\n").assert_outcomes(**outcome)


def test_an_expected_failure_may_be_that_of_a_mark(run) -> None:
    run(COPYING.replace("@pytest", "@pytest.mark.xfail(strict=True)\n@pytest", 1)).assert_outcomes(xfailed=1)


def test_what_fixtures_copy_in_their_set_up_and_tear_down_is_not_counted(run) -> None:
    code = """
import pytest
import torch

@pytest.fixture
def data():
    x = torch.ones(1000).clone()
    yield x
    x.clone()

@pytest.mark.max_copied(0)
def test_it(data):
    assert data.sum().item() == 1000
"""
    run(code).assert_outcomes(passed=1)


def test_marks_of_modules_classes_and_parameters_hold_and_the_nearest_size_counts(run) -> None:
    code = """
import unittest
import pytest
import torch

pytestmark = pytest.mark.max_copied(0)

def test_module():
    torch.ones(2).clone()

@pytest.mark.max_copied("8 B")
class TestClass:
    def test_class(self):
        torch.ones(2).clone()

    @pytest.mark.parametrize("n", [2, pytest.param(3, marks=pytest.mark.max_copied(12)), 4])
    def test_parameters(self, n):
        torch.ones(n).clone()

class TestCase(unittest.TestCase):
    def test_case(self):
        torch.ones(2).clone()
"""
    result = run(code, "-rA")

    result.assert_outcomes(passed=3, failed=3)
    assert sorted(re.findall(r"^PASSED test_it.py::(.*)$", result.stdout.str(), re.M)) == [
        "TestClass::test_class",
        "TestClass::test_parameters[2]",
        "TestClass::test_parameters[3]",
    ]


@pytest.mark.parametrize(
    ("mark", "what", "why"),
    [
        ("max_copied('24 mb')", "max_copied('24 mb')", "'mb' is no unit that is known"),
        ("max_copied", "max_copied()", "max_copied takes one size"),
        ("max_copied(1, 2)", "max_copied(1, 2)", "max_copied takes one size"),
        ("max_copied(size=1)", "max_copied(size=1)", "max_copied takes one size"),
        ("no_aliasing(True)", "no_aliasing(True)", "no_aliasing takes nothing"),
        ("no_graph_cut('x')", "no_graph_cut('x')", "no_graph_cut takes nothing"),
    ],
)
def test_a_mark_that_makes_no_sense_fails_the_test_in_three_lines(run, mark: str, what: str, why: str) -> None:
    result = run(f"import pytest\n\n@pytest.mark.{mark}\ndef test_it(): pass\n")

    result.assert_outcomes(failed=1)
    told = failure(result).splitlines()
    assert (told[0], told[1]) == (f"the mark {what} makes no sense", f"  why: {why}")
    assert told[2].startswith("  fix: write ")
    assert len(told) == 3


ASYNC = """
import asyncio
import pytest
import torch

MARK
async def test_it():
    torch.ones(2).clone()
"""
RUNNER = """
import asyncio
import inspect
import pytest

@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    if inspect.iscoroutinefunction(pyfuncitem.obj):
        asyncio.run(pyfuncitem.obj())
        return True
"""


def test_async_tests_are_left_alone_but_not_with_a_mark(run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest(RUNNER)
    alone = run(ASYNC.replace("MARK", ""), "--tensorcopy")
    marked = run(ASYNC.replace("MARK", "@pytest.mark.max_copied(9)"))

    alone.assert_outcomes(passed=1)
    assert section(alone) == "0 tests traced: 0 errors, 0 warnings, 0 B copied"
    marked.assert_outcomes(failed=1)
    assert failure(marked).startswith("cannot hold test_it to its mark max_copied\n  why: it is no plain function")


def test_the_option_traces_every_test_and_tells_what_to_fix_first(run) -> None:
    aliasing = ALIASING.replace("@pytest.mark.no_aliasing\n", "").replace("():", "(n):")
    code = COPYING + aliasing.replace("def test_al", "@pytest.mark.parametrize('n', range(5))\ndef test_al")
    result = run(code, "--tensorcopy")

    result.assert_outcomes(failed=1, passed=5)
    head, first, finding, *lines = (line for line in section(result).splitlines() if line)
    assert re.fullmatch(r"6 tests traced: 1 error, 0 warnings, [\d.]+ kB copied", head)
    assert first == "what to fix first"
    assert finding.startswith("  TCY601 changing-snapshot (")
    assert lines[:5] == [
        "    test_it.py:18: kept.append(t.numpy())",
        "    test_it.py:17: t += 1",
        "        <- the memory is written here",
        "    in test_it.py::test_aliasing[0], test_it.py::test_aliasing[1], test_it.py::test_aliasing[2] and 2 more",
        "copied by test",
    ]
    assert lines[5] == "    20.0 kB  test_it.py::test_copying, most at test_it.py:7"


def test_marks_alone_print_no_section(run) -> None:
    assert "= tensorcopy =" not in run(COPYING).stdout.str()


def test_the_marks_are_listed(run) -> None:
    listed = run("", "--markers").stdout.str()

    assert [
        name for name in ("max_copied(size)", "no_aliasing", "no_graph_cut") if f"@pytest.mark.{name}:" in listed
    ] == [
        "max_copied(size)",
        "no_aliasing",
        "no_graph_cut",
    ]


def test_without_torch_the_option_is_wrong_usage_and_a_mark_fails(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensorcopy.pytest_plugin.find_spec", lambda name: None)
    monkeypatch.setattr("tensorcopy.tracing.needing.find_spec", lambda name: None)
    code = "import pytest\n\n@pytest.mark.max_copied(9)\ndef test_it(): pass\n"

    refused = run(code, "--tensorcopy")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines(["ERROR: --tensorcopy needs torch, which is not installed: pip install *"])
    assert failure(run(code)).startswith("nothing can be traced here\n  why: torch is not installed")


def test_a_test_may_trace_itself(run) -> None:
    code = """
import tensorcopy as tc
import torch

def test_it():
    with tc.trace() as t:
        torch.ones(2).clone()
    assert [c.operation for c in t.capture.copies] == ["clone"]
"""
    run(code, "--tensorcopy").assert_outcomes(passed=1)


def test_the_page_shows_what_pytest_prints(run) -> None:
    page = (Path(__file__).parents[2] / "docs" / "run.md").read_text(encoding="utf-8")
    (example,) = [block for block in blocks(page) if block.language == "py"]
    (shown,) = re.findall(r"^```py\n.*?^```$.*?^```text\n(.*?)^```$", page, re.M | re.S)

    expect(shown, failure(run(example.text)), "docs/run.md")


def test_a_program_under_run_may_be_pytest(installed: Path) -> None:
    (installed / "test_it.py").write_text(COPYING)
    (installed / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")

    told = in_a_process(installed, program=("tensorcopy", "run", "-m", "pytest"))

    assert "max_copied('1 kB'): the test copies 20.0 kB" in told


def in_a_process(folder: Path, *options: str, program: tuple[str, ...] = ("pytest",)) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(SOURCE)])}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = ""
    command = [sys.executable, "-m", *program, "-p", "no:cacheprovider", "-Werror", *options, str(folder)]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=300).stdout


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder for the path of modules, in which the plugin's entry point is found, as if it had been installed."""
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    entry = re.search(r'^\[project\.entry-points\.pytest11\]\n(\w+) = "(.*)"$', project, re.M)
    assert entry is not None
    about = tmp_path / "tensorcopy-0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: tensorcopy\nVersion: 0\n")
    (about / "entry_points.txt").write_text(f"[pytest11]\n{entry[1]} = {entry[2]}\n")
    return tmp_path


def test_installed_it_is_there_and_loads_nothing(installed: Path) -> None:
    code = "import sys\n\ndef test_it(pytestconfig):\n    assert pytestconfig.pluginmanager.has_plugin('tensorcopy')\n"
    code += "    assert {'torch', 'numpy', 'rich', 'tensorcopy.reporting'} & set(sys.modules) == set()\n"
    (installed / "test_it.py").write_text(code)

    assert re.search(r"^=+ 1 passed in ", in_a_process(installed), re.M)


def test_processes_of_xdist_send_what_they_saw(installed: Path) -> None:
    pytest.importorskip("xdist")
    (installed / "test_a.py").write_text(COPYING)
    (installed / "test_b.py").write_text(ALIASING.replace("@pytest.mark.no_aliasing\n", ""))

    told = in_a_process(installed, "--tensorcopy", "-n", "2", "--strict-markers")

    assert re.search(r"^=+ 1 failed, 1 passed in ", told, re.M), told
    assert "max_copied('1 kB'): the test copies 20.0 kB" in told
    assert re.search(r"^2 tests traced: 1 error, 0 warnings, 20\.0 kB copied$", told, re.M)
    assert re.search(r"^    20\.0 kB  test_a\.py::test_copying, most at test_a\.py:8$", told, re.M), told


def test_nothing_is_left_switched_on_after_a_test(run) -> None:
    run(COPYING + "    raise ValueError\n")

    assert torch._C._len_torch_function_stack() == 0
    assert torch.nn.modules.module._global_forward_pre_hooks == {}


def test_the_lines_that_copied_most_are_named_first_and_the_rest_is_counted(tmp_path: Path) -> None:
    lines = [
        CopyLine(operation="clone", phase="", place=Spot(file="a.py", line=n), count=1, bytes=n, seconds=0.0)
        for n in range(1, 13)
    ]
    (text,) = complaints(Capture(command=("x",), copies=tuple(lines)), Limits(max_copied=1, allowed="1"), tmp_path)
    shown = text.splitlines()
    assert shown[3:5] == ["       12 B  a.py:12: clone", "       11 B  a.py:11: clone"]
    assert shown[-1] == "  and 2 more lines with 3 B"
