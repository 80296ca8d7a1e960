"""The blocks: what they work out, and that they refuse to contradict themselves."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorcopy.reporting import (
    Align,
    Axis,
    Cell,
    Column,
    Excerpt,
    Field,
    KeyValues,
    Mark,
    Plot,
    Point,
    Series,
    SharedPart,
    Span,
    Storage,
    Table,
    ValueType,
    table,
)
from tests.reporting.samples import REPORT


def test_a_table_is_made_from_plain_values() -> None:
    made = table(
        ["a", Column(name="n", type=ValueType.NUMBER)], [["x", 1], [Cell(value="y", note="why"), None]], notes=["z"]
    )
    assert made == Table(
        columns=(Column(name="a"), Column(name="n", type=ValueType.NUMBER)),
        rows=((Cell(value="x"), Cell(value=1)), (Cell(value="y", note="why"), Cell(value=None))),
        notes=("z",),
    )


def test_equal_footnotes_are_one() -> None:
    cells = [[Cell(value=1, note="b"), Cell(value=2, note="a")], [Cell(value=3, note="b"), 4]]
    assert table(["x", "y"], cells).footnotes == ("b", "a")


@pytest.mark.parametrize(
    ("column", "key"),
    [
        (Column(name="Time", type=ValueType.TIME), "time_seconds"),
        (Column(name="seconds", type=ValueType.TIME), "seconds"),
        (Column(name="peak bytes", type=ValueType.BYTES), "peak_bytes"),
        (Column(name="size", type=ValueType.NUMBER, unit="elements"), "size_elements"),
        (Column(name="keeps graph?", type=ValueType.YES_NO), "keeps_graph"),
        (Column(name="Zeit", key="time", type=ValueType.TIME), "time_seconds"),
        (Column(name="??"), "value"),
        (Column(name="크기"), "크기"),
    ],
)
def test_keys_for_machines_end_in_the_unit(column: Column, key: str) -> None:
    assert column.machine_key == key
    assert Field(name=column.name, value=1, type=column.type, unit=column.unit, key=column.key).machine_key == key


@pytest.mark.parametrize("value_type", ValueType)
def test_quantities_stand_on_the_right(value_type: ValueType) -> None:
    side = Align.RIGHT if value_type in (ValueType.NUMBER, ValueType.TIME, ValueType.BYTES) else Align.LEFT
    assert Column(name="x", type=value_type).side is side
    assert Column(name="x", type=value_type, align=Align.LEFT).side is Align.LEFT


def test_shared_parts_are_worked_out_from_spans_without_gaps() -> None:
    spans = (Span(label="a", lo=0, hi=10), Span(label="b", lo=5, hi=20), Span(label="c", lo=8, hi=9))
    gappy = Span(label="d", lo=0, hi=20, gaps=True)
    assert Storage(name="s", bytes=20, spans=(*spans, gappy)).shared_parts == (
        SharedPart(lo=5, hi=8, labels=("a", "b")),
        SharedPart(lo=8, hi=9, labels=("a", "b", "c")),
        SharedPart(lo=9, hi=10, labels=("a", "b")),
    )


def test_an_empty_span_parts_nothing_that_others_share() -> None:
    spans = (Span(label="a", lo=0, hi=9), Span(label="b", lo=0, hi=9), Span(label="empty", lo=4, hi=4))
    assert Storage(name="s", bytes=9, spans=spans).shared_parts == (SharedPart(lo=0, hi=9, labels=("a", "b")),)


def test_shared_parts_that_are_given_are_believed() -> None:
    spans = (Span(label="even", lo=0, hi=10, gaps=True), Span(label="odd", lo=1, hi=10, gaps=True))
    part = SharedPart(lo=3, hi=4, labels=("even", "odd"))
    assert Storage(name="s", bytes=10, spans=spans).shared_parts == ()
    assert Storage(name="s", bytes=10, spans=spans, shared=(part,)).shared_parts == (part,)
    assert Storage(name="s", bytes=10, spans=(Span(label="a", lo=0, hi=9),) * 2, shared=()).shared_parts == ()


RANGES = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)).map(sorted), max_size=5)


@given(RANGES)
def test_shared_and_uncovered_bytes_agree_with_counting_them(ranges: list[list[int]]) -> None:
    spans = tuple(Span(label=str(i), lo=lo, hi=hi) for i, (lo, hi) in enumerate(ranges))
    storage = Storage(name="s", bytes=30, spans=spans)
    on = [tuple(s.label for s in spans if s.lo <= byte < s.hi) for byte in range(30)]
    assert storage.uncovered == on.count(())
    expanded = {byte: part.labels for part in storage.shared_parts for byte in range(part.lo, part.hi)}
    assert expanded == {byte: labels for byte, labels in enumerate(on) if len(labels) > 1}


ONE = Column(name="a")


@pytest.mark.parametrize(
    ("build", "why"),
    [
        (lambda: Table(columns=(), rows=()), "a table has columns"),
        (lambda: Table(columns=(ONE,), rows=((Cell(value=1),) * 2,)), "a row of 2 cells in a table of 1 columns"),
        (lambda: Table(columns=(ONE, Column(name="A")), rows=()), "two columns of one key"),
        (lambda: KeyValues(fields=(Field(name="a", value=1), Field(name="A", value=2))), "two fields of one key"),
        (lambda: Storage(name="s", bytes=5, spans=(Span(label="a", lo=0, hi=6),)), r"\[0, 6\) is not within 5 bytes"),
        (lambda: Storage(name="s", bytes=5, spans=(Span(label="a", lo=3, hi=2),)), r"\[3, 2\) is not within 5 bytes"),
        (
            lambda: Storage(name="s", bytes=5, shared=(SharedPart(lo=-1, hi=2, labels=()),)),
            r"\[-1, 2\) is not within 5 bytes",
        ),
        (
            lambda: Plot(x=Axis(name="x"), y=Axis(name="y"), series=(Series(name="a", points=(Point(x=1, y=-1),)),)),
            "on a logarithmic axis",
        ),
        (
            lambda: Plot(x=Axis(name="x"), y=Axis(name="y"), series=(Series(name="a", points=()),) * 2),
            "two series of one name",
        ),
        (lambda: Excerpt(path="p", first_line=5, lines=("x",), marks=(Mark(line=6),)), "is on no line of the excerpt"),
    ],
)
def test_a_block_that_contradicts_itself_is_a_bug(build: Callable[[], object], why: str) -> None:
    with pytest.raises(AssertionError, match=why):
        build()


def test_a_report_pickles_and_compares() -> None:
    assert pickle.loads(pickle.dumps(REPORT)) == REPORT
    assert hash(REPORT) == hash(pickle.loads(pickle.dumps(REPORT)))
