"""The page of a traced run in a real browser sorts, filters and leads from place to place, and nothing in it acts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tensorcopy.tracing.viewing.formats import render
from tests.tracing.samples import CAPTURE, COPIES, RANKS, SAMPLES

OpenPage = Callable[..., Any]
MANY = replace(
    CAPTURE,
    copies=(
        *COPIES,
        *(replace(COPIES[1], place=replace(COPIES[1].place, line=10 + n), bytes=10**n, kind="cast") for n in range(8)),
    ),
)


def column(page: Any, table: str, number: int) -> list[str]:
    """What is seen in a column of the table of that caption."""
    rows = page.locator("table", has=page.locator("caption", has_text=table)).locator("tbody tr:visible")
    return [text.strip() for text in rows.locator(f"td:nth-child({number})").all_inner_texts()]


def test_a_click_on_a_heading_sorts_by_amount_and_another_turns_it_round(open_page: OpenPage) -> None:
    page = open_page(render(MANY, "html"))
    table = page.locator("table", has=page.locator("caption", has_text="By line"))
    table.get_by_role("button", name="copied").click()

    up = column(page, "By line", 4)
    assert up[:4] == ["1 B", "10 B", "10 B", "16 B"]
    assert table.locator("th[aria-sort=ascending]").inner_text().startswith("copied")

    table.get_by_role("button", name="copied").click()
    down = column(page, "By line", 4)
    assert down[:2] == ["10.0 MB", "3.00 MB"]
    assert sorted(up) == sorted(down)


def test_a_word_filters_the_rows_and_says_how_many_are_left(open_page: OpenPage) -> None:
    page = open_page(render(MANY, "html"))
    caption = page.locator("caption", has_text="By line")
    caption.get_by_role("searchbox").fill("cast 1.00 mb")

    assert column(page, "By line", 4) == ["1.00 MB"]
    assert caption.get_by_role("status").inner_text() == "1 of 12"

    caption.get_by_role("searchbox").fill("")
    assert len(column(page, "By line", 4)) == 12


def test_a_finding_leads_to_its_line_and_the_line_back(open_page: OpenPage) -> None:
    page = open_page(render(CAPTURE, "html"))
    page.get_by_role("link", name="TCY601 changing-snapshot").first.click()
    card = page.locator(".callout:target")
    assert card.inner_text().startswith("✗ Error: TCY601 changing-snapshot")

    card.get_by_role("link", name="6", exact=True).click()
    line = page.locator("tr:target")
    assert "kept.append(t.numpy())" in line.inner_text()
    assert line.evaluate(
        "row => { const at = row.getBoundingClientRect(); return at.top >= 0 && at.bottom <= innerHeight }"
    )

    page.get_by_role("link", name="TCY601 changing-snapshot: kept here").click()
    assert page.locator(".callout:target").inner_text().startswith("✗ Error: TCY601")


def test_bars_are_as_long_as_what_they_stand_for(open_page: OpenPage) -> None:
    page = open_page(render(CAPTURE, "html"))
    shares = page.locator(".amount span").evaluate_all("bars => bars.map(bar => bar.style.getPropertyValue('--share'))")

    assert shares == ["100.0%", "2.3%", "0.5%"]


@pytest.mark.parametrize("sample", SAMPLES)
def test_markup_in_code_names_and_messages_does_nothing(sample: str, open_page: OpenPage) -> None:
    page = open_page(render(SAMPLES[sample], "html"))

    assert page.evaluate("window.hacked") is None
    assert page.locator("script").count() == 1
    assert page.locator("img").count() == 0


def test_a_page_whose_scripts_are_off_says_the_same(browser: Any, tmp_path: Any) -> None:
    (tmp_path / "page.html").write_text(render(CAPTURE, "html"), encoding="utf-8")
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto((tmp_path / "page.html").as_uri())

    assert page.locator("caption", has_text="By line").count() == 1
    assert page.get_by_role("searchbox").count() == 0
    context.close()


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1280, 400])
def test_no_width_and_no_theme_makes_the_page_itself_scroll_sideways(
    width: int, dark: bool, open_page: OpenPage
) -> None:
    page = open_page(render(RANKS, "html"), width=width, dark=dark)

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    background = page.evaluate("getComputedStyle(document.querySelector('main')).backgroundColor")
    assert background == ("rgb(20, 24, 29)" if dark else "rgb(255, 255, 255)")


def test_text_stands_out_from_what_is_behind_it(open_page: OpenPage) -> None:
    for dark in (False, True):
        page = open_page(render(CAPTURE, "html"), dark=dark)
        contrast = """() => {
          const light = color => { const [r, g, b] = color.match(/[\\d.]+/g).map(Number)
            .map(v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
            return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
          const solid = color => !/, 0\\)$/.test(color) && color !== "transparent";
          const behind = e => { while (e && !solid(getComputedStyle(e).backgroundColor)) e = e.parentElement;
            return getComputedStyle(e ?? document.body).backgroundColor; };
          const faint = [];
          for (const e of document.querySelectorAll("main p, main td, main code, main th, main a, .beside, li")) {
            if (!e.innerText?.trim() || e.closest("svg")) continue;
            const [a, b] = [light(getComputedStyle(e).color), light(behind(e))].sort((x, y) => y - x);
            if ((a + 0.05) / (b + 0.05) < 4.5) faint.push(e.className + ": " + e.innerText.slice(0, 40));
          }
          return faint;
        }"""
        assert page.evaluate(contrast) == []
