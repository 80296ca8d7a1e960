"""What a person sees of each format, as one run of text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from markdown_it import MarkdownIt


class PageReader(HTMLParser):
    """Collects the text, the tags and the attributes of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in ("meta", "br", "hr", "img", "wbr"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self.open):
            self.texts.append(data)


def read_page(page: str) -> PageReader:
    reader = PageReader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


def seen_in_html(page: str) -> str:
    return "".join(read_page(page).texts)


def markdown_page(text: str) -> str:
    """Markdown as HTML, with the tables that GitHub adds."""
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)


def seen_in_markdown(text: str) -> str:
    return seen_in_html(markdown_page(text))


def strings_in(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for inner in value:
                yield from strings_in(inner)
        case dict():
            yield from strings_in(list(value.values()))


def seen_in_json(text: str) -> str:
    return "\n".join(strings_in(json.loads(text)))


READERS = {"html": seen_in_html, "markdown": seen_in_markdown, "json": seen_in_json}


def squeezed(text: str) -> str:
    """Without white space, which formats may change, and without the bars that text has at its sides."""
    return re.sub(r"[\s┃│]", "", text)
