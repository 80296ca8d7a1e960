"""Text from elsewhere shows as it is, whatever it is made of."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tensorcopy.reporting import Cell, Code, Column, Medium, Paragraph, Report, ValueType, render, table
from tensorcopy.reporting.escaping import visible, visible_lines
from tensorcopy.reporting.formats.markdown import code, fenced, words
from tests.reporting.reading import READERS, markdown_page, read_page, seen_in_html, squeezed

MARKUP = st.text(st.sampled_from("`*_[]()<>&|~$#\\-+=!.:/ \t\n1aé\x1b\u202e"), max_size=25)
TEXT = st.text(max_size=40) | MARKUP


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain 한국어 é", "plain 한국어 é"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\x00\x9b", "\\x00\\x9b"),
        ("a\u202eb\u2066", "a\\u202eb\\u2066"),
        ("\udc80\ufeff", "\\udc80\\ufeff"),
    ],
)
def test_acting_characters_are_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_line_ends_stay_line_ends_and_tabs_reach_stops_where_lines_are_kept() -> None:
    assert visible_lines("a\tb\r\nc\rd\n\x1b\x0c") == "a   b\nc\nd\n\\x1b\\x0c"


@given(TEXT)
def test_what_is_visible_stays_as_it_is(text: str) -> None:
    assert visible(visible(text)) == visible(text)
    assert visible_lines(visible_lines(text)) == visible_lines(text)


@given(TEXT)
@example("1. a")
@example("- a")
@example("# a")
@example("a  \\")
@example("![x](y)")
@example("<b>&lt;")
@example("https://a.b/_c_")
def test_markdown_words_show_every_character(text: str) -> None:
    page = markdown_page(words(text))
    assert squeezed(seen_in_html(page)) == squeezed(visible(text))
    assert set(read_page(page).tags) <= {"p"}


@given(TEXT.filter(lambda text: "\n" not in text))
@example("a`b")
@example("|")
@example("\\|")
@example("`` ` ``")
@example(" a ")
def test_markdown_code_shows_every_character_in_a_table_too(text: str) -> None:
    page = markdown_page(f"| head |\n| --- |\n| {code(text)} |\n")
    assert squeezed(seen_in_html(page)) == "head" + squeezed(visible(text))
    assert set(read_page(page).tags) <= {"table", "thead", "tbody", "tr", "th", "td", "code"}


@given(TEXT)
@example("```\na\n````")
def test_a_markdown_fence_holds_whatever_is_in_it(text: str) -> None:
    page = read_page(markdown_page(fenced(text, 'python"><x')))
    assert "".join(page.texts).strip("\n") == visible_lines(text).strip("\n")
    assert page.tags == ["pre", "code"]


@settings(max_examples=25)
@given(TEXT)
@example("\t0\t*")
def test_every_format_shows_any_text_in_a_cell_in_code_and_in_a_paragraph(text: str) -> None:
    rows = [[Cell(value=text), Cell(value=text, note=text or "n")]]
    cells = table(["plain", Column(name="code", type=ValueType.CODE)], rows)
    report = Report(title=text, blocks=(cells, Code(text=text), Paragraph(text=text)))
    for name in ("html", "markdown"):
        shown = READERS[name](render(report, name))
        assert squeezed(shown).count(squeezed(visible_lines(text))) >= 4 or not squeezed(visible_lines(text))
    lines = render(report, "text", Medium(columns=90)).replace("\n", "")
    assert visible(lines) == lines
