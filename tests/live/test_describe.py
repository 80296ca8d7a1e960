from __future__ import annotations

import gc
import pickle
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from torch._subclasses import FakeTensorMode

from tensorcopy.live.describe import Description, describe
from tensorcopy.live.graph import GraphPosition
from tests.live.sources import SOURCES, Plain, Source


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_every_source_is_described_in_full_and_in_words(source: Source) -> None:
    found = describe(source.obj)
    assert found.unknown == ""
    assert (found.nbytes, len(found.regions)) == (source.nbytes, source.parts)
    assert found.keeps_alive is not None
    assert found.span is not None
    assert str(found).splitlines()[0] == repr(found)[1:-1]
    assert pickle.loads(pickle.dumps(found)) == found


def test_a_plain_tensor_is_described_field_by_field() -> None:
    x = torch.zeros(3, 4)
    assert describe(x) == Description(
        library="torch",
        type_name="Tensor",
        dtype="float32",
        shape=(3, 4),
        strides=(16, 4),
        layout="contiguous",
        regions=describe(x).regions,
        nbytes=48,
        keeps_alive=48,
        owners=describe(x).owners,
        writable=True,
        graph=GraphPosition(place="off the graph"),
        version=0,
    )


@pytest.mark.parametrize(
    ("obj", "layout"),
    [
        (torch.zeros(2, 3, 4, 4).to(memory_format=torch.channels_last), "channels_last"),
        (torch.zeros(2, 3, 4, 4, 4).to(memory_format=torch.channels_last_3d), "channels_last_3d"),
        (torch.zeros(3, 4).t(), "column-major"),
        (torch.zeros(3).expand(2, 3), "expanded"),
        (torch.zeros(5).as_strided((3, 3), (1, 1)), "overlapping"),
        (torch.zeros(6)[::2], "gaps"),
        (np.zeros(3)[::-1], "negative strides"),
        (torch.eye(3).to_sparse(), "sparse_coo"),
        (torch.zeros(3, 4, device="meta").t(), "column-major"),
        ([torch.zeros(3)], "several parts"),
        (5, ""),
    ],
)
def test_the_layout_is_told_in_one_word(obj: Any, layout: str) -> None:
    assert describe(obj).layout == layout


@pytest.mark.parametrize(
    ("name", "library", "dtype", "shape", "device"),
    [
        ("plain subclass", "tests", "float32", (3, 4), "cpu"),
        ("array", "numpy", "float64", (3, 4), "cpu"),
        ("ml_dtypes", "numpy", "bfloat16", (3,), "cpu"),
        ("bytes", "builtins", "uint8", (10,), "cpu"),
        ("memoryview", "builtins", "B", (4,), "cpu"),
        ("array.array", "array", "d", (3,), "cpu"),
        ("pandas Series", "pandas", "float64", (2,), "cpu"),
        ("pandas DataFrame", "pandas", None, (2, 3), "cpu"),
        ("Arrow array", "pyarrow", "double", (3,), "cpu"),
        ("Polars Series", "polars", "Float64", (3,), "cpu"),
        ("JAX array", "jax", "float32", (4,), "cpu:0"),
    ],
)
def test_dtype_shape_and_device_are_told_in_the_words_of_the_library(
    name: str, library: str, dtype: str | None, shape: tuple[int, ...], device: str
) -> None:
    found = describe(SOURCES[name].obj)
    expected = "torch" if library == "tests" else library
    assert (found.library, found.dtype, found.shape, found.device) == (expected, dtype, shape, device)


def test_a_small_view_tells_how_much_it_keeps_alive() -> None:
    assert describe(torch.zeros(1_000_000)[:3]).keeps_alive == 4_000_000
    assert describe(np.zeros(1_000_000)[:3]).keeps_alive == 8_000_000
    assert describe(pd.DataFrame({"a": [1.0, 2], "b": [3.0, 4]})["a"]).keeps_alive == 32
    assert describe(SOURCES["Arrow slice"].obj).keeps_alive == 24


