"""Whatever a page shows is run: its Python top to bottom, its commands, its links."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import tensorcopy
from tests.pages.reading import ROOT, Block, anchors, blocks, commands, expect, files, links, pages, run_block

PAGES = [pytest.param(page, id=str(page.relative_to(ROOT))) for page in pages()]


@pytest.mark.parametrize("page", [page for page in PAGES if "```python" in page.values[0].read_text(encoding="utf-8")])
def test_python_on_a_page_does_what_the_page_says(page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")  # pages show what that width gives
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.language == "python":
            run_block(block, names, str(page.relative_to(ROOT)))


@pytest.mark.parametrize("page", [page for page in PAGES if "$ tensorcopy " in page.values[0].read_text("utf-8")])
def test_commands_on_a_page_print_what_the_page_says(page: Path, tmp_path: Path) -> None:
    for name, text in files(page.read_text(encoding="utf-8")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    for line, output in commands(page.read_text(encoding="utf-8")):
        name, *arguments = shlex.split(line, comments=True)
        if name == "tensorcopy":
            done = run_tensorcopy(arguments, tmp_path)
            assert done.returncode in (0, 1), done.stderr
            expect(output or "...", done.stdout, f"{page.name}: {line}")


def run_tensorcopy(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(tensorcopy.__path__[0]).parent), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "tensorcopy", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False)


@pytest.mark.parametrize("page", PAGES)
def test_links_on_a_page_lead_somewhere(page: Path) -> None:
    missing = []
    for target in links(page.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and anchor not in anchors(file.read_text(encoding="utf-8"))):
            missing.append(target)
    assert missing == []


def block(text: str, *, output: str | None = None) -> Block:
    return Block(language="python", text=text, line=3, output=output)


@pytest.mark.parametrize(
    "text",
    [
        "1 + 1  # -> 2\n",
        "print('a')  # -> a\n",
        "x = [1,\n     2]\nx  # -> [1, 2]\n",
        "int('q')  # raises ValueError: invalid literal ...\n",
        "a = 1\ndel a\n",
    ],
)
def test_a_true_promise_passes(text: str) -> None:
    run_block(block(text), {}, "page")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 + 1  # -> 3\n", r"(?s)page:3: the page says\n3\nand the code says\n2"),
        ("print('a')  # -> b\n", r"(?s)page:3: the page says\nb\n"),
        ("\nint('1')  # raises ValueError: ...\n", "page:4: nothing was raised"),
        ("int('q')  # raises TypeError: ...\n", "ValueError: invalid literal"),
        ("x = 2  # -> 2\n", "None"),
    ],
)
def test_a_false_promise_fails_at_its_line(text: str, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        run_block(block(text), {}, "page")


def test_a_text_block_is_the_output_of_the_block_before_it() -> None:
    (code, text) = blocks("# t\n\n```python\nprint(5)\n```\n\n```text\n6\n```\n")
    assert code == Block(language="python", text="print(5)\n", line=4, output="6\n")
    assert text.output is None
    with pytest.raises(AssertionError, match="page:4: the page says\n6\nand the code says\n5"):
        run_block(code, {}, "page")


def test_commands_come_with_the_output_below_them() -> None:
    page = "```console\n$ a b\n1\n2\n$ c\n```\n$ d\n"
    assert list(commands(page)) == [("a b", "1\n2\n"), ("c", "")]


def test_a_block_that_begins_with_the_name_of_a_file_is_that_file() -> None:
    page = "```python\n# a.py\nb = 1\n```\n```python\n# about c.py\n```\n"
    assert list(files(page)) == [("a.py", "# a.py\nb = 1\n")]


def test_links_and_anchors_are_found_outside_code_only() -> None:
    page = "# A title, with `code`!\n[a](b.md#c) [x](https://example.org)\n```python\nd[0](e)\n```\n"
    assert (list(links(page)), anchors(page)) == (["b.md#c"], {"a-title-with-code"})
