from __future__ import annotations

import gc
import pickle
import re
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from tensorcopy.errors import AliasWriteError, UnsupportedSourceError
from tensorcopy.inspection import protect
from tests.live.sources import SOURCES, Source

READ_ONLY = "read-only"
HOLDER: dict[str, Any] = {}


@pytest.fixture(autouse=True)
def few_objects() -> Iterator[None]:
    """Hide from searches what existed before the test: they take their time from the size of the program."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_a_block_that_writes_nothing_passes_for_every_source(source: Source) -> None:
    with protect(source.obj, search=False) as same:
        assert same is source.obj


def test_a_numpy_write_raises_at_the_writing_line_through_every_alias() -> None:
    whole = np.zeros((3, 4))
    x = torch.from_numpy(whole)
    aliases = [whole, whole[1:], whole.T, [whole.ravel()][0], np.asarray(memoryview(whole)), x.numpy()]
    with protect(x):
        for alias in aliases:
            with pytest.raises(ValueError, match=READ_ONLY):
                alias[...] = 1
            with pytest.raises(ValueError, match=READ_ONLY):
                alias.fill(1)
    assert not whole.any()
    assert all(alias.flags.writeable for alias in aliases)


def test_an_array_made_from_the_tensor_before_is_found_and_writable_again_afterwards() -> None:
    x = torch.zeros(3)
    shown = x.numpy()
    before = shown.flags.num
    with protect(x), pytest.raises(ValueError, match=READ_ONLY):
        shown[0] = 1
    assert shown.flags.num == before
    shown[0] = 2
    assert x[0] == 2


def test_what_pandas_writes_is_stopped_at_the_line() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    with protect(frame), pytest.raises(ValueError, match=READ_ONLY):
        frame.iloc[0, 0] = 9
    frame.iloc[0, 0] = 9
    assert frame.iloc[0, 0] == 9


@pytest.mark.parametrize(
    ("write", "what", "why"),
    [
        (lambda x: x.add_(1), "element [0, 0] changed from 0.0 to 1.0 (version 0 -> 1)", "moved the version"),
        (lambda x: x[1, 2].fill_(5), "element [1, 2] changed from 0.0 to 5.0 (version 0 -> 1)", "moved the version"),
        (lambda x: x.data.add_(1), "element [0, 0] changed from 0.0 to 1.0 (version 0 -> 0)", "past autograd"),
        (lambda x: x.numpy().fill(3), "element [0, 0] changed from 0.0 to 3.0 (version 0 -> 0)", "past autograd"),
        (lambda x: x.zero_(), "it was overwritten with equal values (version 0 -> 1)", "moved the version"),
        (lambda x: x.resize_(9), "its memory was replaced", "version"),
        (lambda x: x.share_memory_(), "its memory was replaced", "past autograd"),
    ],
)
def test_other_writes_raise_at_the_end_and_say_how(write: Any, what: str, why: str) -> None:
    x = torch.zeros(2, 3)
    with pytest.raises(AliasWriteError, match=f"memory was written: {re.escape(what)}.*{why}"), protect(x):
        write(x)


def test_a_write_through_a_memoryview_made_before_is_found_at_the_end() -> None:
    whole = np.zeros(4, np.uint8)
    view = memoryview(whole)
    expected = r"element \[2\] changed from 0 to 7 · it was written through another"
    with pytest.raises(AliasWriteError, match=expected), protect(whole):
        view[2] = 7
    assert whole.flags.writeable


def test_a_write_beside_a_view_is_no_write_to_it() -> None:
    x = torch.zeros(10)
    with protect(x[::2], search=False):
        x[1::2] = 5
        x[1] = 3


def test_arrays_that_interleave_without_touching_stay_writable() -> None:
    whole = np.zeros(10)
    odd = whole[1::2]
    with protect(whole[::2]):
        odd[0] = 1
        with pytest.raises(ValueError, match=READ_ONLY):
            whole[1] = 2


def test_the_member_of_a_nest_is_named_and_the_others_counted() -> None:
    nest = {"w": [torch.zeros(3), 5], "b": np.zeros(3), "name": "text", "c": torch.zeros(1)}

    def write() -> None:
        nest["w"][0].add_(1)
        nest["c"].add_(1)

    with pytest.raises(AliasWriteError, match=r"memory at \['w'\]\[0\] was written.*; 1 more members"), protect(nest):
        write()
    assert nest["b"].flags.writeable


def test_parameters_of_a_module_are_watched() -> None:
    layer = torch.nn.Linear(2, 2)
    with pytest.raises(AliasWriteError, match=r"protected memory at \.weight was written"), protect(layer):
        torch.nn.init.ones_(layer.weight)


def test_an_exception_of_the_block_passes_unchanged_and_restores_the_flags() -> None:
    x = np.zeros(3)
    error = KeyError("mine")
    with pytest.raises(KeyError, match="mine") as caught, protect(x):
        raise error
    assert caught.value is error
    assert x.flags.writeable


def test_an_exception_of_the_block_is_not_hidden_by_a_write() -> None:
    x = torch.zeros(3)
    with pytest.raises(ZeroDivisionError, match="division"), protect(x):
        x.add_(1 / 0)


def test_protections_nest_and_each_gives_back_what_it_took() -> None:
    whole = np.zeros(4)
    with protect(whole):
        with protect(whole[1:]):
            assert not whole.flags.writeable
        assert not whole.flags.writeable
        with pytest.raises(ValueError, match=READ_ONLY):
            whole[0] = 1
    assert whole.flags.writeable


def test_memory_that_was_read_only_stays_so() -> None:
    fixed = SOURCES["read-only"].obj
    with protect(fixed):
        pass
    assert not fixed.flags.writeable


def test_without_the_search_only_the_array_and_its_bases_are_locked() -> None:
    whole = np.zeros(4)
    view, other = whole[1:], whole[2:]
    with protect(view, search=False), pytest.raises(ValueError, match=READ_ONLY):
        whole[0] = 1
    with pytest.raises(AliasWriteError, match=r"element \[1\] changed from 0.0 to 1.0"), protect(view, search=False):
        other[0] = 1
    assert whole.flags.writeable


def test_arrays_that_other_threads_work_with_are_locked_too() -> None:
    whole = np.zeros(4)
    started, go, raised = threading.Event(), threading.Event(), []

    def work(array: np.ndarray) -> None:
        started.set()
        go.wait(10)
        try:
            array[0] = 1
        except ValueError as error:
            raised.append(error)

    thread = threading.Thread(target=work, args=(whole[1:],))
    thread.start()
    started.wait(10)
    with protect(whole):
        go.set()
        thread.join(10)
    assert "read-only" in str(raised[0])


@pytest.mark.parametrize("x", [5, [], {"a": 1}, None], ids=str)
def test_a_block_over_nothing_is_refused(x: Any) -> None:
    with pytest.raises(UnsupportedSourceError, match="it holds no tensor, array or buffer"), protect(x):
        pass


def test_a_tensor_under_vmap_cannot_be_watched() -> None:
    def body(x: torch.Tensor) -> torch.Tensor:
        with protect(x):
            return x

    with pytest.raises(UnsupportedSourceError, match="cannot watch the Tensor: a function transform"):
        torch.vmap(body)(torch.zeros(2, 3))


def test_the_whole_program_is_searched() -> None:
    gc.unfreeze()
    x = torch.zeros(3)
    HOLDER["x"] = (x.numpy(),)
    gc.collect()
    with protect(x), pytest.raises(ValueError, match=READ_ONLY):
        HOLDER.pop("x")[0][0] = 1


def test_nothing_is_kept_alive_after_the_block() -> None:
    x = np.zeros(3)
    with protect(x):
        pass
    assert [r for r in gc.get_referrers(x) if type(r).__module__.startswith("tensorcopy")] == []


def test_the_error_can_be_pickled() -> None:
    x = torch.zeros(1)
    with pytest.raises(AliasWriteError, match="was written") as caught, protect(x):
        x.add_(1)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert isinstance(caught.value, RuntimeError)
