"""The guide is what the catalogue makes of it, in both languages, and its reference leaves nothing out."""

from __future__ import annotations

import re

import pytest

from guide import claims, korean, pages
from guide.questions import QUESTIONS
from tensorcopy.catalogue import operations
from tensorcopy.catalogue.messages import messages
from tests.pages.reading import FENCE, HEADING, anchors

PAGES = pages.pages()


def test_the_pages_are_up_to_date() -> None:
    assert pages.stale() == [], "run make docs"


def test_a_page_that_differs_is_missing_or_left_over_is_stale(
    tmp_path: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "FOLDER", tmp_path)
    monkeypatch.setattr(pages, "pages", lambda: {"index.md": "new", "gone.md": "x"})
    (tmp_path / "index.md").write_text("old", encoding="utf-8")
    (tmp_path / "old.md").write_text("left over", encoding="utf-8")
    assert pages.stale() == ["gone.md", "index.md", "old.md"]


def test_every_text_of_the_main_page_is_there_in_korean_and_no_other_is() -> None:
    asked: set[str] = set()

    def note(text: str) -> str:
        asked.add(text)
        return text

    pages._main(note, "index.md", "English")
    assert asked == set(korean.texts())
    assert [text for text in asked if text != "torch.get_default_dtype()" and korean.say(text) == text] == []


def test_both_languages_show_the_same_code_and_the_same_facts() -> None:
    english, other = PAGES["index.md"], PAGES["index.ko.md"]
    assert [m["text"] for m in FENCE.finditer(english)] == [m["text"] for m in FENCE.finditer(other)]
    links = [re.findall(r"\(reference/[^)]*\)", page) for page in (english, other)]
    assert links[0] == links[1]
    assert len(re.findall(r"[가-힣]", other)) > 1000


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
def test_a_question_compares_entries_of_the_catalogue_and_shows_code_that_promises(question: object) -> None:
    assert [name for name in question.ways if name not in operations()] == []
    assert "# ->" in question.code or "# raises" in question.code


def test_every_operation_has_a_heading_of_its_own_in_the_reference() -> None:
    links = {name: pages.link(name).partition("#") for name in operations()}
    assert len(set(links.values())) == len(operations())
    assert [name for name, (page, _, anchor) in links.items() if anchor not in anchors(PAGES[page])] == []
    for name, (page, _, anchor) in links.items():
        titles = [match["title"].replace("\\", "") for match in HEADING.finditer(FENCE.sub("", PAGES[page]))]
        slugs = [pages.slug(title) for title in titles]
        nth = int(anchor.removeprefix(pages.slug(name)).removeprefix("-") or 0)
        assert [title for title, slug in zip(titles, slugs, strict=True) if slug == pages.slug(name)][nth] == name


def test_every_message_has_a_heading_of_its_own() -> None:
    assert set(messages()) <= anchors(PAGES["messages.md"])


@pytest.mark.parametrize("claim", [*claims.TENSORS, *claims.ARRAYS, *claims.MORE], ids=lambda claim: claim.claim[:40])
def test_a_claim_is_refuted_by_code_that_promises(claim: claims.Claim) -> None:
    assert "# ->" in claim.code or "# raises" in claim.code
    assert claim.truth.endswith((".", ")"))


def test_a_figure_stands_beside_its_spread_and_its_command() -> None:
    for claim in (*claims.TENSORS, *claims.ARRAYS, *claims.MORE):
        if claim.measured:
            assert re.search(r"\(\d[\d.]*–\d[\d.]*\)", claim.measured)
            assert re.search(r"`tensorcopy compare [^`]*`\.$", claim.measured)
