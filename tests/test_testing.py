from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch

import tensorcopy
from tensorcopy.errors import UnsupportedSourceError
from tensorcopy.testing import (
    assert_attached,
    assert_detached,
    assert_disjoint,
    assert_owned,
    assert_shared,
    assert_unchanged,
)
from tests.live.sources import SOURCES, Source


@pytest.fixture(autouse=True)
def few_objects() -> Iterator[None]:
    """Hide from searches what existed before the test: they take their time from the size of the program."""
    gc.freeze()
    yield
    gc.unfreeze()


def tied() -> list[torch.Tensor]:
    """A nest whose second member is a view of its first."""
    x = torch.zeros(6)
    return [x, x[2:]]


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.zeros(3),
        lambda: torch.zeros(3).clone(),
        lambda: torch.nn.Parameter(torch.zeros(3)),
        lambda: torch.arange(6.0).reshape(2, 3),
        lambda: torch.zeros(3, requires_grad=True).exp(),
        lambda: torch.from_numpy(np.zeros(3)),
        lambda: torch.zeros(3, device="meta"),
        lambda: torch.zeros(0, 3),
        lambda: torch.eye(3).to_sparse(),
        lambda: torch.zeros(2, 3).t(),
        lambda: np.zeros(3),
        lambda: np.arange(6).reshape(2, 3),
        lambda: np.zeros((2, 3)).T,
        lambda: torch.zeros(3).numpy(),
        lambda: bytearray(3),
        lambda: pd.Series([1.0, 2]),
        lambda: torch.nn.Linear(2, 3),
        lambda: {"a": [torch.zeros(3), 5], "b": "text"},
        tied,
    ],
)
def test_fresh_memory_is_owned(make: Callable[[], Any]) -> None:
    assert_owned(make(), torch.zeros(3), np.zeros(3))


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: torch.zeros(1000)[:3], "12 bytes that keep 4,000 bytes alive .*at bytes \\[0, 12\\) of them"),
        (lambda: np.zeros(1000)[4:7], "24 bytes that keep 8,000 bytes alive .*at bytes \\[32, 56\\) of them"),
        (lambda: torch.zeros(6)[::2], "12 bytes that keep 24 bytes alive"),
        (lambda: torch.zeros(3).expand(2, 3), "expanded memory: several elements are the same bytes"),
        (lambda: torch.zeros(5).as_strided((3, 3), (1, 1)), "overlapping memory"),
        (lambda: torch.zeros(3).share_memory_(), "shared memory, which other processes may write"),
        (lambda: b"abc", "read-only memory"),
        (lambda: np.frombuffer(b"abc", np.uint8), "read-only memory \\(bytes of 3 bytes, read-only\\)"),
        (lambda: pa.array([1]), "read-only memory \\(Arrow buffer"),
        (lambda: pd.DataFrame({"a": [1.0], "b": [2.0]})["a"], "8 bytes that keep 16 bytes alive"),
        (lambda: np.float32(1), "memory that cannot be located: a NumPy scalar"),
    ],
)
def test_memory_that_is_not_owned_is_told_with_its_owner(make: Callable[[], Any], reason: str) -> None:
    with pytest.raises(AssertionError, match=f"Object is not owned\n\n expected: writable.*\n found:    {reason}"):
        assert_owned(make())


def test_a_lender_that_somebody_holds_ends_ownership() -> None:
    array, block = np.zeros(5), bytearray(8)
    with pytest.raises(AssertionError, match="another object sees too: <numpy ndarray float64"):
        assert_owned(torch.from_numpy(array))
    with pytest.raises(AssertionError, match="another object sees too: <builtins bytearray uint8"):
        assert_owned(torch.frombuffer(block, dtype=torch.uint8))
    with pytest.raises(AssertionError, match="another object sees too: <builtins bytearray uint8"):
        assert_owned(np.frombuffer(block, np.uint8))


def test_an_alias_anywhere_in_the_program_ends_ownership() -> None:
    x = torch.zeros(3)
    for alias in (lambda: x.detach(), lambda: x.numpy(), lambda: x.view(3), lambda: x.data):
        kept = [alias()]
        with pytest.raises(AssertionError, match="memory that another object sees too"):
            assert_owned(x)
        kept.clear()
        assert_owned(x)


