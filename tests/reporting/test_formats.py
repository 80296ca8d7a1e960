"""Every format, found by folder, shows every kind of block with nothing lost and nothing acting."""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest

from tensorcopy.errors import BadArgumentError
from tensorcopy.reporting import Block, Medium, Report, Section, format_names, formats, render
from tensorcopy.reporting.escaping import visible, visible_lines
from tests.reporting.reading import READERS, read_page, seen_in_html, squeezed, strings_in
from tests.reporting.samples import BLOCKS, NUMBERS_SHOWN, REPORT, numbers_in, texts_in

FORMATS = format_names()
WIDE = Medium(columns=200)


def seen(report: Report, name: str) -> str:
    """What a reader of a format sees of *report*."""
    return READERS.get(name, str)(render(report, name, WIDE))


def alone(name: str) -> Report:
    return Report(title="one block", blocks=(BLOCKS[name],))


def kinds(blocks: tuple[Block, ...]) -> Iterator[type]:
    for block in blocks:
        yield type(block)
        yield from kinds(block.blocks) if isinstance(block, Section) else ()


def test_the_formats_are_the_files_of_the_folder() -> None:
    folder = Path(formats.__path__[0])
    assert set(FORMATS) == {path.stem for path in folder.glob("[!_]*.py")}
    assert set(FORMATS) >= {"html", "json", "markdown", "text"}


def test_the_sample_has_every_kind_of_block() -> None:
    assert set(kinds(REPORT.blocks)) == set(typing.get_args(Block))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("block", BLOCKS)
def test_every_text_of_a_block_is_seen_as_it_is(block: str, name: str) -> None:
    shown = seen(alone(block), name)
    texts = list(texts_in(alone(block)))
    assert [text for text in texts if not is_in(shown, text if name == "json" else visible_lines(text), name)] == []


def is_in(shown: str, text: str, name: str) -> bool:
    """Whether a text is there: in one run where cells have a run each, word by word where they stand side by side."""
    if name == "text":
        return all(word in shown for word in text.split())
    return all(squeezed(line) in squeezed(shown) for line in text.split("\n"))


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "json"])
def test_every_number_is_seen(name: str) -> None:
    shown = squeezed(seen(REPORT, name))
    assert [number for number in NUMBERS_SHOWN if squeezed(number) not in shown] == []


def test_json_has_every_number() -> None:
    written = set(numbers_in(json.loads(render(REPORT, "json"))))
    assert set(numbers_in(REPORT)) - {float("inf")} <= written
    assert json.loads(render(REPORT, "json"))["data"] == {"found": [1.5, "inf"]}


@pytest.mark.parametrize("name", FORMATS)
def test_no_output_has_a_character_that_acts(name: str) -> None:
    written = render(REPORT, name, WIDE)
    assert visible(written.replace("\n", "")) == written.replace("\n", "")
    assert written.endswith("\n")


@pytest.mark.parametrize("name", FORMATS)
def test_a_tone_is_seen_without_colour(name: str) -> None:
    shown = seen(REPORT, name)
    signs = ("good", "warn", "bad") if name == "json" else ("✓", "!", "✗")
    assert [sign for sign in signs if sign not in shown] == []


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_without_blocks_is_its_title_and_lead(name: str) -> None:
    shown = seen(Report(title="a title", lead="a lead"), name)
    assert shown.index("a title") < shown.index("a lead")


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_says_which_files_are_its_own(name: str) -> None:
    suffixes = {"html": ".html", "json": ".json", "markdown": ".md", "text": ".txt"}
    assert formats.name_for(f"dir.d/REPORT{suffixes[name].upper()}") == name


def test_no_format_claims_an_unknown_suffix() -> None:
    assert formats.name_for("report.docx") is None


def test_an_unknown_format_is_refused_by_name() -> None:
    with pytest.raises(BadArgumentError, match=r"unknown format 'docx' · the formats are html, json, markdown, text"):
        render(REPORT, "docx")


def test_a_page_has_no_tag_attribute_or_address_but_its_own() -> None:
    page = read_page(render(REPORT, "html"))
    assert page.tags.count("script") == 1
    assert page.tags.count("img") == 0
    assert [name for name, _ in page.attributes if name.startswith("on") or name in ("src", "srcset")] == []
    assert [value for name, value in page.attributes if name == "href" and not (value or "").startswith("#")] == []
    assert not re.search(r"@import|url\(", render(Report(title="x"), "html"))


def test_a_page_and_a_fragment_say_the_same() -> None:
    page, fragment = seen(REPORT, "html"), seen_in_html(REPORT._repr_html_())
    assert squeezed(fragment) in squeezed(page)
    assert {"script", "html", "body", "main"} & set(read_page(REPORT._repr_html_()).tags) == set()


def test_json_says_its_schema_first() -> None:
    assert render(REPORT, "json").startswith('{\n  "schema": 1,\n  "title": ')
    assert render(REPORT, "json").isascii()
    assert set(strings_in(json.loads(render(REPORT, "json")))) >= set(texts_in(REPORT))
