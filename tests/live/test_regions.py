from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from PIL import Image
from torch._subclasses import FakeTensorMode

from tensorcopy.errors import UnusableBufferError
from tensorcopy.live import regions
from tensorcopy.live.memory import Region
from tensorcopy.live.regions import common_memory, export_of, footprint, meets
from tests.live.sources import SOURCES, Exporter, Interface, Source

TWINS = {name: source for name, source in SOURCES.items() if source.twin is not None}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_every_byte_of_every_source_is_found(source: Source) -> None:
    found = footprint(source.obj)
    assert found.unknown == ""
    assert (sum(region.nbytes for region in found.regions), len(found.regions)) == (source.nbytes, source.parts)


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_every_source_shares_memory_with_itself_and_not_with_fresh_memory(source: Source) -> None:
    assert common_memory(source.obj, source.obj).kind == "same memory"
    assert meets(footprint(source.obj), footprint(np.zeros(3))) is False


@pytest.mark.parametrize("source", TWINS.values(), ids=TWINS)
def test_overlap_is_seen_across_libraries(source: Source) -> None:
    assert meets(footprint(source.obj), footprint(source.twin)) is True
    assert common_memory(source.twin, source.obj)


@pytest.mark.parametrize(
    "name", ["tensor", "array", "negative strides", "bytearray", "array.array", "mmap", "JAX array"]
)
def test_the_address_is_where_the_bytes_are(name: str) -> None:
    obj = SOURCES[name].obj
    (region,) = footprint(obj).regions
    lo, hi = region.span
    values = np.asarray(obj.cpu() if isinstance(obj, torch.Tensor) else obj)
    dense = values if min(region.strides) > 0 else values[::-1, ::-1]
    expected = np.lib.stride_tricks.as_strided(dense, dense.shape, tuple(map(abs, region.strides))).ravel()
    raw = np.frombuffer(ctypes.string_at(lo, hi - lo), np.uint8)
    steps = [(abs(stride), n) for stride, n in zip(region.strides, region.shape, strict=True)]
    read = np.lib.stride_tricks.as_strided(raw, [*(n for _, n in steps), region.itemsize], [*(s for s, _ in steps), 1])
    assert read.tobytes() == expected.tobytes()


def fake() -> torch.Tensor:
    with FakeTensorMode():
        return torch.zeros(3)


@pytest.mark.parametrize(
    "obj",
    [
        torch.zeros(3, device="meta"),
        fake(),
        torch.zeros(0, 3),
        np.zeros(0),
        b"",
        pd.RangeIndex(3),
        5,
        "text",
        None,
        [1, 2.0],
    ],
    ids=["meta", "fake", "empty tensor", "empty array", "no bytes", "range index", "int", "str", "None", "numbers"],
)
def test_what_has_no_memory_is_disjoint_from_everything(obj: Any) -> None:
    assert footprint(obj).unknown == ""
    assert meets(footprint(obj), footprint(torch.zeros(3))) is False


class Raises:
    def __dlpack__(self, **_: Any) -> Any:
        raise RuntimeError("not today")


class Lies:
    def __dlpack__(self, **_: Any) -> Any:
        return 3


@pytest.mark.parametrize(
    ("obj", "reason"),
    [
        (np.float32(1), "a NumPy scalar hands out copies of its value only"),
        (Image.new("RGB", (2, 2)), "Pillow gives no address; every array made of an image is a copy"),
        (Raises(), "__dlpack__ of Raises raised RuntimeError: not today"),
        (Lies(), "__dlpack__ of Lies returned something untrue: it is a int, not a capsule"),
        (object(), "an object offers no protocol that shows its memory"),
        (pl.Series(["text"]), "Polars shows the memory of a String column only through a copy"),
        (torch.eye(2).to_mkldnn(), "torch gives no address for layout torch._mkldnn"),
    ],
    ids=["scalar", "image", "raises", "lies", "object", "Polars text", "mkldnn"],
)
def test_what_cannot_be_located_says_why_and_is_never_called_disjoint(obj: Any, reason: str) -> None:
    assert footprint(obj).unknown == reason
    found = common_memory(obj, torch.zeros(3))
    assert (found.kind, found.bytes, found.why) == ("unknown", None, reason)
    assert meets(footprint(obj), footprint(torch.zeros(3))) is None


