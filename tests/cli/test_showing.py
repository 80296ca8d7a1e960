"""Where output goes, and what it looks like there."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from pathlib import Path

import pytest

from tensorcopy.cli.main import main
from tensorcopy.cli.showing import medium_of, show, wants_color
from tensorcopy.errors import BadArgumentError
from tensorcopy.reporting import Medium, Paragraph, Report, Tone, render

REPORT = Report(title="a – b 한", blocks=(Paragraph(text="good", tone=Tone.GOOD),))


class Stream(io.TextIOWrapper):
    """A stream of some encoding that may be a terminal."""

    def __init__(self, encoding: str = "utf-8", *, terminal: bool = False) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, newline="")
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def written(self) -> bytes:
        self.flush()
        return self.buffer.getvalue()  # type: ignore[attr-defined]


def arguments(**given: object) -> argparse.Namespace:
    return argparse.Namespace(**{"output": None, "output_format": None, "color": "auto", **given})


def no_terminal(descriptor: int) -> os.terminal_size:
    raise OSError(25, "Inappropriate ioctl for device")


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("os.get_terminal_size", no_terminal)


@pytest.mark.parametrize(
    ("color", "terminal", "variables", "wanted"),
    [
        ("auto", True, {}, True),
        ("auto", False, {}, False),
        ("auto", True, {"NO_COLOR": "1"}, False),
        ("auto", True, {"NO_COLOR": ""}, True),
        ("auto", True, {"TERM": "dumb"}, False),
        ("always", False, {"NO_COLOR": "1"}, True),
        ("never", True, {}, False),
    ],
)
def test_colour_is_for_terminals_that_want_it(
    color: str, terminal: bool, variables: dict[str, str], wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert wants_color(Stream(terminal=terminal), color) is wanted


@pytest.mark.parametrize(("encoding", "ascii"), [("utf-8", False), ("ascii", True), ("latin-1", True), ("cp437", True)])
def test_a_stream_that_lacks_a_character_gets_ascii(encoding: str, ascii: bool) -> None:
    assert medium_of(Stream(encoding), "auto") == Medium(columns=100, color=False, ascii=ascii)


@pytest.mark.parametrize(
    ("given", "terminals", "columns"),
    [
        ("72", {1: 133, 2: 80}, 72),
        ("", {1: 133, 2: 80}, 133),
        ("0", {1: 133}, 133),
        ("wide", {2: 80}, 80),
        ("", {1: 0}, 100),
        ("", {}, 100),
    ],
)
def test_the_width_is_that_of_the_environment_or_the_terminal_behind_the_pipe(
    given: str, terminals: dict[int, int], columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def size_of(descriptor: int) -> os.terminal_size:
        return os.terminal_size((terminals[descriptor], 40)) if descriptor in terminals else no_terminal(descriptor)

    monkeypatch.setenv("COLUMNS", given)
    monkeypatch.setattr("os.get_terminal_size", size_of)
    for number, name in ((1, "stdout"), (2, "stderr")):
        monkeypatch.setattr(sys, name, argparse.Namespace(fileno=lambda number=number: number))
    assert medium_of(Stream(), "never").columns == columns


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_text_fits_the_encoding_of_the_stream(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Stream(encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    show(REPORT, arguments())
    expected = "a – b 한\n════════\n\n✓ good\n" if encoding == "utf-8" else "a - b \\ud55c\n============\n\n+ good\n"
    assert stream.written().decode(encoding) == expected


@pytest.mark.parametrize("name", ["html", "markdown", "json"])
def test_pages_and_data_are_utf_8_whatever_the_stream(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Stream("latin-1")
    monkeypatch.setattr(sys, "stdout", stream)
    show(REPORT, arguments(output_format=name))
    assert stream.written().decode("utf-8") == render(REPORT, name)


@pytest.mark.parametrize(
    ("suffix", "name"), [(".html", "html"), (".md", "markdown"), (".json", "json"), (".log", "text")]
)
def test_a_file_has_the_format_of_its_suffix(suffix: str, name: str, tmp_path: Path) -> None:
    show(REPORT, arguments(output=str(tmp_path / f"report{suffix}")))
    assert (tmp_path / f"report{suffix}").read_text("utf-8") == render(REPORT, name)


def test_a_format_that_is_asked_for_wins_over_the_suffix(tmp_path: Path) -> None:
    show(REPORT, arguments(output=str(tmp_path / "report.txt"), output_format="json"))
    assert json.loads((tmp_path / "report.txt").read_text("utf-8"))["schema"] == 1


def test_a_file_has_colour_only_if_that_is_asked_for(tmp_path: Path) -> None:
    show(REPORT, arguments(output=str(tmp_path / "a")))
    show(REPORT, arguments(output=str(tmp_path / "b"), color="always"))
    assert ["\x1b" in (tmp_path / name).read_text("utf-8") for name in "ab"] == [False, True]


def test_a_dash_is_the_standard_output(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    stream = Stream()
    monkeypatch.setattr(sys, "stdout", stream)
    show(REPORT, arguments(output="-"))
    assert stream.written().startswith("a – b".encode())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["check", "run"])
def test_a_report_is_not_written_over_the_program(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (path := tmp_path / "x.py").write_text("import math\n")
    assert main([command, "--output", str(path), str(path)]) == 2
    assert capsys.readouterr().err.startswith(f"error: will not write the report over {path}")
    assert path.read_text() == "import math\n"


def test_a_file_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(BadArgumentError, match=r"cannot write .* · No such file or directory · name a file"):
        show(REPORT, arguments(output=str(tmp_path / "none" / "x.html")))


def test_an_error_fits_the_encoding_of_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Stream("ascii")
    monkeypatch.setattr(sys, "stderr", stream)
    assert main(["explain", "한"]) == 2
    assert stream.written().startswith(b"error: nothing is known as '\\ud55c'\n  why: ")
