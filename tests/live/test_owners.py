from __future__ import annotations

import mmap
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch

from tensorcopy.live.owners import LENT, LENT_OR_SHOWN, Owner, owner_chain
from tests.live.sources import SOURCES


def kinds(obj: Any, *others: Any) -> list[tuple[str, int | None]]:
    return [(owner.kind, owner.nbytes) for owner in owner_chain(obj, *others)]


def misaligned(size: int) -> np.ndarray:
    """Doubles at an address that torch's own allocator never gives."""
    block = np.zeros(size + 8)
    first = next(k for k in range(8) if block[k:].ctypes.data % 64 == 8)
    return block[first : first + size]


@pytest.mark.parametrize("obj", [np.zeros(3), bytearray(3), b"abc", memoryview(b"").obj, pa.py_buffer(b"abc")])
def test_what_owns_its_memory_has_no_owners(obj: Any) -> None:
    assert owner_chain(obj) == ()


def test_the_owner_of_a_tensor_is_its_storage_and_a_view_names_its_base() -> None:
    x = torch.zeros(3, 4)
    assert kinds(x) == [("torch storage", 48)]
    assert kinds(x[1:][:, 2:]) == [("tensor", None), ("torch storage", 48)]
    assert owner_chain(x[1:])[0].detail == "shape (3, 4), viewed"


def test_the_owner_of_an_array_view_is_found_through_every_kind_of_base() -> None:
    block, text = bytearray(9), b"abcd"
    assert kinds(np.zeros((4, 5))[1:, ::2]) == [("ndarray", 160)]
    assert kinds(np.frombuffer(text, np.uint8)) == [("bytes", 4)]
    assert kinds(np.frombuffer(memoryview(block)[3:], np.uint8)) == [("memoryview", 6), ("bytearray", 9)]
    assert kinds(memoryview(block)[3:]) == [("bytearray", 9)]
    assert kinds(torch.zeros(3).numpy()) == [("torch storage", 12)]
    assert kinds(pa.array([1, 2, 3]).to_numpy())[-1] == ("Int64Array", 24)


def test_a_memmap_names_its_file(tmp_path: Path) -> None:
    mapped = np.memmap(tmp_path / "data", np.uint8, "w+", shape=(8,))
    assert kinds(mapped[2:]) == [("memmap", 8), ("mmap", 8)]
    assert owner_chain(mapped[2:])[0].detail == f"file {tmp_path / 'data'}"


def test_permissions_are_told_along_the_chain(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(bytes(8))
    mapped = np.memmap(tmp_path / "data", np.uint8, "r")
    assert [owner.writable for owner in owner_chain(mapped[2:])] == [False, False]
    assert [owner.writable for owner in owner_chain(np.frombuffer(b"abcd", np.uint8))] == [False]


def test_a_file_behind_a_storage_is_named(tmp_path: Path) -> None:
    path = str(tmp_path / "data")
    x = torch.from_file(path, shared=True, size=4)
    assert owner_chain(x)[0].detail == f"file {path}"


def test_a_storage_in_shared_memory_says_so() -> None:
    assert owner_chain(torch.zeros(3).share_memory_())[0].detail == "shared memory, open to other processes"


def test_a_lent_storage_admits_that_torch_does_not_name_the_lender() -> None:
    assert owner_chain(torch.from_numpy(misaligned(3)))[0].detail == LENT
    shown = torch.zeros(3)
    shown.numpy()
    assert owner_chain(shown)[0].detail == LENT_OR_SHOWN


def test_the_lender_is_found_among_the_others_by_its_address() -> None:
    whole = misaligned(6)
    x = torch.from_numpy(whole[2:])
    assert kinds(x, np.zeros(3), whole) == [("torch storage", 32), ("ndarray", 48), ("ndarray", whole.base.nbytes)]
    assert owner_chain(x, np.zeros(3), whole)[1].detail == "number 2 of the others, by address"
    assert kinds(x, np.zeros(3)) == [("torch storage", 32)]


def test_an_array_made_by_numpy_is_not_taken_for_the_lender() -> None:
    x = torch.zeros(3)
    shown = x.numpy()
    assert kinds(x, shown) == [("torch storage", 12)]


@pytest.mark.parametrize("lender", ["bytearray", "array.array", "mmap"])
def test_any_buffer_can_be_the_lender(lender: str) -> None:
    obj = SOURCES[lender].obj
    x = torch.frombuffer(obj, dtype=torch.uint8)
    assert kinds(x, obj)[1:] == [(type(obj).__name__, SOURCES[lender].nbytes)] or x.data_ptr() % 64 == 0


def test_columns_of_a_frame_name_each_block_once() -> None:
    frame = pd.DataFrame({"a": [1.0, 2], "b": [3.0, 4], "c": [1, 2]})
    assert kinds(frame) == [("ndarray", 32), ("ndarray", 16)]


def test_arrow_slices_name_the_whole_buffer() -> None:
    assert kinds(pa.array([1.0, 2, None])[1:]) == [("Arrow buffer", 1), ("Arrow buffer", 24)]


def test_a_sparse_tensor_names_the_storage_of_each_part() -> None:
    assert kinds(torch.eye(3).to_sparse()) == [("torch storage", 48), ("torch storage", 12)]


def test_the_chain_survives_a_base_that_was_closed() -> None:
    class Holder:
        def __init__(self) -> None:
            self.owner = mmap.mmap(-1, 16)
            self.__array_interface__ = np.frombuffer(self.owner, np.uint8).__array_interface__

    holder = Holder()
    view = np.asarray(holder)
    holder.owner.close()
    assert owner_chain(view)[0].kind == "Holder"


def test_an_owner_is_told_in_one_line() -> None:
    owner = Owner(kind="bytes", nbytes=4096, writable=False, detail="why")
    assert str(owner) == "bytes of 4,096 bytes, read-only (why)"