@pytest.mark.parametrize("transform", [torch.vmap, torch.func.grad, torch.func.functionalize])
def test_inside_a_function_transform_memory_is_unknown(transform: Any) -> None:
    seen = []

    def look(x: torch.Tensor) -> torch.Tensor:
        seen.append(footprint(x))
        return (x * 2).sum()

    transform(look)(torch.zeros(2, 3) if transform is torch.vmap else torch.zeros(3))
    assert seen[0].regions == ()
    assert "torch gives no address" in seen[0].unknown or "function transform" in seen[0].unknown


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support:UserWarning")
@pytest.mark.parametrize(
    ("layout", "labels"),
    [
        (torch.sparse_csr, ["crow_indices", "col_indices", "values"]),
        (torch.sparse_csc, ["ccol_indices", "row_indices", "values"]),
        (torch.sparse_bsr, ["crow_indices", "col_indices", "values"]),
        (torch.sparse_bsc, ["ccol_indices", "row_indices", "values"]),
    ],
)
def test_compressed_sparse_tensors_show_indices_and_values(layout: torch.layout, labels: list[str]) -> None:
    blocks = {"blocksize": (2, 2)} if "bs" in str(layout) else {}
    x = torch.eye(4).to_sparse(layout=layout, **blocks)
    assert [region.label for region in footprint(x).regions] == labels
    assert common_memory(x, x.values()).parts == ("values", "")


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors:UserWarning")
def test_nested_tensors_show_their_buffers() -> None:
    parts = [torch.zeros(2), torch.zeros(3)]
    strided = torch.nested.nested_tensor(parts)
    jagged = torch.nested.nested_tensor(parts, layout=torch.jagged)
    assert sum(region.nbytes for region in footprint(strided).regions) == 20
    assert common_memory(strided, strided.unbind()[1]).bytes == 12
    assert common_memory(jagged, jagged.values()).parts == ("values", "")


@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor:UserWarning")
def test_a_quantized_tensor_shows_its_integers() -> None:
    x = torch.quantize_per_tensor(torch.zeros(3), 0.1, 0, torch.quint8)
    assert common_memory(x, x.untyped_storage()).kind == "same memory"


def test_a_released_memoryview_is_an_unusable_buffer() -> None:
    view = memoryview(b"abc")
    view.release()
    with pytest.raises(UnusableBufferError, match="cannot look into the memoryview: operation forbidden on released"):
        footprint(view)


def test_a_closed_mmap_is_an_unusable_buffer() -> None:
    pages = mmap.mmap(-1, 16)
    pages.close()
    with pytest.raises(UnusableBufferError, match="cannot look into the mmap: mmap closed"):
        footprint(pages)


def test_looking_at_a_buffer_leaves_it_unlocked() -> None:
    block = bytearray(4)
    footprint(block)
    block.extend(b"more")
    assert len(block) == 8


def test_the_cuda_array_interface_tells_the_address() -> None:
    class OnDevice:
        @property
        def __cuda_array_interface__(self) -> dict[str, Any]:
            return {"data": (4096, False), "shape": (2, 3), "typestr": "<f4", "version": 3}

    assert footprint(OnDevice()).regions == (Region(4096, (2, 3), (12, 4), 4),)


def test_halves_of_one_arrow_array_are_disjoint() -> None:
    whole = SOURCES["Arrow array"].obj
    assert meets(footprint(whole[:1]), footprint(whole[1:])) is False
    assert common_memory(whole, whole[1:]).ranges == (((1, 3),), ((0, 2),))


def test_fields_of_one_record_array_are_disjoint() -> None:
    records = np.zeros(5, [("a", "f4"), ("b", "i8")])
    assert meets(footprint(records["a"]), footprint(records["b"])) is False


def test_columns_of_one_pandas_block_are_disjoint_and_lie_in_the_same_frame() -> None:
    frame = pd.DataFrame({"a": [1.0, 2], "b": [3.0, 4]})
    assert meets(footprint(frame["a"]), footprint(frame["b"])) is False
    assert common_memory(frame, frame["b"]).parts == ("b", "")


def test_text_in_an_array_interface_takes_four_bytes_a_character() -> None:
    text = np.array(["ab", "cd"])
    assert footprint(Interface(text)).regions == footprint(text).regions


def test_a_producer_that_copies_for_the_export_shows_no_memory() -> None:
    class Copies:
        def __dlpack__(self, **options: Any) -> Any:
            return np.zeros(3).__dlpack__(copy=True, **options)

    assert footprint(Copies()).unknown == "a Copies offers no protocol that shows its memory"


def test_a_producer_of_read_only_memory_is_read_only() -> None:
    fixed = np.zeros(3)
    fixed.flags.writeable = False

    class Fixed:
        def __dlpack__(self, **options: Any) -> Any:
            return fixed.__dlpack__(**options)

    assert export_of(Fixed()) == (footprint(fixed).regions[0], False)
    assert export_of(Exporter(torch.zeros(3))) is not None


def test_on_devices_without_common_addresses_only_one_storage_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regions, "_HOST_DEVICES", frozenset())
    x = torch.zeros(4)
    assert meets(footprint(x), footprint(x[1:])) is True
    assert meets(footprint(x), footprint(torch.zeros(4))) is False
    assert {region.space for obj in (x, x.untyped_storage()) for region in footprint(obj).regions} == {
        f"cpu:{x.data_ptr():#x}"
    }


def test_a_dlpack_capsule_shows_its_memory_and_is_not_consumed() -> None:
    x = torch.arange(6.0)
    capsule = x[2:].__dlpack__()
    assert common_memory(capsule, x).bytes == 16
    assert torch.from_dlpack(capsule).tolist() == [2.0, 3.0, 4.0, 5.0]
    assert "taken by somebody else" in common_memory(capsule, x).why