def test_the_base_of_a_view_ends_ownership_only_while_somebody_holds_it() -> None:
    base = torch.arange(6.0)
    view = base.reshape(2, 3)
    with pytest.raises(AssertionError, match="another object sees too: <torch Tensor float32 \\(6,\\)"):
        assert_owned(view)
    del base
    assert_owned(view)


def test_a_view_of_an_owning_array_is_found_when_asked_for() -> None:
    x = np.zeros(4)
    kept = x[1:]
    assert_owned(x)
    with pytest.raises(AssertionError, match="another object sees too: <numpy ndarray float64 \\(3,\\)"):
        assert_owned(x, search=True)
    del kept
    assert_owned(x, search=True)


def test_overlap_with_a_source_is_told_with_the_elements() -> None:
    x = torch.zeros(4)
    with pytest.raises(AssertionError, match=r"first element \[1\] of the object and element \[0\] of its source"):
        assert_owned(x, x[1:])


def test_memory_of_a_mapped_file_is_not_owned(tmp_path: Path) -> None:
    mapped = np.memmap(tmp_path / "data", np.uint8, "w+", shape=(8,))
    with pytest.raises(AssertionError, match="memory of a mapped file"):
        assert_owned(mapped)


def test_the_member_that_is_not_owned_is_named() -> None:
    with pytest.raises(AssertionError, match=r"Member \['a'\]\[1\] is not owned"):
        assert_owned({"a": [torch.zeros(3), torch.zeros(9)[1:]]})


def test_what_tensorcopy_copies_is_owned() -> None:
    for name in ("tensor", "view of a view", "array", "negative strides", "from_numpy"):
        source = SOURCES[name].obj
        assert_owned(tensorcopy.copy(source), source)


@pytest.mark.parametrize("source", [s for s in SOURCES.values() if s.twin is not None])
def test_shared_memory_is_shared_and_never_disjoint(source: Source) -> None:
    assert_shared(source.obj, source.twin)
    with pytest.raises(AssertionError, match="is not disjoint"):
        assert_disjoint(source.obj, source.twin)


def test_what_does_not_share_says_how_far_apart_it_is() -> None:
    x = np.zeros(100)
    with pytest.raises(AssertionError, match="disjoint: it begins 80 bytes after the first object ends"):
        assert_shared(x[:10], x[20:])
    with pytest.raises(AssertionError, match="disjoint: it ends 80 bytes before the first object begins"):
        assert_shared(x[20:], x[:10])
    with pytest.raises(AssertionError, match="it interleaves with the first object and touches none"):
        assert_shared(x[::2], x[1::2])
    with pytest.raises(AssertionError, match="no memory at all"):
        assert_shared(x, torch.zeros(3, device="meta"))


def test_every_member_of_the_second_nest_must_share_with_the_first() -> None:
    model = torch.nn.Linear(2, 3)
    assert_shared(model, model.state_dict())
    with pytest.raises(AssertionError, match=r"Member \['bias'\] is not shared"):
        assert_shared(model, {**model.state_dict(), "bias": torch.zeros(3)})


def test_disjoint_is_checked_for_every_pair() -> None:
    x = torch.zeros(4)
    assert_disjoint(x[::2], x[1::2], torch.zeros(4))
    with pytest.raises(AssertionError, match=r"between object 1 and object 3\n found:    overlap: 8 bytes"):
        assert_disjoint(x[:2], torch.zeros(3), x)


def test_what_cannot_be_known_is_neither_shared_nor_disjoint() -> None:
    for check in (assert_disjoint, assert_shared):
        with pytest.raises(AssertionError, match="a NumPy scalar hands out copies"):
            check(torch.zeros(1), np.float32(1))


