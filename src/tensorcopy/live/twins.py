"""A private copy of an object that is like it in every respect that operations look at."""

from __future__ import annotations

import copy
import ctypes
from typing import Any

from .libraries import class_of, is_instance, is_ndarray, is_tensor, load
from .owners import may_write
from .regions import footprint


def twin_of(x: Any) -> Any:
    """A copy of *x* with the same values, shape, strides, bits, flags, class and place in the graph. Shares nothing.

    A non-leaf becomes a non-leaf of a graph of its own; hooks and attributes stay behind. Takes tensors in one strided
    block, arrays, masked arrays and nests of Python numbers.
    """
    if is_tensor(x):
        return _on_graph(_tensor_twin(x), x)
    if is_instance(x, "numpy.ma", "MaskedArray"):
        return x.copy()
    return _array_twin(x) if is_ndarray(x) else copy.deepcopy(x)


def _tensor_twin(x: Any) -> Any:
    """The storage under the elements copied as it is, and looked at in the same way."""
    torch = load("torch")
    plain = x.detach().as_subclass(torch.Tensor)
    if not plain.numel():
        return plain.clone()
    conj, neg = plain.is_conj(), plain.is_neg()
    plain = plain.conj() if conj else torch._neg_view(plain) if neg else plain
    reach = sum((size - 1) * step for size, step in zip(plain.shape, plain.stride(), strict=True)) + 1
    block = plain.as_strided((reach,), (1,)).clone()
    if x._is_view():
        twin = block.as_strided(plain.shape, plain.stride())
    else:
        twin = block.new_empty(0).set_(block.untyped_storage(), 0, plain.shape, plain.stride())
    return twin.conj() if conj else torch._neg_view(twin) if neg else twin


def _on_graph(twin: Any, x: Any) -> Any:
    torch, kind = load("torch"), type(x)
    if kind is class_of("torch.nn", "Parameter"):
        return torch.nn.Parameter(twin, requires_grad=x.requires_grad)
    twin = twin if kind is torch.Tensor else twin.as_subclass(kind)
    if not x.requires_grad:
        return twin
    leaf = twin.requires_grad_()
    return leaf if x.is_leaf else leaf.view_as(leaf) if x._is_view() else leaf.clone()


def _array_twin(x: Any) -> Any:
    numpy = load("numpy")
    if x.dtype.hasobject or not x.size or (x.flags.owndata and x.flags.forc):
        return _as_writable_as(x, x.copy(order="K"))
    (region,) = footprint(x).regions
    lo, hi = region.span
    block = numpy.empty(hi - lo, numpy.uint8)
    ctypes.memmove(block.ctypes.data, lo, hi - lo)
    twin = numpy.ndarray(x.shape, x.dtype, block, region.address - lo, x.strides)
    return _as_writable_as(x, twin if type(x) is numpy.ndarray else twin.view(type(x)))


def _as_writable_as(x: Any, twin: Any) -> Any:
    twin.flags.writeable = may_write(x)
    return twin
