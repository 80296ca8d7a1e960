"""The formats of captures are found by folder; each renders every capture."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tensorcopy.cli.commands import view
from tensorcopy.errors import BadArgumentError
from tensorcopy.reporting import format_names
from tensorcopy.tracing.captures.capture import Capture, Events, Timeline
from tensorcopy.tracing.kinds import KINDS
from tensorcopy.tracing.viewing import formats
from tensorcopy.tracing.viewing.formats import name_for, render
from tests.linting.formats.sarif_shape import faults
from tests.tracing.samples import CAPTURE, CUT, KEPT, RANKS, SAMPLES, SPARED

NAMES = formats.names()


def test_the_command_offers_the_formats_of_the_folder() -> None:
    folder = {path.stem for path in Path(formats.__path__[0]).glob("[!_]*.py")}

    assert set(NAMES) == folder
    assert set(NAMES) <= {*view.FORMATS, *format_names()}
    assert set(view.FORMATS) <= folder


@pytest.mark.parametrize("name", [*NAMES, *format_names()])
@pytest.mark.parametrize("sample", SAMPLES)
def test_every_capture_is_rendered_and_nothing_in_it_acts(sample: str, name: str) -> None:
    shown = render(SAMPLES[sample], name)

    assert shown.endswith("\n")
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    if name in NAMES:
        assert shown.isascii()
        assert json.loads(shown)


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(BadArgumentError, match="unknown format 'docx'"):
        render(CAPTURE, "docx")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a.html", "html"),
        ("a.json", "json"),
        ("a.perfetto.json", "perfetto"),
        ("a.trace.json", "perfetto"),
        ("a.sarif", "sarif"),
        ("a.md", "markdown"),
        ("a.docx", None),
    ],
)
def test_the_suffix_gives_the_format(path: str, name: str | None) -> None:
    assert name_for(path) == name


# --- json -------------------------------------------------------------------------------------------------------------


def test_json_has_the_findings_in_the_shape_of_check() -> None:
    kept, cut, spared, lost = json.loads(render(CAPTURE, "json"))["findings"]

    assert {key: cut[key] for key in ("code", "name", "level", "message", "file", "line", "related", "instead")} == {
        "code": "TCY623",
        "name": "gradient-cut",
        "level": "error",
        "message": CUT.message,
        "file": "/project/package/model.py",
        "line": 2,
        "related": [{"file": "/project/package/model.py", "line": 3, "message": "the value arrives here"}],
        "instead": "loss = a(x) + b(x)",
    }
    assert (kept["only"], kept["count"], lost["instead"]) == (["rank 1"], 3, "")
    assert spared["instead"] == "return t"


def test_json_has_totals_by_kind_and_phase() -> None:
    totals = json.loads(render(CAPTURE, "json"))["totals"]

    assert totals["all"] == {"count": 1214, "bytes": 3_070_026, "seconds": 0.012, "saved_bytes": 2_000_000}
    assert totals["kinds"]["clone"]["bytes"] == 3_000_016
    assert list(totals["phases"]) == ["data", "forward", "backward", "other"]


# --- sarif ------------------------------------------------------------------------------------------------------------


def test_sarif_is_of_the_standard_and_has_all_kinds_as_rules() -> None:
    log = json.loads(render(CAPTURE, "sarif"))
    (run,) = log["runs"]

    assert faults(log) == []
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [kind.code for kind in KINDS.values()]
    assert [(r["ruleId"], r["level"]) for r in run["results"]] == [
        ("TCY601", "error"),
        ("TCY623", "error"),
        ("TCY661", "warning"),
        ("TCY999", "note"),
    ]


def test_sarif_tells_equal_findings_apart() -> None:
    (run,) = json.loads(render(replace(CAPTURE, findings=(SPARED, SPARED)), "sarif"))["runs"]

    assert len({r["partialFingerprints"]["tensorcopy/v1"] for r in run["results"]}) == 2


# --- perfetto ---------------------------------------------------------------------------------------------------------


def events(capture: Capture) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(render(capture, "perfetto"))["traceEvents"]
    return found


def test_a_trace_has_events_of_the_kinds_that_perfetto_reads() -> None:
    found = events(CAPTURE)

    assert Counter(e["ph"] for e in found) == {"M": 5, "X": 4, "C": 4, "i": 4}
    for event in found:
        assert {"name", "ph", "pid", "ts"} <= set(event)
        assert type(event["ts"]) is type(event["pid"]) is int
        assert event["ts"] >= 0
        assert event["ph"] != "X" or event["dur"] >= 0
    assert all(thread < 1 << 31 for thread in (e["tid"] for e in found))


def test_copies_are_slices_on_the_thread_that_made_them() -> None:
    one, other = [e for e in events(CAPTURE) if e["ph"] == "X" and e["cat"] != "steps"]

    assert (one["name"], one["cat"], one["ts"], one["dur"]) == ("clone", "forward", 10, 5)
    assert one["args"]["bytes"] == 4096
    assert one["args"]["code"] == "return t.clone()"
    assert one["args"]["shown"] == "one copy in 4"
    assert one["tid"] != other["tid"]


def test_the_counter_ends_at_all_bytes_of_each_phase() -> None:
    last = [e for e in events(CAPTURE) if e["ph"] == "C"][-1]

    assert (last["ts"], sorted(last["args"].values())) == (750_000, [70_000, 3_000_000])


def test_steps_and_findings_stand_where_they_happened() -> None:
    found = events(CAPTURE)

    assert [(e["name"], e["ts"], e["dur"]) for e in found if e.get("cat") == "steps"] == [
        ("step 1", 0, 400_000),
        ("step 2", 400_000, 400_000),
    ]
    assert [(e["name"], e["ts"]) for e in found if e["ph"] == "i"][:2] == [
        ("TCY601 changing-snapshot", 250_000),
        ("TCY623 gradient-cut", 500_000),
    ]


def test_processes_that_began_later_stand_later_and_have_their_own_findings() -> None:
    found = events(RANKS)

    names = {e["args"]["name"]: e["pid"] for e in found if e["name"] == "process_name"}
    assert names == {"tensorcopy: rank 0 (1)": 1, "tensorcopy: rank 1 (1)": 2}
    kept = next(e for e in found if e["name"] == f"{KEPT.code} {KEPT.name}")
    assert (kept["pid"], kept["ts"]) == (2, 1_500_000 + 250_000)


def test_many_processes_of_many_threads_stay_apart() -> None:
    threads = Events(at=(1,) * 3, took=(1,) * 3, bytes=(1,) * 3, line=(0,) * 3, thread=(5, 6, 5))
    found = events(replace(CAPTURE, timeline=Timeline(events=threads), findings=()))

    assert [e["tid"] for e in found if e["ph"] == "X"] == [2, 3, 2]
