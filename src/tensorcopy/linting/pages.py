"""The page of a rule as a report, for every format of reports."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..reporting.model import Block, Code, Field, KeyValues, Paragraph, Report, Section
from .analysis import Analysis, shipped
from .model import Rule

_CALLED = re.compile(r"tcy\d{3}|[a-z]+(?:-[a-z0-9]+)+", re.IGNORECASE)
_PARTS = re.compile(r"^```(?P<language>\w+)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)


def rule_report(asked: str, analysis: Analysis | None = None) -> Report | None:
    """The page of the rule of that code or name; None if there is none. Loads the rules only for what may be one."""
    if not _CALLED.fullmatch(asked.strip()):
        return None
    analysis = analysis or shipped()
    wanted = asked.strip().lower()
    rule = next((rule for rule in analysis.rules.values() if wanted in (rule.code.lower(), rule.name)), None)
    return _report(rule, analysis.page(rule.code)) if rule else None


def _report(rule: Rule, page: str) -> Report:
    """The title and lead of the page, how bad it is, and its sections."""
    head, *sections = _SECTION.split(page)
    _, lead, *rest = re.split(r"\n{2,}", head.strip(), maxsplit=2)
    facts = KeyValues(fields=(Field(name="level", value=rule.level.value), Field(name="name", value=rule.name)))
    titled = zip(sections[::2], sections[1::2], strict=True)
    blocks = (facts, *_blocks("".join(rest)), *(Section(title=t, blocks=tuple(_blocks(text))) for t, text in titled))
    data = {"code": rule.code, "name": rule.name, "level": rule.level.value, "page": page}
    return Report(title=f"{rule.code} {rule.name}", lead=_joined(lead), blocks=blocks, data=data)


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
