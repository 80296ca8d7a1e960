"""The page of a rule or of a kind of finding, in Markdown, as a report."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .model import Block, Code, Field, KeyValues, Paragraph, Report, Section

_PARTS = re.compile(r"^```(?P<language>\w+)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)


def page_report(code: str, name: str, level: str, page: str) -> Report:
    """The title and lead of *page*, how bad it is, and its sections."""
    head, *sections = _SECTION.split(page)
    _, lead, *rest = re.split(r"\n{2,}", head.strip(), maxsplit=2)
    facts = KeyValues(fields=(Field(name="level", value=level), Field(name="name", value=name)))
    titled = zip(sections[::2], sections[1::2], strict=True)
    blocks = (facts, *_blocks("".join(rest)), *(Section(title=t, blocks=tuple(_blocks(text))) for t, text in titled))
    data = {"code": code, "name": name, "level": level, "page": page}
    return Report(title=f"{code} {name}", lead=_joined(lead), blocks=blocks, data=data)


def _blocks(text: str) -> Iterator[Block]:
    """Paragraphs and code, in order."""
    end = 0
    for match in _PARTS.finditer(text):
        yield from _paragraphs(text[end : match.start()])
        yield Code(text=match["code"].rstrip("\n"), language=match["language"])
        end = match.end()
    yield from _paragraphs(text[end:])


def _paragraphs(text: str) -> Iterator[Paragraph]:
    for part in re.split(r"\n{2,}", text.strip()):
        if part:
            yield Paragraph(text=part if re.match(r"[-*|\d]", part) else _joined(part))


def _joined(text: str) -> str:
    return " ".join(text.split())
