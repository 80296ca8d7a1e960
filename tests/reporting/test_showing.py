"""Reports in notebooks and where they are printed."""

from __future__ import annotations

from dataclasses import dataclass

from tensorcopy.reporting import Paragraph, Report, Shown, render
from tests.reporting.reading import read_page
from tests.reporting.samples import REPORT


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Shown):
    """A value that shows itself as a report."""

    text: str

    def report(self) -> Report:
        return Report(title="finding", blocks=(Paragraph(text=self.text),))


class Printer:
    """What IPython hands over."""

    def __init__(self) -> None:
        self.written = ""

    def text(self, text: str) -> None:
        self.written += text


def test_a_notebook_gets_html_whose_style_reaches_nothing_else() -> None:
    page = REPORT._repr_html_()
    assert page.startswith('<div class="tensorcopy"><style>')
    style = page[page.index("<style>") + 7 : page.index("</style>")]
    flat = style.replace("@media print", "").replace("@media screen and (prefers-color-scheme:dark)", "")
    selectors = [part.rpartition("}")[2].rpartition("{")[2] for part in flat.split("{")[:-1]]
    assert [s for s in selectors if s and ".tensorcopy" not in s] == []
    assert read_page(page).tags[:2] == ["div", "style"]


def test_a_notebook_that_shows_no_html_gets_markdown() -> None:
    assert REPORT._repr_markdown_() == render(REPORT, "markdown")


def test_print_gives_text_without_colour_or_a_last_empty_line() -> None:
    assert str(REPORT) + "\n" == render(REPORT, "text")


def test_anything_with_a_report_shows_itself() -> None:
    finding, printer = Finding(text="a & b"), Printer()
    finding._repr_pretty_(printer, False)
    assert printer.written == str(finding) == "finding\n═══════\n\na & b"
    assert "a &amp; b" in finding._repr_html_()
    assert "a &amp; b" in finding._repr_markdown_()
    assert repr(finding) == "Finding(text='a & b')"


def test_a_cycle_is_cut_short() -> None:
    printer = Printer()
    Finding(text="x")._repr_pretty_(printer, True)
    assert printer.written == "..."
