"""A capture as a report says what to fix first, what was copied, when, and where."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tensorcopy.reporting import Medium, format_names, render
from tensorcopy.reporting.drawings import Excerpt, MemoryPicture, Plot, Way
from tensorcopy.reporting.model import Callout, Code, Report, Section, Table
from tensorcopy.tracing.captures.capture import UNFINISHED
from tensorcopy.tracing.viewing.reporting import in_order, lead_of, report_of
from tests.reporting.reading import read_page
from tests.tracing.samples import CAPTURE, COPIES, CUT, EMPTY, KEPT, LOST, RANKS, SAMPLES, SPARED


def section(report: Report, title: str) -> Section:
    (found,) = [b for b in report.blocks if isinstance(b, Section) and b.title == title]
    return found


def callouts(report: Report) -> list[Callout]:
    return [b for b in section(report, "What to fix first").blocks if isinstance(b, Callout)]


def test_errors_come_first_then_what_costs_most() -> None:
    cheap = replace(SPARED, place=replace(SPARED.place, line=1))

    assert in_order(replace(CAPTURE, findings=(cheap, SPARED, LOST, KEPT, CUT))) == [KEPT, CUT, SPARED, cheap, LOST]


@pytest.mark.parametrize(
    ("capture", "lead"),
    [
        (EMPTY, "Nothing to fix."),
        (
            CAPTURE,
            "2 errors and 2 warnings in 2 optimizer steps. 3.07 MB copied in 1,214 copies, "
            "2.00 MB of them for nothing.",
        ),
        (
            replace(EMPTY, steps=1, findings=(KEPT,), copies=(replace(COPIES[2], count=1),)),
            "1 error in 1 optimizer step. 16 B copied in 1 copy.",
        ),
    ],
)
def test_the_lead_says_how_much_there_is(capture: object, lead: str) -> None:
    assert lead_of(capture) == lead  # type: ignore[arg-type]


def test_a_finding_has_its_lines_and_the_line_to_write() -> None:
    kept, *_ = callouts(report_of(CAPTURE))
    excerpt, code = kept.details

    assert kept.title.startswith("TCY601 changing-snapshot · <script>")
    assert kept.title.endswith(":6 (3 times, only on rank 1)")
    assert isinstance(excerpt, Excerpt)
    assert (excerpt.first_line, excerpt.lines) == (5, ("    t += 1", "    kept.append(t.numpy())"))
    assert [(m.line, m.text) for m in excerpt.marks] == [
        (5, KEPT.related[0].message),
        (6, "kept here, sharing the memory"),
    ]
    assert code == Code(title="Write instead", text="kept.append(t.numpy().copy())")


def test_lines_whose_file_the_capture_lacks_are_those_that_were_noted() -> None:
    lost = callouts(report_of(CAPTURE))[3]

    assert [(e.first_line, e.lines) for e in lost.details if isinstance(e, Excerpt)] == [
        (70, (LOST.place.code, "…", "read()"))
    ]


def test_a_page_has_pictures_of_memory_and_of_the_way_of_the_gradient() -> None:
    kept, cut, *_ = callouts(report_of(CAPTURE, full=True))
    (picture,) = [d for d in kept.details if isinstance(d, MemoryPicture)]
    (way,) = [d for d in cut.details if isinstance(d, Way)]

    spans = picture.storages[0].spans
    assert [(s.lo, s.hi, s.gaps) for s in spans] == [(0, 60, True), (0, 4096, False)]
    assert [(p.lo, p.hi, p.gaps) for p in picture.storages[0].shared_parts] == [(0, 60, True)]
    assert [s.strides for s in spans] == ["kept here, sharing the memory", KEPT.related[0].message]
    assert [s.label for s in way.stops] == [", ".join(CUT.names), "package/model.py:2", "package/model.py:3"]
    assert [bool(s.cut) for s in way.stops] == [False, True, False]


def test_a_page_lists_the_source_with_the_bytes_of_each_line() -> None:
    first, second = section(report_of(CAPTURE, full=True), "Source").blocks
    assert isinstance(first, Section)
    (whole,) = first.blocks
    parts = second.blocks if isinstance(second, Section) else ()

    assert isinstance(whole, Excerpt)
    assert whole.amounts is not None
    assert [(a.line, a.value, a.note) for a in whole.amounts.lines] == [(7, 3_000_000, "1,200 × clone (forward)")]
    assert [(m.line, m.target) for m in whole.marks] == [(6, "finding-1"), (7, "finding-3")]
    assert [(e.first_line, len(e.lines)) for e in parts if isinstance(e, Excerpt)] == [(1, 8), (498, 7)]


def test_the_timeline_adds_up_all_bytes_of_a_phase() -> None:
    (plot,) = section(report_of(CAPTURE, full=True), "Timeline").blocks

    assert isinstance(plot, Plot)
    assert [[(p.x, p.y) for p in s.points] for s in plot.series] == [
        [(0.0, 0), (0.25, 1_000_000), (0.5, 1_000_000), (0.75, 3_000_000)],
        [(0.0, 0), (0.25, 70_000)],
    ]
    assert [(m.x, m.target) for m in plot.moments] == [(0.25, "finding-1"), (0.5, "finding-2")]


def test_processes_are_told_where_there_are_several() -> None:
    (table,) = section(report_of(RANKS), "Processes").blocks

    assert isinstance(table, Table)
    assert [[cell.value for cell in row] for row in table.rows] == [
        ["rank 0", "1", "normally", 2, 3_070_000],
        ["rank 1", "1", "interrupted", 1, 0],
    ]


def test_a_program_that_was_killed_is_told_first() -> None:
    first = report_of(replace(CAPTURE, ended=UNFINISHED)).blocks[0]

    assert isinstance(first, Callout)
    assert first.text == "What happened in its last seconds is not in here."


def test_a_terminal_gets_the_first_findings_in_full_and_the_others_by_line() -> None:
    many = tuple(replace(SPARED, place=replace(SPARED.place, line=n + 1)) for n in range(30))
    blocks = section(report_of(replace(EMPTY, findings=many)), "What to fix first").blocks

    assert [type(b) for b in blocks] == [Callout] * 10 + [Table]
    assert isinstance(blocks[-1], Table)
    assert len(blocks[-1].rows) == 20


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("name", format_names())
@pytest.mark.parametrize("sample", SAMPLES)
def test_every_capture_renders_in_every_format(sample: str, name: str, full: bool) -> None:
    shown = render(report_of(SAMPLES[sample], full=full), name, Medium(columns=80))

    assert shown.endswith("\n")
    assert "\x1b" not in shown
    if name == "text":
        assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_link_of_a_page_leads_somewhere(sample: str) -> None:
    page = read_page(render(report_of(SAMPLES[sample], full=True), "html"))
    names = [value for name, value in page.attributes if name == "id"]
    links = {(value or "")[1:] for name, value in page.attributes if name == "href"}

    assert links - set(names) == set()
    assert len(names) == len(set(names))


def test_of_what_is_said_of_one_line_that_of_the_finding_itself_comes_first() -> None:
    others = tuple(replace(KEPT.place, function="", message=text) for text in ("one", "other", "third", "fourth"))
    (found,) = callouts(report_of(replace(CAPTURE, findings=(replace(KEPT, related=others),))))
    excerpt = found.details[0]

    assert isinstance(excerpt, Excerpt)
    assert [m.text for m in excerpt.marks] == ["kept here, sharing the memory", "one", "other", "third", "fourth"]
