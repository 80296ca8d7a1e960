"""The report of a comparison, from measurements that nobody made."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tensorcopy.benchmarking.comparison import Comparison, Machine
from tensorcopy.benchmarking.measurements import Status
from tensorcopy.benchmarking.showing import data_of, plots_of
from tensorcopy.benchmarking.sweeps import Curve, Grown, Sweep
from tensorcopy.benchmarking.wishes import Wishes
from tensorcopy.reporting import Callout, Medium, Table, Tone, format_names, render

from .made_up import refused, timing, way

WAYS = (
    way("x.clone()", 1.0),
    way("x + 0", 2.0, cautions=("the dtype becomes int64",)),
    way("x.view_as(x)", 0.5, memory="shares"),
    way("torch.Tensor(x)", None, wrong=("3 becomes 4",)),
    refused("x.numpy()"),
    refused("x.item()"),
    refused("torch.from_dlpack(x)", Status.NOT_RUN),
)
FOUND = Comparison(
    group="copy",
    title="copy a tensor",
    aim="the same values",
    source="torch Tensor float32 (2,) on cpu, contiguous",
    wishes=Wishes(memory="copies"),
    measurements=WAYS,
    machine=Machine(threads=2, releases={"torch": "2.13.0"}),
)


def tables(found=FOUND, **options):
    return {block.title: block for block in found.report(**options).blocks if isinstance(block, Table)}


def lines(table):
    return [row[0].value for row in table.rows]


def test_ways_stand_under_what_is_to_be_said_of_them():
    assert {title: lines(table) for title, table in tables().items()} == {
        "What was asked for": ["x.clone()", "x + 0"],
        "Right values, but not what was asked for": ["x.view_as(x)"],
        "Silently wrong for this x": ["torch.Tensor(x)"],
        "Refused for this x": ["x.numpy()\nx.item()"],
        "Not run": ["torch.from_dlpack(x)"],
    }


def test_the_recommended_line_stands_first_with_its_reason():
    callout = next(block for block in FOUND.report().blocks if isinstance(block, Callout))
    reason = "because it owns its memory, and is the only one that does."
    assert (callout.title, callout.text) == ("x.clone()", reason)


def test_a_caution_is_a_note_on_its_line_and_the_recommended_line_is_marked():
    (first, second) = tables()["What was asked for"].rows
    assert (first[0].tone, first[0].note) == (Tone.GOOD, "")
    assert (second[0].tone, second[0].note) == (Tone.WARN, "the dtype becomes int64")


def test_what_is_the_same_for_all_rows_is_said_once():
    table = tables()["What was asked for"]
    assert [column.name for column in table.columns] == ["line", "time"]
    assert table.notes == ("All of them: memory copies, dtype float32.",)


def test_rows_beyond_the_most_are_counted():
    more = replace(FOUND, measurements=tuple(way(f"x.f{k}()", k + 1) for k in range(5)))
    table = tables(more, most=2)["What was asked for"]
    assert (len(table.rows), table.notes[-1]) == (2, "3 more: --all shows them.")


def test_a_single_round_has_no_spread_and_says_so():
    slow = way("x.tolist()", timing=replace(timing(5.0), rounds=1))
    cell = tables(replace(FOUND, measurements=(slow,)))["What was asked for"].rows[0][-1]
    assert (cell.low, cell.high, cell.note) == (None, None, "too slow to be timed often: no spread")


def test_a_busy_machine_is_named():
    busy = replace(FOUND, measurements=(way("x.clone()", timing=timing(1.0, 4.0)),))
    titles = [block.title for block in busy.report().blocks if isinstance(block, Callout)]
    assert titles == ["x.clone()", "this machine is busy"]


def test_without_a_way_there_is_a_warning_instead():
    callout = next(b for b in replace(FOUND, measurements=WAYS[3:]).report().blocks if isinstance(b, Callout))
    assert (callout.title, callout.kind.value) == ("no way to recommend", "warning")


@pytest.mark.parametrize("name", format_names())
def test_every_format_tells_of_every_way(name):
    page = render(FOUND.report(), name, Medium(columns=60))
    assert [m.code for m in WAYS if m.code not in page] == []


def test_a_page_takes_no_text_for_markup():
    hostile = replace(FOUND, source="<b>[red]x</b>", measurements=(way("<script>alert(1)</script>"),))
    page = render(hostile.report(), "html")
    assert "<script>alert" not in page
    assert "&lt;b&gt;[red]x&lt;/b&gt;" in page


def test_a_comparison_shows_itself():
    assert "x.clone()" in str(FOUND)
    assert "x.clone()" in FOUND._repr_html_()
    assert "x.clone()" in FOUND._repr_markdown_()


def test_machines_get_everything():
    data = data_of(FOUND)
    assert data["recommendation"]["line"] == "x.clone()"
    assert [w["status"] for w in data["ways"]] == ["ran"] * 4 + ["refused"] * 2 + ["not run"]
    assert data["ways"][0]["result"]["memory"] == "copies"
    assert data["ways"][2]["missing"] == ["shares memory"]


def test_curves_have_units_labels_and_one_that_stands_out():
    points = tuple(Grown(elements=n, timing=timing(n), bytes=4 * n) for n in (10, 100))
    long = "buffer = io.BytesIO(); torch.save(x, buffer)\ntorch.load(buffer)"
    curves = (Curve(code="x.clone()", points=points), Curve(code=long, name="torch.save, torch.load", points=points))
    time, size = plots_of(FOUND, Sweep(curves=curves))
    assert [(s.name, s.emphasis) for s in time.series] == [("x.clone()", True), ("torch.save, torch.load", False)]
    assert (time.x.unit, time.y.type.value, size.y.type.value) == ("elements", "time", "bytes")
    assert [(p.x, p.y) for p in size.series[0].points] == [(10, 40), (100, 400)]


def test_a_line_is_found_by_its_code():
    assert FOUND.named("x + 0").cautions == ("the dtype becomes int64",)
    with pytest.raises(KeyError, match="no such line"):
        FOUND.named("no such line")
