"""The promises that every target keeps: values, sharing, refusals, and plans that say what happens."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch

import tensorcopy as tc
from tensorcopy._discovery import modules_of
from tensorcopy.conversion import targets

MODULES = {module.NAME: module for module in modules_of(targets)}
INSTALLED = ("arrow", "jax", "list", "pandas", "polars")
IMMUTABLE = ("arrow", "jax", "polars")


def aligned(size=16):
    """A float32 tensor at a multiple of 64 bytes, as every library can take it."""
    return torch.arange(size, dtype=torch.float32)


def back(result):
    return tc.to_numpy(result) if not isinstance(result, (list, int, float)) else np.array(result)


def test_the_targets_are_found_by_folder_and_named_by_themselves():
    assert sorted(MODULES) == ["arrow", "cupy", "jax", "list", "pandas", "polars"]
    assert all(module.__doc__ and module.build.__doc__ and module.plan.__doc__ for module in MODULES.values())


def test_an_unknown_target_is_refused_with_the_known_ones():
    with pytest.raises(
        tc.errors.BadArgumentError, match=r"cannot convert to 'foo'.*arrow, cupy, jax, list, numpy, pandas"
    ):
        tc.convert([1], "foo")
    with pytest.raises(tc.errors.BadArgumentError, match="cannot convert to 'foo'"):
        tc.plan([1], to="foo")


SOURCES = {
    "tensor": lambda: aligned(6).reshape(2, 3),
    "transposed tensor": lambda: aligned(6).reshape(2, 3).t(),
    "array": lambda: np.arange(6, dtype="int32").reshape(2, 3),
    "reversed array": lambda: np.arange(6, dtype="int32")[::-1],
    "read-only array": lambda: np.broadcast_to(np.float32(2), (2, 2)),
    "bools": lambda: np.array([True, False]),
    "list": lambda: [[1, 2], [3, 4]],
    "list of tensors": lambda: [torch.arange(2), torch.arange(2)],
    "Series": lambda: pd.Series([1.5, 2]),
    "frame": lambda: pd.DataFrame({"a": [1, 2], "b": [0.5, 4]}),
    "Arrow": lambda: pa.array([1, 2], pa.int16()),
    "Polars": lambda: pl.Series([1.5, 2], dtype=pl.Float32),
    "bytes": lambda: b"\1\2\3",
    "range": lambda: range(4),
    "empty": lambda: np.empty((0, 3), "float32"),
    "empty rows": lambda: np.empty((2, 0), "float32"),
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("to", INSTALLED)
def test_the_values_are_those_of_the_array(to, source):
    expected = tc.to_numpy(SOURCES[source]())
    result = back(tc.convert(SOURCES[source](), to))
    assert result.tolist() == expected.tolist()
    assert result.shape == expected.shape or to == "list"


@pytest.mark.parametrize("source", [name for name in SOURCES if not name.startswith("empty")])
@pytest.mark.parametrize("to", INSTALLED)
def test_the_plan_says_whether_memory_is_shared(to, source):
    obj = SOURCES[source]()
    plan = tc.plan(obj, to=to)
    results = [tc.convert(obj, to) for _ in range(2)]
    assert plan.shares is (results[0] is results[1] or (to != "list" and address(results[0]) == address(results[1])))
    assert plan.bytes_moved is None or (plan.bytes_moved == 0) is plan.shares


def address(result):
    if isinstance(result, pa.Array) and pa.types.is_boolean(result.type):
        return result.buffers()[1].address
    if isinstance(result, pl.Series) and result.dtype == pl.Boolean:
        return id(result)
    array = tc.to_numpy(result, copy=None, readonly=True)
    return array.__array_interface__["data"][0]


@pytest.mark.parametrize("to", IMMUTABLE)
def test_memory_that_can_be_written_is_copied_for_those_who_rely_on_it_not_changing(to):
    source = aligned()
    result = tc.convert(source, to)
    source.fill_(9)
    assert back(result).tolist() == list(range(16))
    assert "never change" in tc.plan(source, to=to).why


@pytest.mark.parametrize("to", [*IMMUTABLE, "pandas"])
def test_copy_false_shares(to):
    source = aligned()
    result = tc.share(source, to)
    assert address(result) == source.data_ptr()
    assert tc.plan(source, to=to, copy=False).shares


@pytest.mark.parametrize("to", [*IMMUTABLE, "pandas"])
def test_copy_true_shares_with_nothing(to):
    for source in (aligned(), np.broadcast_to(np.float32(2), (4,)), pd.Series([1.5, 2], dtype="float32")):
        before = tc.to_numpy(source).tolist()
        result = tc.convert(source, to, copy=True)
        assert address(result) != tc.to_torch(source, readonly=True).data_ptr()
        assert back(result).tolist() == before
        assert not tc.plan(source, to=to, copy=True).shares


@pytest.mark.parametrize("to", INSTALLED)
def test_a_dtype_is_checked(to):
    with pytest.raises(tc.errors.LossyConversionError, match=r"300 at \[1\] cannot become uint8"):
        tc.convert(np.array([1, 300]), to, dtype="uint8")
    assert back(tc.convert(np.array([1, 300]), to, dtype="uint8", casting="unsafe")).tolist() == [1, 44]
    assert back(tc.convert([1, 2], to, dtype="float32")).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("to", INSTALLED)
def test_a_null_needs_a_stand_in(to):
    source = pd.Series([1, None], dtype="Int64")
    if to != "pandas":
        with pytest.raises(tc.errors.LossyConversionError, match=r"1 null.*row \[1\]"):
            tc.convert(source, to)
    assert back(tc.convert(source, to, null=7)).tolist() == [1, 7]


@pytest.mark.parametrize("to", INSTALLED)
def test_the_graph_is_cut_only_on_purpose(to):
    x = aligned().requires_grad_()
    with pytest.raises(tc.errors.GraphError, match="detach=True"):
        tc.convert(x, to)
    assert back(tc.convert(x, to, detach=True)).tolist() == list(range(16))


@pytest.mark.parametrize("to", INSTALLED)
def test_an_option_without_a_meaning_is_refused(to):
    for option in ("device", "requires_grad", "memory_format", "colour"):
        with pytest.raises(tc.errors.BadArgumentError, match=f"takes no {option}="):
            tc.convert([1], to, **{option: True})
        with pytest.raises(tc.errors.BadArgumentError, match=f"takes no {option}="):
            tc.plan([1], to=to, **{option: True})


@pytest.mark.parametrize("to", ["arrow", "polars", "pandas"])
def test_a_dtype_that_the_library_lacks_is_refused(to):
    with pytest.raises(tc.errors.UnsupportedDtypeError, match=r"no (d?type) bfloat16.*float32"):
        tc.convert(aligned().bfloat16(), to)
    with pytest.raises(tc.errors.UnsupportedDtypeError, match=r"no (d?type) bfloat16"):
        tc.plan(aligned().bfloat16(), to=to)
    assert back(tc.convert(aligned().bfloat16(), to, dtype="float32")).tolist() == list(range(16))


@pytest.mark.parametrize("to", ["polars", "pandas"])
def test_a_single_number_is_refused_by_libraries_of_columns(to):
    with pytest.raises(tc.errors.BadArgumentError, match="dimension"):
        tc.convert(3.5, to)


def test_strange_types_come_out_as_plain_numbers_in_lists():
    assert tc.convert(torch.tensor([1.5]).bfloat16(), "list") == [1.5]
    assert tc.convert(torch.tensor(1.5), "list") == 1.5
    assert type(tc.convert(torch.tensor([1.5]).bfloat16(), "list")[0]) is float
    assert tc.convert(np.array([1j]), "list") == [1j]


@pytest.mark.parametrize("to", [*IMMUTABLE, "pandas"])
def test_an_object_of_the_library_itself_is_handed_back(to):
    result = tc.convert(aligned(), to)
    assert tc.convert(result, to) is result
    assert tc.plan(result, to=to).shares
    again = tc.convert(result, to, copy=True)
    assert again is not result
    assert back(again).tolist() == list(range(16))
