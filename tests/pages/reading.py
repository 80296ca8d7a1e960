"""Take a Markdown page apart: its fenced blocks, links, headings, and what its code promises in ``# ->`` comments."""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.M | re.S)
LINK = re.compile(r"\[[^\]\n]*\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#+ (?P<title>.+)$", re.M)
PROMISE = re.compile(r"#\s*(?P<kind>->|raises)\s*(?P<text>.+)$")
COMMAND = re.compile(r"^\$ (?P<line>.*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.M)
FILE = re.compile(r"# (?P<name>\w+\.py)\n")
LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block, the line of the page where its text starts, and the ``text`` block that follows it directly."""

    language: str
    text: str
    line: int
    output: str | None


def pages() -> list[Path]:
    """Every page that a reader of the project meets."""
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")])


def blocks(page: str) -> list[Block]:
    found = list(FENCE.finditer(page))
    following: list[re.Match[str] | None] = [*found[1:], None]
    return [
        Block(
            language=match["language"],
            text=match["text"],
            line=page.count("\n", 0, match.start("text")) + 1,
            output=output_of(page, match, after),
        )
        for match, after in zip(found, following, strict=False)
    ]


def output_of(page: str, match: re.Match[str], after: re.Match[str] | None) -> str | None:
    directly = after is not None and not page[match.end() : after.start()].strip()
    return after["text"] if after is not None and directly and after["language"] == "text" else None


def commands(page: str) -> Iterator[tuple[str, str]]:
    """The lines after a ``$`` in console blocks, each with the output shown below it."""
    for block in blocks(page):
        if block.language == "console":
            yield from ((match["line"], match["output"]) for match in COMMAND.finditer(block.text))


def files(page: str) -> Iterator[tuple[str, str]]:
    """Names and texts of the files that a page shows, for its commands: blocks whose first line is ``# name.py``."""
    for block in blocks(page):
        if named := FILE.match(block.text):
            yield named["name"], block.text


def links(page: str) -> Iterator[str]:
    """Targets of the links inside the repository, code blocks left out."""
    for match in LINK.finditer(FENCE.sub("", page)):
        if "://" not in match["target"] and not match["target"].startswith("mailto:"):
            yield match["target"]


def anchors(page: str) -> set[str]:
    """The names that the headings of a page can be linked by; GitHub numbers those that are there already."""
    titles = (match["title"].lower() for match in HEADING.finditer(FENCE.sub("", page)))
    slugs = [re.sub(r"[^\w\- ]", "", title).strip().replace(" ", "-") for title in titles]
    return {f"{slug}-{slugs[:k].count(slug)}" if slug in slugs[:k] else slug for k, slug in enumerate(slugs)}


def run_block(block: Block, names: dict[str, Any], where: str) -> None:
    """Run the statements of a block one by one in *names* and hold each to the promise in its last line's comment."""
    tree = ast.parse("\n" * (block.line - 1) + block.text, where)
    lines = block.text.splitlines()
    printed = ""
    for statement in tree.body:
        promise = PROMISE.search(lines[(statement.end_lineno or 0) - block.line])
        printed += run_statement(statement, names, where, promise)
    if block.output is not None:
        expect(block.output, printed, f"{where}:{block.line}")


def run_statement(statement: ast.stmt, names: dict[str, Any], where: str, promise: re.Match[str] | None) -> str:
    place = f"{where}:{statement.lineno}"
    if promise is None:
        return evaluate(statement, names, where)[1]
    if promise["kind"] == "raises":
        expect_error(promise["text"], statement, names, where)
        return ""
    value, printed = evaluate(statement, names, where)
    expect(promise["text"], printed if value is None and printed else repr(value), place)
    return printed


def expect_error(wanted: str, statement: ast.stmt, names: dict[str, Any], where: str) -> None:
    try:
        evaluate(statement, names, where)
    except Exception as error:
        expect(wanted, f"{type(error).__name__}: {error}", f"{where}:{statement.lineno}")
    else:
        raise AssertionError(f"{where}:{statement.lineno}: nothing was raised, the page says {wanted}")


def evaluate(statement: ast.stmt, names: dict[str, Any], where: str) -> tuple[Any, str]:
    """The value of a statement (None if it is no expression) and what it printed."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        if isinstance(statement, ast.Expr):
            value = eval(compile(ast.Expression(statement.value), where, "eval"), names)
        else:
            value = exec(compile(ast.Module([statement], []), where, "exec"), names)
    return value, out.getvalue()


def expect(wanted: str, got: str, place: str) -> None:
    if not doctest.OutputChecker().check_output(wanted.strip() + "\n", got.strip() + "\n", LENIENT):
        raise AssertionError(f"{place}: the page says\n{wanted.strip()}\nand the code says\n{got.strip()}")
