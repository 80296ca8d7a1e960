from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tensorcopy.errors import UnsupportedSourceError
from tensorcopy.live import snapshots
from tensorcopy.live.snapshots import Change, Snapshot
from tests.live.sources import SOURCES, Source

TAKEN = {name: source for name, source in SOURCES.items() if name != "wrapper subclass"}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_nothing_written_is_no_change(source: Source) -> None:
    assert Snapshot(source.obj).change() is None


@given(st.data())
def test_the_changed_element_is_named_for_any_view(data: st.DataObject) -> None:
    base = np.arange(120, dtype=np.int16).reshape(4, 5, 6)
    slices = tuple(
        slice(data.draw(st.integers(0, n - 1)), None, data.draw(st.sampled_from([1, 2, -1, -2]))) for n in base.shape
    )
    view = base[slices].transpose(data.draw(st.permutations(range(3))))
    index = tuple(data.draw(st.integers(0, n - 1)) for n in view.shape)
    taken = Snapshot(view)
    old = int(view[index])
    view[index] = -7
    assert taken.change() == Change(
        what=f"element {list(index)} changed from {old} to -7", index=index, elements=1 if _counts(view) else None
    )


def _counts(view: np.ndarray) -> bool:
    return Snapshot(view)._saved[0].size == view.nbytes


def test_a_write_between_the_elements_of_a_view_is_no_change() -> None:
    whole = torch.zeros(10)
    taken = Snapshot(whole[::2])
    whole[1::2] = 5
    assert taken.change() is None


@pytest.mark.parametrize(
    ("obj", "write", "what"),
    [
        (torch.zeros(2, dtype=torch.bfloat16), lambda x: x[1:].fill_(2), "element [1] changed from 0.0 to 2.0"),
        (torch.tensor(1), lambda x: x.add_(1), "element [] changed from 1 to 2"),
        (torch.zeros(3).expand(2, 3), lambda x: x[1:, 2:].fill_(1), "element [0, 2] changed from 0.0 to 1.0"),
        (bytearray(3), lambda x: x.__setitem__(1, 255), "element [1] changed from 0x00 to 0xff"),
        (np.array([1, "a"], object), lambda x: x.__setitem__(1, "b"), None),
        (np.zeros(2, [("a", "i1"), ("b", "i1")]), lambda x: x["b"].fill(3), "element [0] changed from (0, 0) to"),
        (torch.eye(2).to_sparse(), lambda x: x._values().fill_(3), "element [0] changed from 1.0 to 3.0"),
        (torch.zeros(3), lambda x: x.resize_(4), "its memory was replaced"),
        (torch.zeros(3), lambda x: x.share_memory_(), "its memory was replaced"),
        (torch.zeros(3), lambda x: x.untyped_storage().resize_(0), "its memory was replaced"),
        (torch.zeros(3), lambda x: x.t_() if x.dim() > 1 else x.unsqueeze_(0), "its memory was replaced"),
        (mmap.mmap(-1, 8), lambda x: x.close(), "its memory was released"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_every_way_to_change_is_named(obj: Any, write: Any, what: str | None) -> None:
    taken = Snapshot(obj)
    write(obj)
    change = taken.change()
    assert change is not None
    if what is not None:
        assert change.what.startswith(what)


def test_the_sign_of_zero_and_the_bits_of_nan_count() -> None:
    x = torch.tensor([0.0, float("nan")])
    taken = Snapshot(x)
    x.copy_(x.clone())
    assert taken.change() is None
    x[0] = -0.0
    change = taken.change()
    assert change is not None
    assert change.elements == 1


def test_the_part_of_a_compound_object_is_named() -> None:
    masked = np.ma.array([1, 2, 3], mask=[0, 1, 0])
    taken = Snapshot(masked)
    masked.mask[0] = True
    change = taken.change()
    assert change is not None
    assert (change.part, change.index) == ("mask", (0,))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.complex64])
def test_tensors_that_the_processor_cannot_read_are_compared_where_they_are(
    monkeypatch: pytest.MonkeyPatch, dtype: torch.dtype
) -> None:
    monkeypatch.setattr(snapshots, "on_host", lambda obj: False)
    x = torch.zeros(2, 3, dtype=dtype).t()
    taken = Snapshot(x)
    assert taken.change() is None
    x[2, 1] = 1
    change = taken.change()
    assert change is not None
    assert (change.index, change.elements) == ((2, 1), 1)


@pytest.mark.parametrize("obj", [Image.new("RGB", (2, 2)), object(), np.float32(1)], ids=["image", "object", "scalar"])
def test_what_cannot_be_read_is_refused(obj: Any) -> None:
    with pytest.raises(UnsupportedSourceError, match=f"cannot watch the {type(obj).__name__}"):
        Snapshot(obj)


def test_an_arrow_array_written_through_its_buffer_is_noticed() -> None:
    block = bytearray(np.arange(3.0).tobytes())
    arrow = pa.Array.from_buffers(pa.float64(), 3, [None, pa.py_buffer(block)])
    taken = Snapshot(arrow)
    np.frombuffer(block)[1] = 9
    change = taken.change()
    assert change is not None
    assert (change.index, change.part) == ((1,), "values")
