"""The magics run cells as the shell does, and show what was recorded under the names of the cells."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tensorcopy
from tensorcopy.tracing.captures.capture import Capture, CopyLine, Finding, Source, Spot
from tensorcopy.tracing.captures.renaming import renamed

pytest.importorskip("IPython")

DRIVER = Path(__file__).with_name("driver.py")
SETUP = "%load_ext tensorcopy"
DEFINITIONS = "import torch\ndef twice(x):\n    return [x.clone() for _ in range(2)]"
COPYING = """%%copies --to recording

x = torch.ones(1000)
y = twice(x)
z = x.double()
z.shape"""
LOOK = "[(c.operation, c.place.file, c.place.line, c.place.code, c.count) for c in recording.capture.copies]"


def run(folder: Path, *cells: str) -> list[dict[str, Any]]:
    """What each cell did in a fresh shell that knows the magics."""
    environment = {**os.environ, "PYTHONPATH": str(Path(tensorcopy.__path__[0]).parent), "IPYTHONDIR": str(folder)}
    done = subprocess.run(
        [sys.executable, str(DRIVER)],
        input=json.dumps([SETUP, DEFINITIONS, *cells]),
        env={**environment, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    told: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return told[2:]


CELLS = {
    "copying": COPYING,
    "look": LOOK,
    "names": "x.shape, len(y)",
    "raising": "%%copies --to recording\nbefore = x.clone()\nraise ValueError('mine')",
    "after raising": "before.shape, recording.capture.ended",
    "line": "y = 1\nv = %copies --to recording   x.clone() + len('a  b')",
    "look at line": LOOK,
    "value": "float(v[0])",
    "statement": "%copies q = x.clone()",
    "look at statement": "q.shape",
    "quiet": "%%copies --quiet\nx.clone()\n5",
    "semicolon": "%%copies --quiet\n6;",
    "no cell": "%%copies x\nx",
    "no expression": "%copies",
    "unknown option": "%%copies --bad\nx",
    "no number": "%%copies --steps many\nx",
    "no name": "%copies --to 3a x",
    "syntax": "%%copies\n\nx = 1\ny = = 2",
    "await": "%%copies\nawait x",
    "magic inside": "%%copies --to recording\nn = !echo 3\nprint(x.clone().sum().item(), n)",
    "function": "def f(local):\n    copied = %copies --quiet local.clone()\n    return copied\nf(x).shape",
    "help": "%copies?",
    "block": "import tensorcopy as tc\nwith tc.trace() as recording:\n    twice(x)",
    "look at block": LOOK,
    "markup": "%%copies\nx.clone(); '<script>alert(1)</script>'",
}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    done = run(tmp_path_factory.mktemp("shell"), *CELLS.values())
    return dict(zip(CELLS, done, strict=True))


def test_a_cell_shows_its_value_and_then_its_report(told: dict[str, dict[str, Any]]) -> None:
    cell = told["copying"]

    assert cell["ok"]
    assert cell["printed"].endswith("torch.Size([1000])\n")
    (report,) = cell["shown"]
    assert {"text/plain", "text/html", "text/markdown"} <= set(report)
    assert "cell In[3]:5" in report["text/plain"]
    assert re.search(r"cell In\[3\]:5\b", report["text/html"])


def test_lines_are_those_of_the_cells_with_their_code(told: dict[str, dict[str, Any]]) -> None:
    assert eval(told["look"]["printed"].partition(": ")[2]) == [
        ("clone", "cell In[2]", 3, "return [x.clone() for _ in range(2)]", 2),
        ("to_copy", "cell In[3]", 5, "z = x.double()", 1),
    ]


def test_the_variables_of_the_cell_are_the_users(told: dict[str, dict[str, Any]]) -> None:
    assert told["names"]["printed"].endswith("(torch.Size([1000]), 2)\n")


def test_an_exception_shows_as_usual_and_leaves_what_came_before(told: dict[str, dict[str, Any]]) -> None:
    cell = told["raising"]

    assert (cell["ok"], cell["error"]) == (False, "ValueError('mine')")
    assert re.search(
        r"Cell In\[6\], line 3\n.*2 before = x\.clone\(\)\n-+> 3 raise ValueError\('mine'\)", cell["printed"], re.S
    )
    assert "tensorcopy/tracing" not in cell["printed"]
    assert told["after raising"]["printed"].endswith("(torch.Size([1000]), 'with ValueError')\n")


def test_an_expression_keeps_its_spaces_its_value_and_its_line(told: dict[str, dict[str, Any]]) -> None:
    assert told["line"]["ok"]
    code = "v = %copies --to recording   x.clone() + len('a  b')"
    assert ("clone", "cell In[8]", 2, code, 1) in eval(told["look at line"]["printed"].partition(": ")[2])
    assert told["value"]["printed"].endswith("5.0\n")


def test_a_statement_behind_the_magic_assigns(told: dict[str, dict[str, Any]]) -> None:
    assert told["look at statement"]["printed"].endswith("torch.Size([1000])\n")


def test_a_report_or_a_value_can_be_left_out(told: dict[str, dict[str, Any]]) -> None:
    assert (told["quiet"]["shown"], told["quiet"]["printed"]) == ([], "Out[13]: 5\n")
    assert (told["semicolon"]["shown"], told["semicolon"]["printed"]) == ([], "")


@pytest.mark.parametrize(
    ("cell", "complaint"),
    [
        ("no cell", "%%copies runs the lines below it, and does not know what to do with 'x' on its own line"),
        ("no expression", "%copies runs what stands behind it: %copies model(x); for a whole cell write %%copies"),
        ("unknown option", "unrecognized arguments: --bad"),
        ("no number", "argument --steps: invalid int value: 'many'"),
        ("no name", "--to 3a: a variable can't be called so; name one, like --to recording"),
        ("await", "what is traced cannot await, since other tasks would run in between"),
    ],
)
def test_wrong_usage_is_one_line(told: dict[str, dict[str, Any]], cell: str, complaint: str) -> None:
    outcome = told[cell]

    assert not outcome["ok"]
    assert (outcome["printed"] + outcome["complained"]).startswith(f"UsageError: {complaint}")
    assert outcome["shown"] == []


def test_a_syntax_error_names_the_line_of_the_cell_and_records_nothing(told: dict[str, dict[str, Any]]) -> None:
    cell = told["syntax"]

    assert re.search(r"Cell In\[20\], line 4\n +y = = 2\n", cell["printed"] + cell["complained"])
    assert cell["shown"] == []


def test_magics_inside_the_cell_work(told: dict[str, dict[str, Any]]) -> None:
    assert told["magic inside"]["printed"].startswith("1000.0 ['3']\n")


def test_an_expression_in_a_function_sees_its_variables(told: dict[str, dict[str, Any]]) -> None:
    assert told["function"]["printed"].endswith("torch.Size([1000])\n")


def test_the_help_tells_the_options(told: dict[str, dict[str, Any]]) -> None:
    helped = json.dumps(told["help"])

    assert [option for option in ("--steps N", "--to NAME", "--quiet") if option in helped] == [
        "--steps N",
        "--to NAME",
        "--quiet",
    ]


def test_a_traced_block_names_the_cells_too(told: dict[str, dict[str, Any]]) -> None:
    assert eval(told["look at block"]["printed"].partition(": ")[2]) == [
        ("clone", "cell In[2]", 3, "return [x.clone() for _ in range(2)]", 2)
    ]


def test_markup_in_a_cell_stays_text(told: dict[str, dict[str, Any]]) -> None:
    (report,) = told["markup"]["shown"]

    assert "&lt;script&gt;alert(" in report["text/html"]
    assert "<script>" not in report["text/html"]


def test_unloaded_it_is_gone(tmp_path: Path) -> None:
    *_, last = run(tmp_path, "%unload_ext tensorcopy", "%%copies\n1")

    assert (last["ok"], "`%%copies` not found" in last["printed"] + last["complained"]) == (False, True)


def test_a_notebook_runs_and_stops_at_its_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ipykernel")
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    monkeypatch.setenv("PYTHONPATH", str(Path(tensorcopy.__path__[0]).parent))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    cells = [SETUP, DEFINITIONS, COPYING, "%%copies --quiet\nraise ValueError('mine')"]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])

    with pytest.raises(nbclient.exceptions.CellExecutionError, match="mine"):
        nbclient.NotebookClient(book, timeout=240, kernel_name="python3").execute(cwd=str(tmp_path))

    value, report = book.cells[2].outputs
    assert value["data"]["text/plain"] == "torch.Size([1000])"
    assert re.search(r"cell In\[3\]:5\b", report["data"]["text/html"])
    assert re.search(r"cell In\[2\]:3\b", report["data"]["text/html"])
    (error,) = book.cells[3].outputs
    assert (error["ename"], error["evalue"]) == ("ValueError", "mine")


PLACE = Spot(file="/tmp/1.py", line=2, message="m")
NEW = Spot(file="cell In[1]", line=2, message="m")


def test_a_capture_is_renamed_in_all_its_places() -> None:
    def capture(spot: Spot) -> Capture:
        found = Finding(
            code="C", name="n", level="error", message="m", place=spot, related=(spot, Spot(file="", line=0))
        )
        copy = CopyLine(operation="clone", phase="forward", place=spot, count=1, bytes=1, seconds=0.1)
        return Capture(command=("x",), findings=(found,), copies=(copy,), sources=(Source(file=spot.file, text="t"),))

    assert renamed(capture(PLACE), lambda file: {"/tmp/1.py": "cell In[1]"}[file]) == capture(NEW)


def test_the_extension_is_found_without_loading_ipython() -> None:
    code = "import sys, tensorcopy; print(hasattr(tensorcopy, 'load_ipython_extension'), 'IPython' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(Path(tensorcopy.__path__[0]).parent)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)

    assert done.stdout == "True False\n"
