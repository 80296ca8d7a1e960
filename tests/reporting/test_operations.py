"""Reports about operations say all that the catalogue knows."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

import pytest

from tensorcopy.catalogue import Crash, Graph, Memory, Operation, Trait, Was, find, operations
from tensorcopy.reporting import Medium, Report, render
from tensorcopy.reporting.operations import as_data, closest, list_report, operation_report, related_operations
from tests.reporting.samples import texts_in


def report_on(name: str, **options: object) -> Report:
    return operation_report(find(name), name, releases={}, **options)  # type: ignore[arg-type]


def all_text(report: Report) -> str:
    return "\n".join(texts_in(report))


@pytest.mark.parametrize("name", operations())
def test_the_report_on_an_operation_has_everything_that_its_entry_says(name: str) -> None:
    operation = operations()[name]
    text = all_text(operation_report([operation], name, releases={}))
    said = [
        operation.name,
        operation.summary,
        *operation.examples,
        operation.setup,
        operation.memory.value,
        operation.note,
    ]
    said += [operation.condition, operation.graph_condition, operation.since, operation.dtype_name, operation.aten]
    said += [part for r in operation.rejects for part in (r.code, r.error, r.text)]
    said += [part for w in operation.silently_wrong for part in (w.code, w.gives, w.wanted, w.why)]
    said += [part for c in operation.crashes for part in (c.code, c.why)]
    said += [part for w in operation.warns for part in (w.code, w.category, w.text)]
    said += [part for w in operation.was for part in (w.before, w.note)]
    assert [part for part in said if part not in text] == []


@pytest.mark.parametrize(
    "fact", ["graph", "requires_grad", "dtype", "device", "layout", "version", "returns_self", "subclass"]
)
def test_facts_that_apply_are_told_in_the_catalogues_words(fact: str) -> None:
    values = [(name, getattr(operation, fact)) for name, operation in operations().items()]
    kinds = {value: name for name, value in values if value.name not in ("NOT_APPLICABLE", "DEPENDS")}
    assert [name for value, name in kinds.items() if value.value not in all_text(report_on(name))] == []


def test_names_with_several_meanings_are_set_side_by_side_and_told_in_full_where_they_are_few() -> None:
    assert [block.title for block in report_on("clone").blocks] == ["", *(op.name for op in find("clone"))]  # type: ignore[union-attr]


def test_of_many_meanings_the_dangers_are_told_and_all_only_if_asked() -> None:
    many, full = report_on("torch.as_tensor"), report_on("torch.as_tensor", full=True)
    assert "--all" in all_text(many)
    assert "Rejects" not in all_text(many)
    assert "Rejects" in all_text(full)
    wrong = [w.code for op in find("torch.as_tensor") for w in op.silently_wrong]
    assert wrong
    assert [code for code in wrong if code not in all_text(many)] == []


MADE = Operation(
    name="made",
    summary="A copy.",
    call=find("torch.Tensor.clone")[0].call,
    examples=("x.made()",),
    memory=Memory.COPIES,
    graph=Graph.KEEPS,
    since="torch 2.5",
    was=(Was(before="torch 2.9", note="it was off the graph", facts={"graph": Graph.CUTS}),),
    crashes=(Crash(given=Trait.EMPTY, code="boom()", ends=("SIGSEGV",), why="nobody looked"),),
)


def test_facts_are_those_of_the_releases_at_hand_and_say_so() -> None:
    old = all_text(operation_report([MADE], "made", releases={"torch": "2.6.0"}))
    assert "the facts below are those of torch 2.6.0" in old
    assert "before torch 2.9" in old
    assert "\ngraph\ncuts\n" in old
    new = all_text(operation_report([MADE], "made", releases={"torch": "2.13.0"}))
    assert "the facts below" not in new
    assert "\ngraph\nkeeps\n" in new
    assert "graph: cuts" in new


def test_an_operation_that_the_release_at_hand_lacks_is_told_so() -> None:
    text = all_text(operation_report([MADE], "made", releases={"torch": "2.4.0", "numpy": "2.0.0"}))
    assert "new in torch 2.5, and so not in torch 2.4.0 and numpy 2.0.0, installed here" in text


def test_a_crash_is_an_error_callout() -> None:
    lines = render(operation_report([MADE], "made", releases={}), "text", Medium(columns=100))
    assert (
        "┃ ✗ Error: ends the process for a source that has no elements: SIGSEGV\n┃ nobody looked\n┃     boom()" in lines
    )


def test_related_operations_are_the_same_call_first_and_then_the_family() -> None:
    names = [operation.name for operation in related_operations(operations()["torch.from_numpy"])]
    assert names[0] == "torch.from_numpy(masked array)"
    assert "torch.as_tensor(ndarray)" in names
    assert len(names) == len(set(names)) <= 8
    assert "torch.from_numpy" not in names


def test_the_list_has_every_operation_by_family() -> None:
    report = list_report()
    text = all_text(report)
    assert [name for name in operations() if name not in text] == []
    assert {"Copying", "NumPy viewing", "DLPack"} <= {block.title for block in report.blocks}  # type: ignore[union-attr]
    assert {name for names in report.data["families"].values() for name in names} == set(operations())


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("torch.from_nunpy", "torch.from_numpy"),
        ("clnoe", "torch.Tensor.clone"),
        ("torch.Tensor.detahc", "torch.Tensor.detach"),
        ("np.ascontigousarray", "numpy.ascontiguousarray"),
    ],
)
def test_a_misspelt_name_is_recognised(asked: str, meant: str) -> None:
    assert closest(asked)[0] == meant


def test_what_resembles_nothing_has_nothing_close() -> None:
    assert closest("quux frobnicate 17") == []


def test_data_has_enumerations_by_name_and_nothing_but_json_types() -> None:
    data = as_data(replace(MADE, copies_if=(Trait.OTHER_DTYPE,)))
    assert (data["memory"], data["graph"], data["copies_if"]) == ("copies", "keeps", ["other_dtype"])
    assert data["was"] == [{"before": "torch 2.9", "note": "it was off the graph", "facts": {"graph": "cuts"}}]
    assert not any(isinstance(value, Enum | tuple) for value in data.values())
