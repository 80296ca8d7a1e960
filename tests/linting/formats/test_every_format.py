"""What holds for every format: nothing is lost, and nothing acts that is quoted."""

from __future__ import annotations

import json
import re

import pytest

from tensorcopy.cli.commands.check import FORMATS
from tensorcopy.errors import BadArgumentError
from tensorcopy.linting.formats import name_for, names, render
from tensorcopy.reporting import format_names
from tensorcopy.reporting.medium import Medium
from tests.linting.formats.samples import HOSTILE, SAMPLES, USUAL

EVERY = sorted({*names(), *format_names()})


def test_the_command_offers_the_formats_of_the_folder() -> None:
    assert set(FORMATS) | set(format_names()) == set(EVERY)


@pytest.mark.parametrize("name", EVERY)
def test_every_finding_is_shown_with_its_places(name: str) -> None:
    text = render(USUAL, name)
    if name in ("json", "gitlab", "sarif"):
        text = json.dumps(json.loads(text), ensure_ascii=False)
    plain = re.sub(r"\\(.)", r"\1", text)
    for finding in USUAL.findings:
        assert finding.code in text
        assert finding.message in plain
        assert finding.place.file in plain.replace("b%20%C3%A9.py", "b é.py")
    if name not in ("concise",):
        assert "torch comes from here" in plain
        assert "the same model" in plain


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("sample", SAMPLES)
def test_every_outcome_is_shown_and_ends_its_last_line(name: str, sample: str) -> None:
    text = render(SAMPLES[sample], name)
    assert text.endswith("\n") or (text == "" and sample == "nothing")


@pytest.mark.parametrize("name", EVERY)
def test_no_character_of_a_message_acts(name: str) -> None:
    text = render(SAMPLES["strange"], name)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", text)
    assert HOSTILE not in text


def test_a_file_has_the_format_of_its_suffix() -> None:
    paths = ("a.sarif", "a.sarif.json", "a.json", "a.xml", "a.txt", "A.HTML", "a.md", "a")
    assert [name_for(path) for path in paths] == ["sarif", "sarif", "json", "junit", "text", "html", "markdown", None]


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(BadArgumentError, match="unknown format 'x'"):
        render(USUAL, "x", Medium())
