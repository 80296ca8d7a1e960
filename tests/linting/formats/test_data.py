"""Formats for other programs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tensorcopy.linting import upkeep
from tensorcopy.linting.contents import Contents
from tensorcopy.linting.formats import render
from tests.linting.formats.samples import CELLS, DATA, FILES, HOSTILE, NOTHING, SAMPLES, USUAL, at, found, outcome
from tests.linting.formats.sarif_shape import faults

FIRST_COLUMNS = {"line": 1, "column": 1, "end_line": 1}


def test_json_has_everything() -> None:
    value = json.loads(render(USUAL, "json"))
    assert value["findings"][0] == {
        "code": "TCY801",
        "name": "clone-first",
        "level": "error",
        "message": "the copy is made on the graph",
        "file": "a.py",
        "line": 5,
        "column": 6,
        "end_line": 5,
        "end_column": 24,
        "related": [
            {
                "file": "a.py",
                "line": 1,
                "column": 1,
                "end_line": 1,
                "end_column": 13,
                "message": "torch comes from here",
            },
            {"file": "b é.py", "line": 1, "column": 1, "end_line": 1, "end_column": 3, "message": "the same model"},
        ],
        "fix": {
            "title": "detach first",
            "safe": True,
            "edits": [{"line": 5, "column": 6, "end_line": 5, "end_column": 24, "text": "x.detach().clone()"}],
        },
    }
    assert value["summary"] == {
        "files": 3,
        "lines": 1234,
        "errors": 1,
        "warnings": 1,
        "notes": 1,
        "silenced": 2,
        "in_baseline": 1,
        "counts": {"TCY801": 1, "TCY802": 1, "TCY851": 1},
    }
    assert value["schema"] == 1
    assert json.loads(render(CELLS, "json"))["findings"][0]["cell"] == 2


def test_github_gets_a_command_for_each_finding() -> None:
    assert render(USUAL, "github").split("\n") == [
        "::error title=tensorcopy TCY801 (clone-first),file=a.py,line=5,col=6,endColumn=24,endLine=5::"
        "the copy is made on the graph%0Aa.py:1:1: torch comes from here%0Ab é.py:1:1: the same model",
        "::warning title=tensorcopy TCY802 (hidden-data),file=b é.py,line=1,col=16,endColumn=23,endLine=1::"
        "autograd does not see it",
        "::notice title=tensorcopy TCY851 (late-zeros),file=b é.py,line=2,endLine=3::it is filled twice",
        "",
    ]


def test_a_message_cannot_start_a_command_of_its_own() -> None:
    (line, end) = render(SAMPLES["strange"], "github").split("\n")
    assert end == ""
    assert line.count("::error ") == 1 + line.partition("::")[2].partition("::")[2].count("::error ")
    assert "%250A" in line


def test_gitlab_gets_severities_places_and_fingerprints_that_differ() -> None:
    twice = outcome(*USUAL.findings, USUAL.findings[0])
    entries = json.loads(render(twice, "gitlab"))
    assert [entry["severity"] for entry in entries] == ["critical", "major", "info", "critical"]
    assert len({entry["fingerprint"] for entry in entries}) == 4
    assert entries[0]["location"] == {
        "path": "a.py",
        "positions": {"begin": {"line": 5, "column": 6}, "end": {"line": 5, "column": 24}},
    }


def test_a_fingerprint_stays_when_the_line_moves() -> None:
    def fingerprint(before: bytes, line: int) -> str:
        contents = Contents({"a.py": before + FILES["a.py"]})
        one = outcome(found(DATA, at("a.py", line, 6, line, 9), "m"), contents=contents)
        return json.loads(render(one, "gitlab"))[0]["fingerprint"]

    assert fingerprint(b"", 5) == fingerprint(b"\n\n", 7) != fingerprint(b"", 6)


@pytest.mark.parametrize("sample", SAMPLES)
def test_junit_is_a_suite_for_each_file_and_a_failed_test_for_each_finding(sample: str) -> None:
    one = SAMPLES[sample]
    root = ElementTree.fromstring(render(one, "junit"))
    suites = root.findall("testsuite")
    assert root.tag == "testsuites"
    assert len(suites) == max(len({f.place.file for f in one.findings}), 1)
    assert len(root.findall("testsuite/testcase")) == max(len(one.findings), 1) == int(root.get("tests"))
    failures = root.findall("testsuite/testcase/failure")
    assert len(failures) == len(one.findings) == int(root.get("failures"))
    for suite in suites:
        assert int(suite.get("tests")) == len(suite.findall("testcase"))
    if sample == "usual":
        assert failures[0].attrib == {"type": "error", "message": "the copy is made on the graph"}
        assert suites[0].find("testcase").get("name") == "TCY801 clone-first at a.py:5:6"
        assert failures[0].text.split("\n")[1] == "a.py:1:1: torch comes from here"


@pytest.mark.parametrize("sample", SAMPLES)
def test_sarif_is_of_the_shape_that_the_standard_gives(sample: str) -> None:
    log = json.loads(render(SAMPLES[sample], "sarif"))
    assert faults(log) == []
    (run,) = log["runs"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


@pytest.mark.skipif(
    "SARIF_SCHEMA" not in os.environ, reason="SARIF_SCHEMA names no file with the schema of the standard"
)
@pytest.mark.parametrize("sample", SAMPLES)
def test_sarif_fits_the_official_schema(sample: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(Path(os.environ["SARIF_SCHEMA"]).read_text("utf-8"))
    validator = jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())
    assert [error.message for error in validator.iter_errors(json.loads(render(SAMPLES[sample], "sarif")))] == []


def test_sarif_has_places_fixes_and_help(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (run,) = json.loads(render(USUAL, "sarif"))["runs"]
    first, second, third = run["results"]
    assert run["originalUriBaseIds"] == {"SRCROOT": {"uri": f"{tmp_path.as_uri()}/"}}
    assert first["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "a.py", "uriBaseId": "SRCROOT"},
                "region": {"startLine": 5, "startColumn": 6, "endLine": 5, "endColumn": 24},
            }
        }
    ]
    assert [place["message"]["text"] for place in first["relatedLocations"]] == [
        "torch comes from here",
        "the same model",
    ]
    (change,) = first["fixes"][0]["artifactChanges"]
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 5, "startColumn": 6, "endLine": 5, "endColumn": 24},
            "insertedContent": {"text": "x.detach().clone()"},
        }
    ]
    assert second["fixes"][0]["description"]["text"] == "say detach (read it before you keep it)"
    assert second["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "b%20%C3%A9.py"
    assert (third["level"], "fixes" in third) == ("note", False)
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert rules["TCY801"]["help"]["markdown"] == "# clone-first\n\nText.\n"
    assert rules["TCY851"]["defaultConfiguration"] == {"level": "note", "enabled": False}


def test_an_unfinished_check_was_not_successful() -> None:
    broken = outcome(upkeep.finding(upkeep.UNFINISHED, "m", upkeep.at("a.py")))
    assert json.loads(render(broken, "sarif"))["runs"][0]["invocations"] == [{"executionSuccessful": False}]
    assert json.loads(render(NOTHING, "sarif"))["runs"][0]["invocations"] == [{"executionSuccessful": True}]


def test_hostile_text_comes_back_from_data_as_it_was() -> None:
    assert json.loads(render(SAMPLES["strange"], "json"))["findings"][0]["message"] == HOSTILE
    assert json.loads(render(SAMPLES["strange"], "sarif"))["runs"][0]["results"][0]["message"]["text"] == HOSTILE
