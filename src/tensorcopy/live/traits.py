"""What is true of a source, in the words of the catalogue: dtype, layout, bits, protection, place in the graph."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from ..catalogue import Trait
from .dtypes import ML_DTYPES, name_of_torch
from .libraries import class_of, is_instance, is_ndarray, is_tensor
from .owners import may_write


def flat(x: Any) -> bool:
    """Whether one step leads from each element to the next in row-major order, so that a flat view exists."""
    shape, strides = x.shape, _strides(x)
    dims = [(n, s) for n, s in zip(shape, strides, strict=True) if n != 1]
    return 0 in shape or all(s0 == s1 * n1 for (_, s0), (n1, s1) in pairwise(dims))


def dense(x: Any) -> bool:
    """Whether the elements fill one block of memory, in whatever order of dimensions, each at its own place."""
    shape, strides = x.shape, _strides(x)
    step = 1 if is_tensor(x) else x.itemsize
    for n, s in sorted(((n, s) for n, s in zip(shape, strides, strict=True) if n != 1), key=lambda d: (d[1], d[0])):
        if s != step:
            return 0 in shape
        step *= n
    return True


def _strides(x: Any) -> tuple[int, ...]:
    return tuple(x.stride() if is_tensor(x) else x.strides)


def _no_numpy_dtype(x: Any) -> bool:
    return name_of_torch(x.dtype) in ML_DTYPES


def _no_torch_dtype(x: Any) -> bool:
    return x.dtype.char not in "?bBhHiIlLqefdFD"


TENSOR_TRAITS: dict[Trait, Callable[[Any], bool]] = {
    Trait.REQUIRES_GRAD: lambda x: x.requires_grad,
    Trait.LEAF_REQUIRING_GRAD: lambda x: x.requires_grad and x.is_leaf,
    Trait.NON_LEAF: lambda x: not x.is_leaf,
    Trait.VIEW: lambda x: x._is_view(),
    Trait.SUBCLASS: lambda x: type(x) not in (class_of("torch", "Tensor"), class_of("torch.nn", "Parameter")),
    Trait.NON_CONTIGUOUS: lambda x: not x.is_contiguous(),
    Trait.NEGATIVE_STRIDE: lambda x: False,
    Trait.NOT_FLOATING: lambda x: not (x.is_floating_point() or x.is_complex()),
    Trait.BOOL: lambda x: name_of_torch(x.dtype) == "bool",
    Trait.INTEGRAL: lambda x: not (x.is_floating_point() or x.is_complex()),
    Trait.BFLOAT16: lambda x: name_of_torch(x.dtype) == "bfloat16",
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
    Trait.CHANNELS_LAST: lambda x: x.dim() == 4 and x.is_contiguous(memory_format=class_of("torch", "channels_last")),
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
    Trait.READ_ONLY: lambda x: not may_write(x),
    Trait.NOT_OWNED: lambda x: not x.flags.owndata,
    Trait.ARRAY_SUBCLASS: lambda x: type(x) is not class_of("numpy", "ndarray"),
    Trait.MASKED_VALUES: lambda x: _has_masked_values(x),
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
    """Everything true of *x* alone. Reads no element, except those of a mask."""
    if not is_tensor(x) and not is_ndarray(x):
        return frozenset({Trait.READ_ONLY} if isinstance(x, bytes) else ())
    own = TENSOR_TRAITS if is_tensor(x) else ARRAY_TRAITS
    return frozenset(trait for trait, holds in (SHARED_TRAITS | own).items() if holds(x))


def _has_masked_values(x: Any) -> bool:
    return is_instance(x, "numpy.ma", "MaskedArray") and bool(x.mask.any())
