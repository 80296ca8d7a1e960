"""Pictures of memory show every object where it lies, and exactly what is shared."""

from __future__ import annotations

import pytest

import tensorcopy as tc
from tensorcopy.live.memory import Region
from tensorcopy.reporting import SharedPart, Span, Storage
from tensorcopy.reporting.picturing import pictured

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")


def test_views_are_counted_from_the_start_of_the_allocation() -> None:
    found = pictured("s", 100, [("a", Region(1010, (5,), (4,), 4)), ("b", Region(1022, (8,), (8,), 4))], base=1000)
    assert found == Storage(
        name="s",
        bytes=100,
        spans=(
            Span(label="a", lo=10, hi=30),
            Span(label="b", lo=22, hi=82, gaps=True, strides="(8,), strides (8,)"),
        ),
        shared=(SharedPart(lo=22, hi=26, labels=("a", "b")),),
    )


def test_views_that_interleave_share_nothing() -> None:
    views = [("even", Region(0, (5,), (8,), 4)), ("odd", Region(4, (5,), (8,), 4))]
    assert pictured("s", 40, views).shared == ()


def test_what_the_same_views_share_in_pieces_is_one_part_with_gaps() -> None:
    views = [("all", Region(0, (10,), (4,), 4)), ("even", Region(0, (5,), (8,), 4))]
    assert pictured("s", 40, views).shared == (SharedPart(lo=0, hi=36, labels=("all", "even"), gaps=True),)


def test_of_many_views_the_first_are_drawn_and_the_others_counted() -> None:
    views = [(f"v{k}", Region(4 * k, (1,), (4,), 4)) for k in range(30)]
    found = pictured("s", 120, views)
    assert (len(found.spans), found.note) == (24, "6 more lie here")
    assert len(pictured("s", 120, views, full=True).spans) == 30


def test_views_in_very_many_pieces_are_compared_two_by_two() -> None:
    views = [
        ("even", Region(0, (100_000,), (8,), 4)),
        ("odd", Region(4, (100_000,), (8,), 4)),
        ("row", Region(0, (4,), (4,), 4)),
    ]
    assert pictured("s", 800_000, views).shared == (
        SharedPart(lo=0, hi=16, labels=("even", "row"), gaps=True),
        SharedPart(lo=4, hi=16, labels=("odd", "row"), gaps=True),
    )


def test_a_small_view_is_drawn_on_the_storage_that_it_keeps_alive() -> None:
    (storage,) = tc.inspect(torch.zeros(1000, 4)[3]).picture.storages
    assert (storage.bytes, storage.uncovered) == (16_000, 15_984)
    assert storage.spans == (Span(label="x", lo=48, hi=64),)


def test_objects_of_several_libraries_are_drawn_on_the_memory_that_they_share() -> None:
    array = np.zeros((4, 6), np.float32)
    rows = torch.from_numpy(array)[1:3]
    (storage,) = tc.inspect(rows, array, memoryview(array)).picture.storages
    assert [(span.label, span.lo, span.hi) for span in storage.spans] == [
        ("x", 24, 72),
        ("other 1", 0, 96),
        ("other 2", 0, 96),
    ]
    assert [(part.lo, part.hi, part.labels) for part in storage.shared] == [
        (0, 96, ("other 1", "other 2")),
        (24, 72, ("x", "other 1", "other 2")),
    ]


def test_objects_on_memory_of_their_own_are_drawn_apart() -> None:
    x, y = torch.ones(3), torch.ones(4)
    storages = tc.inspect(x, y).picture.storages
    assert sorted((storage.bytes, [span.label for span in storage.spans]) for storage in storages) == [
        (12, ["x"]),
        (16, ["other 1"]),
    ]


def test_parts_of_a_nest_are_drawn_by_their_place() -> None:
    x = torch.zeros(10)
    (storage,) = tc.inspect({"a": x, "b": x[2:4]}).picture.storages
    assert [span.label for span in storage.spans] == ["x['a']", "x['b']"]


@pytest.mark.parametrize("x", [torch.ones(3), np.ones(3), torch.ones(3, device="meta"), 3.0, torch.ones(0)])
def test_an_object_that_fills_memory_of_its_own_needs_no_picture(x: object) -> None:
    assert tc.inspect(x).picture is None
    assert "without gaps" not in str(tc.inspect(x))


def test_print_and_notebook_show_the_picture() -> None:
    found = tc.inspect(torch.zeros(1000, 4)[3])
    assert "outside of all spans: 15,984 bytes" in str(found)
    assert "<svg" in found._repr_html_()
    assert "outside of all spans" in found._repr_markdown_()


def test_the_printed_picture_is_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    drawn = str(tc.inspect(torch.zeros(1000, 4)[3])).partition("\n\n")[2]
    assert {len(line) for line in drawn.splitlines()} <= set(range(61))
