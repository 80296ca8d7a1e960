"""The command ``tensorcopy compare``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tensorcopy.cli.main import main

np = pytest.importorskip("numpy")
pytest.importorskip("torch")

QUICK = ("--time-budget", "0.02")
SMALL = ("--shape", "3x4", *QUICK)


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["compare", *arguments]) == 0
    return capsys.readouterr().out


def data_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shown(capsys, *arguments, "--output-format", "json"))["data"]
    return found


def complaint(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["compare", *arguments]) == 2
    said = capsys.readouterr()
    lines = said.err.splitlines()
    assert (said.out, len(lines)) == ("", 3)
    assert (lines[0][:7], lines[1][:7], lines[2][:7]) == ("error: ", "  why: ", "  fix: ")
    return said.err


def test_with_nothing_else_it_compares_ways_to_copy_a_leaf(capsys: pytest.CaptureFixture[str]) -> None:
    found = data_of(capsys, *QUICK)
    assert found["group"] == "copy"
    assert found["source"] == "torch Tensor float32 (1000, 1000) on cpu, contiguous, leaf"
    assert found["wishes"] == {"memory": "copies", "graph": "cuts", "dtype": ""}
    assert found["recommendation"]["line"]


@pytest.mark.parametrize(
    ("arguments", "group", "source"),
    [
        (("--shape", "4x6", "--dtype", "int16"), "copy", "torch Tensor int16 (4, 6) on cpu, contiguous"),
        (("--shape", "4x6", "--layout", "transposed"), "copy", "torch Tensor float32 (4, 6) on cpu, column-major"),
        (
            ("--shape", "4", "--requires-grad", "--dtype", "float64"),
            "copy",
            "torch Tensor float64 (4,) on cpu, contiguous, leaf",
        ),
        (("--shape", "4", "--kind", "array"), "to-tensor", "numpy ndarray float32 (4,) on cpu, contiguous"),
        (("--shape", "4", "--kind", "list"), "list", "list of 4 members"),
        (("--shape", "4", "--group", "copy-array"), "copy-array", "numpy ndarray float32 (4,) on cpu, contiguous"),
        (("--shape", "4", "--want", "dtype=float16"), "cast", "torch Tensor float32 (4,) on cpu, contiguous"),
        (("--shape", "4", "--want", "keep-graph"), "copy", "torch Tensor float32 (4,) on cpu, contiguous, leaf"),
    ],
)
def test_options_say_what_is_compared(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], group: str, source: str
) -> None:
    found = data_of(capsys, *arguments, *QUICK)
    assert (found["group"], found["source"]) == (group, source)


@pytest.mark.parametrize("group", ["copy", "graph", "to-array", "repeat", "cast", "to-tensor", "list", "copy-array"])
def test_every_group_has_a_recommendation_for_a_plain_source(capsys: pytest.CaptureFixture[str], group: str) -> None:
    assert data_of(capsys, *SMALL, "--group", group)["recommendation"]["line"]


def test_a_file_is_compared_and_its_other_parts_are_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=np.arange(3), b=np.arange(9.0))
    found = data_of(capsys, str(tmp_path / "x.npz"), *QUICK)
    assert found["source"] == "numpy ndarray float64 (9,) on cpu, contiguous (b of x.npz; also there: a)"


@pytest.mark.parametrize("name", ["text", "json", "markdown", "html"])
def test_every_format_names_the_recommended_line(capsys: pytest.CaptureFixture[str], name: str) -> None:
    page = shown(capsys, *SMALL, "--output-format", name, "--want", "dtype=float64")
    assert "x.double()" in page


@pytest.mark.parametrize("columns", ["40", "60", "80", "200"])
def test_no_line_of_text_is_wider_than_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert max(map(len, shown(capsys, *SMALL, "--sizes", "10,100").splitlines())) <= int(columns)


def test_text_shows_ten_rows_of_a_table_and_all_where_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert "more: --all shows them." in shown(capsys, *SMALL)
    assert "--all shows them." not in shown(capsys, *SMALL, "--all")
    assert "--all shows them." not in shown(capsys, *SMALL, "--output-format", "markdown")


def test_markup_in_the_name_of_a_file_stays_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    np.savez(path := tmp_path / "<b>[red]x.npz", **{"<script>": np.arange(3)})
    page = shown(capsys, str(path), *QUICK, "--output-format", "html")
    assert "<script>&" not in page
    assert "&lt;script&gt; of &lt;b&gt;[red]x.npz" in page


def test_sizes_are_swept_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    sweep = data_of(capsys, *SMALL, "--sizes", "10,100")["sweep"]
    assert {len(curve["points"]) for curve in sweep["curves"]} == {2}


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_plots_and_a_page_are_written(capsys: pytest.CaptureFixture[str], tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("matplotlib")
    files = ("--plot", str(tmp_path / f"a{suffix}"), "--html", str(tmp_path / "a.html"))
    shown(capsys, *SMALL, "--sizes", "10,100", *files, "--theme", "dark")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["a.html", f"a{suffix}", f"a-bytes{suffix}"])
    assert "<svg" in (tmp_path / "a.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("no.npy",), "cannot read 'no.npy'"),
        (("x.xyz",), "'x.xyz' is of no kind that can be read"),
        (("x.npy", "--shape", "3"), "--shape makes a source, and 'x.npy' is one"),
        (("x.npy", "--sizes", "1e2:1e3"), "--sizes needs sources of many sizes, and a file holds one"),
        (("x.npy", "--plot", "a.png"), "--plot needs sources of many sizes"),
        (("--key", "a"), "--key names a part of a file, and no file is given"),
        (("--shape", "axb"), "'axb' is no shape"),
        (("--dtype", "float13"), "unknown dtype 'float13'"),
        (("--layout", "diagonal"), "there is no layout 'diagonal'"),
        (("--device", "nowhere"), "device 'nowhere' is not to be had"),
        (("--dtype", "int8", "--requires-grad"), "a tensor of int8 cannot require grad"),
        (("--kind", "array", "--requires-grad"), "an array of float32 cannot require grad"),
        (("--group", "copies"), "no group 'copies' for a source of kind tensor"),
        (("--kind", "list", "--group", "repeat"), "no group 'repeat' for a source of kind list"),
        (("--want", "fast"), "nobody can want 'fast' of a result"),
        (("--want", "own", "--want", "share"), "'share' contradicts what was asked for before"),
        (("--kind", "array", "--want", "keep-graph"), "nothing can keep the graph of an object of type ndarray"),
        (("--sizes", "1e5:1e2"), "cannot sweep the sizes '1e5:1e2'"),
        (("--time-budget", "-1"), "--time-budget -1 is no time to measure in"),
        (("--time-budget", "nan"), "--time-budget nan is no time to measure in"),
        (("--time-budget", "soon"), "argument --time-budget: invalid float value"),
    ],
)
def test_what_makes_no_sense_is_refused_in_three_parts(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], what: str
) -> None:
    assert complaint(capsys, *arguments).startswith(f"error: {what}")


def test_a_plot_that_cannot_be_written_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    said = complaint(capsys, *SMALL, "--sizes", "10", "--plot", str(tmp_path / "a.pdf"))
    assert "cannot draw a plot as 'a.pdf'" in said


@pytest.mark.parametrize("option", ["--plot", "--html", "--output"])
def test_what_cannot_be_written_is_told_before_anything_is_measured(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr("tensorcopy.benchmarking.making.made", lambda order: pytest.fail("it was made"))
    path = tmp_path / "missing" / "a.png"
    assert f"cannot write {path}" in complaint(capsys, option, str(path))


@pytest.mark.parametrize("option", ["--html", "--output"])
def test_a_report_is_not_written_over_its_source(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, option: str
) -> None:
    np.save(tmp_path / "x.npy", np.arange(3.0))
    path = str(tmp_path / "x.npy")
    assert f"will not write the report over {path}" in complaint(capsys, path, option, path)
    assert np.load(path).tolist() == [0.0, 1.0, 2.0]


def test_what_a_program_prints_does_not_reach_the_report(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("print('loading')\ntorch.ones(2)\n")
    assert main(["compare", str(tmp_path / "x.py"), *QUICK, "--output-format", "json"]) == 0
    said = capsys.readouterr()
    assert (json.loads(said.out)["data"]["group"], said.err) == ("copy", "loading\n")


def test_a_source_that_nobody_can_compare_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("{'a': 1}\n")
    assert "cannot compare ways to handle dict" in complaint(capsys, str(tmp_path / "x.py"))
