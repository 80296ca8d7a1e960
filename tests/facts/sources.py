"""The objects that every entry of the catalogue is run on, and what is true of each of them."""

from __future__ import annotations

import sys
import tempfile
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from tensorcopy.catalogue import Kind, Trait


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


def flat(x: Any) -> bool:
    """Whether one step leads from each element to the next in row-major order, so that a flat view exists."""
    shape, strides = x.shape, _strides(x)
    dims = [(n, s) for n, s in zip(shape, strides, strict=True) if n != 1]
    return 0 in shape or all(s0 == s1 * n1 for (_, s0), (n1, s1) in pairwise(dims))


def dense(x: Any) -> bool:
    """Whether the elements fill one block of memory, in whatever order of dimensions, each at its own place."""
    shape, strides = x.shape, _strides(x)
    step = 1 if isinstance(x, torch.Tensor) else x.itemsize
    for n, s in sorted(((n, s) for n, s in zip(shape, strides, strict=True) if n != 1), key=lambda d: (d[1], d[0])):
        if s != step:
            return 0 in shape
        step *= n
    return True


def _strides(x: Any) -> tuple[int, ...]:
    return x.stride() if isinstance(x, torch.Tensor) else x.strides


def _no_numpy_dtype(x: Any) -> bool:
    return x.dtype in {torch.bfloat16, torch.float8_e4m3fn}


def _no_torch_dtype(x: Any) -> bool:
    return x.dtype.char not in "?bBhHiIlLqefdFD"


TENSOR_TRAITS: dict[Trait, Callable[[Any], bool]] = {
    Trait.REQUIRES_GRAD: lambda x: x.requires_grad,
    Trait.LEAF_REQUIRING_GRAD: lambda x: x.requires_grad and x.is_leaf,
    Trait.NON_LEAF: lambda x: not x.is_leaf,
    Trait.VIEW: lambda x: x._is_view(),
    Trait.SUBCLASS: lambda x: type(x) not in {torch.Tensor, nn.Parameter},
    Trait.NON_CONTIGUOUS: lambda x: not x.is_contiguous(),
    Trait.NEGATIVE_STRIDE: lambda x: False,
    Trait.NOT_FLOATING: lambda x: not (x.is_floating_point() or x.is_complex()),
    Trait.BOOL: lambda x: x.dtype == torch.bool,
    Trait.INTEGRAL: lambda x: not (x.is_floating_point() or x.is_complex()),
    Trait.BFLOAT16: lambda x: x.dtype == torch.bfloat16,
    Trait.COMPLEX: lambda x: x.is_complex(),
    Trait.COMPLEX_ON_GRAPH: lambda x: x.is_complex() and x.requires_grad,
    Trait.NOT_COMPLEX: lambda x: not x.is_complex(),
    Trait.NO_NUMPY_DTYPE: _no_numpy_dtype,
    Trait.CONJ_BIT: lambda x: x.is_conj(),
    Trait.NEG_BIT: lambda x: x.is_neg(),
    Trait.LAZY_BIT: lambda x: x.is_conj() or x.is_neg(),
    Trait.NOT_ONE_ELEMENT: lambda x: x.numel() != 1,
    Trait.EMPTY: lambda x: x.numel() == 0,
    Trait.NOT_LAST_CONTIGUOUS: lambda x: x.dim() > 0 and x.stride(-1) != 1,
    Trait.CHANNELS_LAST: lambda x: x.dim() == 4 and x.is_contiguous(memory_format=torch.channels_last),
    Trait.NON_FORTRAN: lambda x: not x.T.is_contiguous() if x.dim() == 2 else x.dim() > 2,
}
ARRAY_TRAITS: dict[Trait, Callable[[Any], bool]] = {
    Trait.NON_CONTIGUOUS: lambda x: not x.flags.c_contiguous,
    Trait.NON_FORTRAN: lambda x: not x.flags.f_contiguous,
    Trait.NEGATIVE_STRIDE: lambda x: any(s < 0 for s in x.strides),
    Trait.NOT_FLOATING: lambda x: x.dtype.kind not in "fc",
    Trait.BOOL: lambda x: x.dtype.kind == "b",
    Trait.INTEGRAL: lambda x: x.dtype.kind in "biu",
    Trait.COMPLEX: lambda x: x.dtype.kind == "c",
    Trait.NOT_COMPLEX: lambda x: x.dtype.kind != "c",
    Trait.NOT_LAST_CONTIGUOUS: lambda x: x.size > 0 and x.ndim > 0 and x.strides[-1] != x.itemsize,
    Trait.NOT_ONE_BLOCK: lambda x: not (x.flags.c_contiguous or x.flags.f_contiguous),
    Trait.BIG_ENDIAN: lambda x: not x.dtype.isnative,
    Trait.NO_TORCH_DTYPE: _no_torch_dtype,
    Trait.LONG_DOUBLE: lambda x: x.dtype.char == "g",
    Trait.UNSIGNED_WIDE: lambda x: x.dtype.char in "HIL",
    Trait.OBJECT: lambda x: x.dtype.kind == "O",
    Trait.READ_ONLY: lambda x: not x.flags.writeable,
    Trait.NOT_OWNED: lambda x: not x.flags.owndata,
    Trait.ARRAY_SUBCLASS: lambda x: type(x) is not np.ndarray,
    Trait.MASKED_VALUES: lambda x: np.ma.is_masked(x),
    Trait.NOT_ONE_ELEMENT: lambda x: x.size != 1,
    Trait.EMPTY: lambda x: x.size == 0,
}
SHARED_TRAITS: dict[Trait, Callable[[Any], bool]] = {
    Trait.NOT_FLAT: lambda x: not flat(x),
    Trait.NOT_DENSE: lambda x: not dense(x),
    Trait.EXPANDED: lambda x: any(s == 0 and n > 1 for n, s in zip(x.shape, _strides(x), strict=True)),
    Trait.ZERO_D: lambda x: x.ndim == 0,
    Trait.ONE_D: lambda x: x.ndim == 1,
    Trait.LESS_THAN_2D: lambda x: x.ndim < 2,
    Trait.NOT_2D: lambda x: x.ndim != 2,
    Trait.LESS_THAN_3D: lambda x: x.ndim < 3,
    Trait.MORE_THAN_2D: lambda x: x.ndim > 2,
    Trait.NOT_4D: lambda x: x.ndim != 4,
}


def traits_of(x: Any) -> frozenset[Trait]:
    """Everything true of *x* alone."""
    if not isinstance(x, torch.Tensor | np.ndarray):
        return frozenset({Trait.READ_ONLY} if isinstance(x, bytes) else ())
    own = TENSOR_TRAITS if isinstance(x, torch.Tensor) else ARRAY_TRAITS
    return frozenset(trait for trait, holds in (SHARED_TRAITS | own).items() if holds(x))
