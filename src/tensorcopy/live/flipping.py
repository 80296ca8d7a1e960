"""Prove that two objects share memory, or do not, by inverting a few bytes of one and looking at the other."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .libraries import is_instance, is_ndarray, is_tensor, load
from .memory import Region
from .owners import may_write, owner_chain
from .regions import footprint


def may_flip(x: Any) -> bool:
    """Whether the memory of *x* may be written for a moment: nobody on the way to its owner has marked it read-only."""
    if is_ndarray(x) and not may_write(x):
        return False
    return all(owner.writable is not False for owner in owner_chain(x))


def follows(x: Any, y: Any) -> bool | None:
    """Whether *y* changes when the first and the last element of *x* are inverted. The bytes are put back.

    Both hold the same values in the same order, or *y* holds those of *x* several times. None where nothing can be
    inverted (no elements, no memory, Python objects) or the memory cannot be reached from here.
    """
    if is_tensor(x) and x.device.type not in ("cpu", "meta"):
        return _follows_on_device(x, y)
    source, result = _elements(x), _elements(y)
    if not source or not result:
        return None
    before = _read(result)
    with _inverted(source):
        return _read(result) != before


def _elements(obj: Any) -> list[tuple[int, int]]:
    """Address and size of the first and the last element; empty where there is none on the host."""
    plain = obj.data if is_instance(obj, "numpy.ma", "MaskedArray") else obj
    if not (is_tensor(plain) or is_ndarray(plain)) or (is_ndarray(plain) and plain.dtype.hasobject):
        return []
    if is_tensor(plain) and plain.device.type != "cpu":
        return []
    return [(place, region.itemsize) for region in footprint(plain).regions for place in _ends(region)]


def _ends(region: Region) -> tuple[int, ...]:
    if not region.size or not region.itemsize:
        return ()
    steps = ((size - 1) * stride for size, stride in zip(region.shape, region.strides, strict=True))
    return region.address, region.address + sum(steps)


def _read(elements: list[tuple[int, int]]) -> list[bytes]:
    return [ctypes.string_at(address, size) for address, size in elements]


@contextmanager
def _inverted(elements: list[tuple[int, int]]) -> Iterator[None]:
    """Each byte inverted once, however often elements use it, and put back at the end."""
    places = sorted({address + k for address, size in elements for k in range(size)})
    saved = [ctypes.c_ubyte.from_address(place).value for place in places]
    try:
        for place, value in zip(places, saved, strict=True):
            ctypes.c_ubyte.from_address(place).value = value ^ 0xFF
        yield
    finally:
        for place, value in zip(places, saved, strict=True):
            ctypes.c_ubyte.from_address(place).value = value


def _follows_on_device(x: Any, y: Any) -> bool | None:
    if not x.numel() or x.is_conj() or x.is_neg():
        return None
    source, before = _first_bytes(x), _seen(y)
    try:
        source.bitwise_not_()
        return None if before is None else _seen(y) != before
    finally:
        source.bitwise_not_()


def _first_bytes(tensor: Any) -> Any:
    """A view of the first element's bytes whose version counter is its own, so that autograd notices no write."""
    return tensor.data[(0,) * tensor.dim()].reshape(1).view(load("torch").uint8)


def _seen(y: Any) -> object:
    if is_tensor(y):
        return _first_bytes(y).tolist() if y.numel() and y.device.type != "meta" else None
    return _read(_elements(y)) or None