def test_a_storage_that_several_parts_share_is_kept_alive_once() -> None:
    x = torch.zeros(10)
    assert describe([x, x[2:], x[5:]]).keeps_alive == 40


@pytest.mark.parametrize(
    ("obj", "writable"),
    [
        (np.zeros(3), True),
        (SOURCES["read-only"].obj, False),
        (np.float64(1.0), False),
        (b"abc", False),
        (bytearray(3), True),
        (memoryview(b"abc"), False),
        (torch.zeros(3), True),
        (SOURCES["Arrow array"].obj, False),
        (SOURCES["JAX array"].obj, False),
        (SOURCES["Polars Series"].obj, False),
        (SOURCES["pandas Series"].obj, True),
        (SOURCES["array interface"].obj, True),
        (object(), None),
    ],
)
def test_permission_to_write_is_told(obj: Any, writable: bool | None) -> None:
    assert describe(obj).writable is writable


def test_an_array_whose_writable_flag_warns_is_described_without_the_warning() -> None:
    assert describe(np.broadcast_arrays(np.zeros(1), np.zeros(3))[0]).writable is True


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable:UserWarning")
def test_a_tensor_over_read_only_memory_is_called_read_only_where_the_lender_is_at_hand() -> None:
    fixed = np.frombuffer(bytes(80), np.float64)[1:]
    x = torch.from_numpy(fixed)
    assert describe(x, fixed).writable is False
    assert describe(x).writable is True


def test_bits_versions_and_places_of_tensors_are_told() -> None:
    x = torch.zeros(3, dtype=torch.complex64)
    x.add_(1)
    assert (describe(x.conj()).conj, describe(x.conj().imag).neg, describe(x).version) == (True, True, 1)
    assert describe(torch.zeros(3).share_memory_()).shared_memory is True
    assert describe(torch.zeros(3)).pinned is False
    assert describe(torch.ones(3, requires_grad=True) * 2).graph == GraphPosition(
        place="non-leaf", grad_fn="MulBackward0", requires_grad=True
    )


def test_tensors_without_memory_keep_their_description() -> None:
    with FakeTensorMode():
        fake = torch.zeros(3)
    for x in (fake, torch.zeros(3, device="meta")):
        found = describe(x)
        assert (found.span, found.nbytes, found.layout, found.owners) == (None, 12, "contiguous", ())
        assert "memory       none" in str(found)


def test_inside_vmap_the_description_says_what_is_unknown() -> None:
    seen = []

    def look(x: torch.Tensor) -> torch.Tensor:
        seen.append(describe(x))
        return x

    torch.vmap(look)(torch.zeros(2, 3))
    assert (seen[0].shape, seen[0].span, seen[0].writable) == ((3,), None, True)
    assert seen[0].unknown.startswith("a function transform of torch.func")


def test_a_subclass_keeps_its_name() -> None:
    assert describe(torch.zeros(3).as_subclass(Plain)).type_name == "Plain"


def test_a_description_keeps_nothing_alive() -> None:
    array = np.zeros(3)
    found = describe(array[1:], array)
    alive = weakref.ref(array)
    del array
    gc.collect()
    assert alive() is None
    assert found.nbytes == 16


def test_the_account_in_words_reads_like_this(tmp_path: Path) -> None:
    x = torch.arange(12.0, requires_grad=True).reshape(3, 4)[1:]
    start, end = describe(x).span or (0, 0)
    assert str(describe(x)) == (
        "torch Tensor float32 (2, 4) on cpu\n"
        "  layout       contiguous, strides (16, 4) bytes\n"
        f"  memory       [{start:#x}, {end:#x}), 32 bytes of elements, keeps 48 bytes alive\n"
        "  owners       tensor (shape (12,), viewed) -> torch storage of 48 bytes\n"
        "  access       writable\n"
        "  graph        non-leaf made by SliceBackward0\n"
        "  version      0"
    )
    assert repr(describe(x)) == "<torch Tensor float32 (2, 4) on cpu>"