@pytest.mark.parametrize("nothing", [5, None, [], {"a": "text"}], ids=str)
def test_a_claim_about_nothing_fails(nothing: Any) -> None:
    x = torch.zeros(1)
    with pytest.raises(AssertionError, match="cannot own memory"):
        assert_owned(nothing)
    with pytest.raises(AssertionError, match="cannot be disjoint"):
        assert_disjoint(x, nothing)
    with pytest.raises(AssertionError, match="cannot share memory"):
        assert_shared(x, nothing)
    with pytest.raises(AssertionError, match="is not attached"):
        assert_attached(nothing)


def test_detached_means_off_the_graph() -> None:
    w = torch.ones(3, requires_grad=True)
    assert_detached({"a": w.detach(), "b": np.zeros(3), "c": 5})
    assert_detached([w], allow_leaves=True)
    with pytest.raises(AssertionError, match=r"Member \[0\] is not detached\n\n.*\n found:    leaf"):
        assert_detached([w])
    with pytest.raises(AssertionError, match="found:    non-leaf made by MulBackward0"):
        assert_detached(w * 2, allow_leaves=True)


def test_attached_means_that_gradients_reach_every_leaf_named() -> None:
    w, v = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    assert_attached(w * 2)
    assert_attached([w * v, w + v], to={"w": w, "v": v})
    with pytest.raises(AssertionError, match=r"a path to the tensor of shape \(3,\) at \['v'\]\n found:    no path"):
        assert_attached(w * 2, to={"w": w, "v": v})
    with pytest.raises(AssertionError, match="expected: on the graph\n found:    off the graph"):
        assert_attached(w.detach(), to=w)


def test_attached_finds_the_parameter_that_a_detach_cut_off() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
    x = torch.ones(1, 2)
    assert_attached(model(x), to=model)
    with pytest.raises(AssertionError, match=r"at \.0\.weight"):
        assert_attached(model[1](model[0](x).detach()), to=model)


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_what_nobody_writes_is_unchanged(source: Source) -> None:
    with assert_unchanged(source.obj) as same:
        assert same is source.obj


def test_a_change_is_told_with_the_element_and_the_share_of_the_whole() -> None:
    x = torch.zeros(2, 3)
    expected = r"element \[1, 0\] changed from 0.0 to 1.0\n {11}changed elements: 3 / 6 \(50.000%\)"
    with pytest.raises(AssertionError, match=expected), assert_unchanged(x):
        x[1] = 1


def test_a_write_of_equal_values_leaves_unchanged() -> None:
    nest = {"x": torch.zeros(3), "nan": float("nan"), "n": 5}
    with assert_unchanged(nest):
        nest["x"].zero_()
        nest["n"] = 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda nest: nest.__setitem__(1, 6), r"Member \[1\] has changed\n\n expected: 5\n found:    6"),
        (lambda nest: nest.append(7), r"found:    without \[\], with \['\[3\]'\]"),
        (lambda nest: nest.__setitem__(0, torch.zeros(3)), r"Member \[0\] has changed\n\n expected: the same object"),
        (lambda nest: nest[2]["k"].fill(9), r"Member \[2\]\['k'\] has changed"),
    ],
)
def test_a_nest_is_watched_member_by_member(change: Callable[[list[Any]], None], message: str) -> None:
    nest = [torch.zeros(3), 5, {"k": np.zeros(3), "nan": float("nan")}]
    with pytest.raises(AssertionError, match=message), assert_unchanged(nest):
        change(nest)


def test_an_exception_of_the_block_passes_through_assert_unchanged() -> None:
    x = torch.zeros(3)
    with pytest.raises(KeyError, match="mine"), assert_unchanged(x):
        raise KeyError("mine")


def test_what_cannot_be_watched_is_refused_not_passed() -> None:
    with pytest.raises(UnsupportedSourceError, match="cannot watch the object"), assert_unchanged(object()):
        pass
    with pytest.raises(AssertionError, match="cannot be watched"), assert_unchanged([]):
        pass


def test_a_message_reads_like_this() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_owned([torch.zeros(3).expand(2, 3)])
    assert str(caught.value) == (
        "\nMember [0] is not owned\n"
        "\n"
        " expected: writable memory of its own size, seen by nothing else\n"
        " found:    expanded memory: several elements are the same bytes\n"
        " object:   <torch Tensor float32 (2, 3) on cpu>"
    )
