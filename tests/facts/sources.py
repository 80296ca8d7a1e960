"""The objects that every entry of the catalogue is run on, and what is true of each of them."""

from __future__ import annotations

import sys
import tempfile
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from tensorcopy.catalogue import Kind


class Tagged(torch.Tensor):
    """A plain tensor subclass, as users write them."""


class Tracked(np.ndarray):
    """A plain ndarray subclass."""


@dataclass(frozen=True, slots=True)
class Source:
    """How to build one source afresh: `build` gives the object and the leaf behind it, if it is on a graph."""

    name: str
    kind: Kind
    build: Callable[[], tuple[Any, Any]]


TENSORS: dict[str, Callable[[], Any]] = {
    "contiguous": lambda: torch.arange(6.0).reshape(2, 3) + 1,
    "strided slice": lambda: (torch.arange(12.0).reshape(2, 6) + 1)[:, ::2],
    "strided slice of doubles": lambda: (torch.arange(12.0, dtype=torch.float64).reshape(2, 6) + 1)[:, ::2],
    "slice of a large one": lambda: (torch.arange(400.0) + 1).view(100, 4)[10:12],
    "transposed": lambda: (torch.arange(6.0).reshape(2, 3) + 1).t(),
    "channels last": lambda: (torch.arange(48.0).reshape(2, 3, 2, 4) + 1).to(memory_format=torch.channels_last),
    "expanded": lambda: (torch.arange(3.0) + 1).expand(2, 3),
    "one dimension": lambda: torch.arange(4.0) + 1,
    "column": lambda: torch.arange(2.0).reshape(2, 1) + 1,
    "subclass": lambda: (torch.arange(6.0).reshape(2, 3) + 1).as_subclass(Tagged),
    "no dimensions": lambda: torch.tensor(3.5),
    "empty": lambda: torch.empty(0, 3),
    "bool": lambda: torch.tensor([[True, False], [True, True]]),
    "uint8": lambda: torch.tensor([[1, 2], [3, 4]], dtype=torch.uint8),
    "int8": lambda: torch.tensor([[1, 2], [3, 4]], dtype=torch.int8),
    "int16": lambda: torch.tensor([[1, 2], [3, 4]], dtype=torch.int16),
    "int32": lambda: torch.tensor([[1, 2], [3, 4]], dtype=torch.int32),
    "int64": lambda: torch.tensor([[1, 2], [3, 4]]),
    "float64": lambda: torch.arange(6.0, dtype=torch.float64).reshape(2, 3) + 1,
    "float16": lambda: torch.arange(6.0).reshape(2, 3).half() + 1,
    "bfloat16": lambda: torch.arange(6.0).reshape(2, 3).bfloat16() + 1,
    "complex": lambda: torch.tensor([[1 + 2j, 3 - 4j], [5 + 6j, 7 - 8j]]),
    "complex128": lambda: torch.tensor([[1 + 2j, 3 - 4j]], dtype=torch.complex128),
    "strided complex": lambda: torch.tensor([[1 + 2j, 3 - 4j, 5 + 6j, 7 - 8j]]).expand(2, 4).clone()[:, ::2],
    "strided conjugate": lambda: torch.tensor([[1 + 2j, 3 - 4j, 5 + 6j, 7 - 8j]]).expand(2, 4).clone()[:, ::2].conj(),
    "conjugate bit": lambda: torch.tensor([[1 + 2j, 3 - 4j], [5 + 6j, 7 - 8j]]).conj(),
    "negative bit": lambda: torch.tensor([[1 + 2j, 3 - 4j], [5 + 6j, 7 - 8j]]).conj().imag,
}


def _fresh_bytes() -> bytes:
    return bytes(bytearray(range(1, 17)))


LISTS: dict[str, Callable[[], Any]] = {
    "list of floats": lambda: [[1.5, 2.5], [3.5, 4.5]],
    "list of integers": lambda: [1, 2, 3],
    "list of bools": lambda: [True, False],
    "tuple of lists": lambda: ([1, 2], [3, 4]),
    "list of arrays": lambda: [np.arange(3.0) + 1, np.arange(3.0) + 4],
}
BUFFERS: dict[str, Callable[[], Any]] = {
    "bytearray": lambda: bytearray(range(1, 17)),
    "bytes": _fresh_bytes,
    "memoryview": lambda: memoryview(bytearray(range(1, 17))),
    "array.array": lambda: array("B", range(1, 17)),
}
NUMBERS: dict[str, Callable[[], Any]] = {
    "float": lambda: 3.5,
    "int": lambda: 3,
    "bool": lambda: True,
    "NumPy number": lambda: np.float64(3.5),
}


def _module() -> tuple[Any, Any]:
    module = nn.Linear(3, 2, bias=False)
    return module, module.weight


def _leaf() -> tuple[Any, Any]:
    x = (torch.arange(6.0).reshape(2, 3) + 1).requires_grad_()
    return x, x


def _non_leaf() -> tuple[Any, Any]:
    leaf = (torch.arange(6.0).reshape(2, 3) + 1).requires_grad_()
    return leaf * 1.5, leaf


