"""Looking entries up, reading their conditions, and asking what held on an older release."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tensorcopy.catalogue import (
    Argument,
    Call,
    Graph,
    Memory,
    Operation,
    RequiresGrad,
    Trait,
    Value,
    Was,
    families,
    find,
    for_call,
    operations,
)
from tensorcopy.catalogue.model import reached, version_of


def named(text: str) -> list[str]:
    return [op.name for op in find(text)]


@pytest.mark.parametrize(
    "text",
    ["torch.Tensor.clone", "x.clone()", "weights.clone()", " x . clone ( ) ", "torch.clone(x)", "Tensor.clone"],
)
def test_a_method_is_found_however_it_is_written(text):
    assert named(text)[0] == "torch.Tensor.clone"


def test_a_bare_word_finds_the_call_in_both_libraries():
    assert {"torch.asarray(tensor)", "numpy.asarray(ndarray)"} <= set(named("asarray"))


def test_a_short_name_of_a_library_is_written_out():
    assert set(named("np.asarray")) == {op.name for op in for_call("numpy.asarray")}


def test_arguments_narrow_the_entries_where_an_example_has_them():
    assert named("x.to(torch.float64)") == ["torch.Tensor.to(dtype)", "torch.nn.Module.to(dtype)"]


def test_arguments_that_no_example_has_are_ignored():
    assert set(named("image.to(torch.int8, non_blocking=True)")) >= {op.name for op in for_call("torch.Tensor.to")}


def test_a_chain_is_found_with_any_receiver():
    assert named("loss.detach().clone()") == ["torch.Tensor.detach().clone()"]


def test_a_subscript_is_found_with_any_receiver():
    assert "torch.Tensor[int]" in named("batch[0]")


@pytest.mark.parametrize("text", ["x += 1", "w -= lr * w.grad", "x[mask] *= 2", "model.bias *= f(x)[0]", "x+=y;"])
def test_a_write_by_an_operator_is_found_with_any_operands(text):
    assert named(text) == ["numpy.ndarray.__iadd__", "torch.Tensor.__iadd__"]


@pytest.mark.parametrize("text", ["x[0] = 1", "batch['x'][:, 1:] = y == 2", "w.data[i]=f(a=1)"])
def test_an_assignment_to_elements_is_found_with_any_operands(text):
    assert {"torch.Tensor[...] = number", "numpy.ndarray[...] = number"} <= set(named(text))


def test_an_assignment_to_a_name_is_read_as_what_is_assigned():
    assert named("y = x.clone()") == named("x.clone()") != []
    assert named("x = 1") == named("x == 1") == named("x <= 1") == []


def test_an_attribute_is_found():
    assert named("weights.data")[0] == "torch.Tensor.data"


def test_case_and_underscores_do_not_matter_in_the_end():
    assert named("FromNumpy") == ["torch.from_numpy", "torch.from_numpy(masked array)"]


def test_what_nobody_knows_is_not_found():
    assert find("frobnicate") == ()
    assert find("") == ()


def test_every_entry_is_found_by_its_name_and_by_each_example():
    lost = [op.name for op in operations().values() if op not in find(op.name)]
    lost += [e for op in operations().values() for e in op.examples if op not in find(e)]
    assert lost == []


def test_entries_for_a_call_come_with_the_most_conditions_first():
    conditions = [len(op.call.when) for op in for_call("torch.asarray")]
    assert conditions == sorted(conditions, reverse=True)
    assert conditions[0] == 2


def test_a_call_without_entry_gives_none():
    assert for_call("torch.frobnicate") == ()


def test_entries_of_a_family_stand_in_the_catalogue():
    assert sum(len(entries) for entries in families().values()) == len(operations())
    assert operations()["torch.Tensor.clone"] in families()["copying"]


def test_the_condition_reads_as_a_sentence():
    op = operations()["torch.Tensor.to(dtype)"]
    assert op.condition == "copies a source that has another dtype than the one asked for"
    assert op.graph_condition == "cuts the graph of a source that becomes an integer or bool"


def test_an_entry_without_condition_has_no_sentence():
    assert operations()["torch.Tensor.clone"].condition == ""


def test_facts_of_an_older_release_replace_those_of_the_newest():
    op = operations()["torch.asarray(tensor, copy=True)"]
    assert op.on({"torch": "2.13.0"}) is op
    assert op.on({"torch": "2.11.0"}).graph is Graph.CUTS
    assert op.on({"torch": "2.11.0"}).requires_grad is RequiresGrad.NO


def test_of_several_older_facts_the_oldest_that_applies_wins():
    newest = Operation(
        name="f",
        summary="",
        call=Call(names=("f",), when=(Argument(name="copy", value=Value.TRUE),)),
        examples=("f(x)",),
        memory=Memory.SHARES,
        was=(
            Was(before="torch 2.5", note="", facts={"note": "before 2.5"}),
            Was(before="torch 2.9", note="", facts={"note": "before 2.9", "memory": Memory.COPIES}),
        ),
    )
    assert [newest.on({"torch": v}).note for v in ("2.10", "2.8.1", "2.4")] == ["", "before 2.9", "before 2.5"]
    assert newest.on({"torch": "2.4"}).memory is Memory.COPIES


def test_an_entry_exists_from_its_release_on():
    op = operations()["torch.from_dlpack(ndarray, copy=True)"]
    assert not op.exists_in({"torch": "2.8.0", "numpy": "2.4.0"})
    assert not op.exists_in({"torch": "2.13.0", "numpy": "2.0.2"})
    assert op.exists_in({"torch": "2.9.0", "numpy": "2.1.0"})
    assert op.exists_in({})


@pytest.mark.parametrize(
    ("release", "numbers"), [("torch 2.13", (2, 13)), ("2.4.1+cpu", (2, 4, 1)), ("numpy 2.0.0rc1", (2, 0, 0))]
)
def test_a_release_is_read_as_numbers(release, numbers):
    assert version_of(release) == numbers


def test_a_release_is_compared_by_number_not_by_text():
    assert reached("torch 2.9", {"torch": "2.13.0"})


def test_entries_are_values_that_can_be_compared_and_hashed():
    assert len(set(operations().values())) == len(operations())
    with pytest.raises(AttributeError, match="cannot assign to field"):
        operations()["torch.Tensor.clone"].memory = Memory.SHARES


def test_the_mappings_are_read_only():
    with pytest.raises(TypeError, match="does not support item assignment"):
        operations()["x"] = None


def test_a_trait_reads_on_after_a_source_that():
    assert all(trait.value.split(" ")[0] in VERBS for trait in Trait)


VERBS = {"requires", "is", "has", "cannot", "repeats", "holds", "does", "becomes", "lies"}


def test_reading_the_catalogue_loads_neither_torch_nor_numpy():
    program = (
        "import sys; from tensorcopy import catalogue; catalogue.find('x'); print({'torch', 'numpy'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
