"""The pages of rules as reports."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tensorcopy.linting import upkeep
from tensorcopy.linting.pages import rule_report
from tensorcopy.reporting.model import Code, Field, KeyValues, Paragraph, Report, Section
from tests.linting.fake import ANALYSIS

PAGE = """\
# TCY801 clone-first

Copies the graph,
then cuts it.

## What happens

One
two.

- a
- b

```python
x = 1

y = 2
```

After.

## Fix

None.
"""


def test_a_page_becomes_a_report() -> None:
    report = rule_report("tcy801", replace(ANALYSIS, page=lambda code: PAGE))
    facts = KeyValues(fields=(Field(name="level", value="error"), Field(name="name", value="clone-first")))
    happens = (
        Paragraph(text="One two."),
        Paragraph(text="- a\n- b"),
        Code(text="x = 1\n\ny = 2"),
        Paragraph(text="After."),
    )
    sections = Section(title="What happens", blocks=happens), Section(title="Fix", blocks=(Paragraph(text="None."),))
    data = {"code": "TCY801", "name": "clone-first", "level": "error", "page": PAGE}
    lead = "Copies the graph, then cuts it."
    assert report == Report(title="TCY801 clone-first", lead=lead, blocks=(facts, *sections), data=data)


@pytest.mark.parametrize("asked", ["TCY900", " unreadable-file "])
def test_a_rule_is_called_by_code_or_name(asked: str) -> None:
    assert rule_report(asked, ANALYSIS).title == "TCY900 unreadable-file"


@pytest.mark.parametrize("asked", ["TCY999", "no-such-rule", "x.clone()", "torch.as_tensor", "", "a leaf Variable"])
def test_anything_else_is_none(asked: str) -> None:
    assert rule_report(asked, ANALYSIS) is None


@pytest.mark.parametrize("code", upkeep.RULES)
def test_the_rules_about_files_and_comments_have_pages(code: str) -> None:
    title, _, lead, *rest = upkeep.page_of(code).split("\n")
    assert title == f"# {code} {upkeep.RULES[code].name}"
    assert lead == f"{upkeep.RULES[code].summary[0].upper()}{upkeep.RULES[code].summary[1:]}."
    assert any(rest)