def _transposed_non_leaf() -> tuple[Any, Any]:
    leaf = (torch.arange(6.0).reshape(2, 3) + 1).requires_grad_()
    return (leaf * 1.5).t(), leaf


def _complex_leaf() -> tuple[Any, Any]:
    x = torch.tensor([[1 + 2j, 3 - 4j], [5 + 6j, 7 - 8j]], requires_grad=True)
    return x, x


def _leaf_of_four() -> tuple[Any, Any]:
    x = (torch.arange(24.0).reshape(1, 2, 3, 4) + 1).requires_grad_()
    return x, x


def _parameter() -> tuple[Any, Any]:
    x = nn.Parameter(torch.arange(6.0).reshape(2, 3) + 1)
    return x, x


def _read_only(a: np.ndarray) -> np.ndarray:
    a.flags.writeable = False
    return a


def _memmap() -> np.memmap:
    path = Path(_folder()) / "array.bin"
    (np.arange(6.0).reshape(2, 3) + 1).tofile(path)
    return np.memmap(path, dtype=np.float64, mode="c", shape=(2, 3))


@cache
def _folder() -> str:
    holder = tempfile.TemporaryDirectory()
    _folder.holder = holder  # type: ignore[attr-defined]  # kept until the process ends
    return holder.name


_OTHER_ORDER = ">" if sys.byteorder == "little" else "<"
ARRAYS: dict[str, Callable[[], Any]] = {
    "float64 array": lambda: np.arange(6.0).reshape(2, 3) + 1,
    "float32 array": lambda: np.arange(6, dtype=np.float32).reshape(2, 3) + 1,
    "int64 array": lambda: np.arange(6).reshape(2, 3) + 1,
    "int32 array": lambda: np.arange(6, dtype=np.int32).reshape(2, 3) + 1,
    "uint8 array": lambda: np.arange(6, dtype=np.uint8).reshape(2, 3) + 1,
    "uint16 array": lambda: np.arange(6, dtype=np.uint16).reshape(2, 3) + 1,
    "bool array": lambda: np.array([[True, False], [True, True]]),
    "complex array": lambda: np.array([[1 + 2j, 3 - 4j], [5 + 6j, 7 - 8j]]),
    "longdouble array": lambda: np.arange(6, dtype=np.longdouble).reshape(2, 3) + 1,
    "column-major array": lambda: np.asfortranarray(np.arange(6.0).reshape(2, 3) + 1),
    "strided array": lambda: (np.arange(12.0).reshape(2, 6) + 1)[:, ::2],
    "strided float32 array": lambda: (np.arange(12, dtype=np.float32).reshape(2, 6) + 1)[:, ::2],
    "array slice": lambda: (np.arange(400.0) + 1).reshape(100, 4)[10:12],
    "negative-stride array": lambda: (np.arange(6.0).reshape(2, 3) + 1)[::-1],
    "broadcast array": lambda: np.broadcast_to(np.arange(3.0) + 1, (2, 3)),
    "read-only array": lambda: _read_only(np.arange(6.0).reshape(2, 3) + 1),
    "big-endian array": lambda: (np.arange(6.0).reshape(2, 3) + 1).astype(_OTHER_ORDER + "f8"),
    "one-dimensional array": lambda: np.arange(4.0) + 1,
    "column array": lambda: np.arange(2.0).reshape(2, 1) + 1,
    "0-d array": lambda: np.array(3.5),
    "empty array": lambda: np.empty((0, 3)),
    "object array": lambda: np.array([[1.5, 2.5], [3.5, 4.5]], dtype=object),
    "ndarray subclass": lambda: (np.arange(6.0).reshape(2, 3) + 1).view(Tracked),
    "memmap": _memmap,
    "masked array": lambda: np.ma.masked_array(np.arange(6.0).reshape(2, 3) + 1, mask=[[0, 1, 0], [0, 0, 0]]),
    "masked array, nothing masked": lambda: np.ma.masked_array(np.arange(6.0).reshape(2, 3) + 1),
}
_WITH_LEAF = {
    "leaf": _leaf,
    "non-leaf": _non_leaf,
    "transposed non-leaf": _transposed_non_leaf,
    "Parameter": _parameter,
    "complex leaf": _complex_leaf,
    "leaf with four dimensions": _leaf_of_four,
}


def _alone(build: Callable[[], Any]) -> Callable[[], tuple[Any, Any]]:
    return lambda: (build(), None)


SOURCES = (
    *(Source(n, Kind.TENSOR, _alone(b)) for n, b in TENSORS.items()),
    *(Source(n, Kind.TENSOR, b) for n, b in _WITH_LEAF.items()),
    *(Source(n, Kind.SEQUENCE, _alone(b)) for n, b in LISTS.items()),
    *(Source(n, Kind.BUFFER, _alone(b)) for n, b in BUFFERS.items()),
    *(Source(n, Kind.SCALAR, _alone(b)) for n, b in NUMBERS.items()),
    Source("storage", Kind.STORAGE, _alone(lambda: torch.arange(6.0).untyped_storage())),
    Source("module", Kind.MODULE, _module),
    *(Source(n, Kind.MASKED if "masked" in n else Kind.ARRAY, _alone(b)) for n, b in ARRAYS.items()),
)
