from __future__ import annotations

import numpy as np
import pytest
import torch

from tensorcopy.inspection import Relation, relation
from tensorcopy.live.graph import GraphPath
from tensorcopy.live.memory import Overlap
from tests.live.sources import SOURCES, Source


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_an_object_and_itself_are_the_same_object(source: Source) -> None:
    assert relation(source.obj, source.obj).kind == "same object"


def test_every_kind_of_relation_is_told() -> None:
    x = torch.zeros(4, 6)
    assert relation(x, x).kind == "same object"
    assert relation(x, x.t()).kind == "same memory"
    assert relation(x, x[1:]).kind == "overlap"
    assert relation(x[:, ::2], x[:, 1::2]).kind == "disjoint"
    assert relation(x, np.float32(1)).kind == "unknown"


def test_the_whole_relation_of_a_slice_is_one_value() -> None:
    x = torch.zeros(4, requires_grad=True)
    assert relation(x, x[1:3]) == Relation(
        kind="overlap",
        memory=Overlap(kind="overlap", bytes=8, elements=(2, 2), first=((1,), (0,)), ranges=(((1, 3),), ((0, 2),))),
        graph=GraphPath(reaches=True, nodes=("SliceBackward0",)),
        versions="shared",
    )


def test_arrays_have_no_graph_and_no_versions() -> None:
    x = np.zeros(4)
    found = relation(x, torch.from_numpy(x))
    assert (found.kind, found.graph, found.versions) == ("same memory", None, "none")


def test_versions_are_shared_separate_or_unknown() -> None:
    x = torch.zeros(4)
    assert [relation(x, y).versions for y in (x[1:], x.detach(), torch.zeros(4))] == ["shared", "unknown", "separate"]


def test_a_detached_alias_shares_memory_and_is_cut_off_the_graph() -> None:
    w = torch.ones(3, requires_grad=True)
    found = relation(w, w.detach())
    assert found.kind == "same memory"
    assert found.graph is not None
    assert found.graph.cut.startswith("the second tensor is off the graph")


def test_views_with_common_elements_of_another_type_are_counted_in_elements_of_each() -> None:
    x = np.zeros(4, np.float32)
    found = relation(x, x.view(np.int8)[3:6])
    assert (found.memory.bytes, found.memory.elements, found.memory.first) == (3, (2, 3), ((0,), (0,)))


def test_a_relation_reads_like_this() -> None:
    w = torch.ones(4, requires_grad=True)
    assert str(relation(w, w.detach()[1:])) == (
        "overlap\n"
        "  memory    overlap: 12 bytes, 3 elements within [1:4] of the first, 3 elements within [0:3] of the second\n"
        "  graph     no path: the second tensor is off the graph "
        "(detached, made under no_grad, or rebuilt from numbers)\n"
        "  versions  unknown"
    )
    assert str(relation(np.zeros(1), np.zeros(1))) == "disjoint"
    assert "a NumPy scalar hands out copies" in str(relation(np.float32(1), np.zeros(1)))


def test_a_relation_shows_itself_in_notebooks_as_it_prints() -> None:
    x = torch.arange(6.0)
    found = relation(x, x[2:])
    lines = {name: text for line in str(found).splitlines()[1:] for name, text in [line.strip().split(maxsplit=1)]}
    assert found.report().data == {"kind": "overlap", **lines}
    assert f"- **memory:** {found.memory}" in found._repr_markdown_().replace("\\", "")
    assert str(found.memory) in found._repr_html_()
