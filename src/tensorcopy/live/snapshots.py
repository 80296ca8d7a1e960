"""Keep the bytes of an object, and say later which element is not what it was."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

from ..errors import TensorcopyError, UnsupportedSourceError
from .graph import version_of
from .libraries import is_instance, is_ndarray, is_tensor, load
from .memory import Region, first_common, lattice
from .parts import parts_of
from .regions import footprint


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """How an object differs from its snapshot."""

    what: str
    """``element [0, 2] changed from 1.0 to 5.0``, ``its memory was replaced`` or ``its memory was released``."""
    index: tuple[int, ...] | None = None
    elements: int | None = None
    """How many elements changed, where that is plain."""
    part: str = ""


class Snapshot:
    """The bytes, the place and the version of one object as they were; costs a copy of its bytes.

    Raises:
        UnsupportedSourceError: the memory cannot be read from here (unknown, or on a device and no torch tensor).
    """

    __slots__ = ("_saved", "_where", "obj", "version")

    def __init__(self, obj: Any) -> None:
        self.obj = obj
        self.version = version_of(obj)
        self._where = footprint(obj).regions
        self._saved = [
            _bytes_of(piece).copy() if isinstance(piece, Region) else _clone(piece) for piece in _pieces(obj)
        ]

    @property
    def regions(self) -> tuple[Region, ...]:
        """Where the object's elements were."""
        return self._where

    def change(self) -> Change | None:
        """The first difference from now, in the order of the parts and of addresses; None if there is none."""
        try:
            now = footprint(self.obj).regions
        except TensorcopyError:
            return Change(what="its memory was released")
        if now != self._where:
            return Change(what="its memory was replaced")
        for piece, saved in zip(_pieces(self.obj), self._saved, strict=True):
            found = _compare(self.obj, piece, saved)
            if found is not None:
                return found
        return None


def _pieces(obj: Any) -> list[Any]:
    """Regions that the processor can read, or tensors elsewhere."""
    found = footprint(obj)
    if found.unknown:
        raise _unreadable(obj, found.unknown)
    if on_host(obj):
        return list(found.regions)
    if not is_tensor(obj):
        raise _unreadable(obj, "its memory is on a device")
    parts = parts_of(obj)
    return [obj] if parts is None else [piece for _, part in parts for piece in _pieces(part)]


def on_host(obj: Any) -> bool:
    """Whether the processor can read the object's memory."""
    if is_tensor(obj):
        return bool(obj.device.type in ("cpu", "meta"))
    if is_instance(obj, "jax", "Array"):
        return all(device.platform == "cpu" for device in obj.devices())
    return not hasattr(type(obj), "__cuda_array_interface__")


def _unreadable(obj: Any, reason: str) -> UnsupportedSourceError:
    return UnsupportedSourceError(
        f"cannot watch the {type(obj).__name__}: {reason}",
        why="a change is found by comparing the bytes before and after",
        fix="pass the tensor or array that holds the memory, or leave this member out",
    )


def _bytes_of(region: Region) -> Any:
    """The region's memory as a NumPy array of bytes, no byte twice, lowest address first."""
    numpy = load("numpy")
    lo, hi = region.span
    if lo >= hi:
        return numpy.zeros(0, numpy.uint8)
    steps = lattice(region)[::-1]
    memory = (ctypes.c_ubyte * (hi - lo)).from_address(lo)
    return numpy.ndarray([n for _, n in steps], numpy.uint8, memory, strides=[stride for stride, _ in steps])


def _clone(tensor: Any) -> Any:
    return _element_bytes(tensor.detach().clone())


def _element_bytes(tensor: Any) -> Any:
    """One row of bytes for each element, on the tensor's own device."""
    torch = load("torch")
    flat = tensor.detach().resolve_conj().resolve_neg().contiguous().reshape(-1)
    return flat.view(torch.uint8).reshape(flat.numel(), -1) if flat.numel() else flat


def _compare(obj: Any, piece: Any, saved: Any) -> Change | None:
    return _compare_region(obj, piece, saved) if isinstance(piece, Region) else _compare_tensor(piece, saved)


def _compare_region(obj: Any, region: Region, saved: Any) -> Change | None:
    now = _bytes_of(region)
    different = now != saved
    if not different.any():
        return None
    place = tuple(int(k) for k in load("numpy").unravel_index(int(different.argmax()), different.shape))
    steps = lattice(region)[::-1]
    address = region.span[0] + sum(k * stride for k, (stride, _) in zip(place, steps, strict=True))
    index = first_common(region, Region(address, (), (), 1, region.space)) or ()
    element = region.address + sum(k * stride for k, stride in zip(index, region.strides, strict=True))
    row = slice(place[-1] - (address - element), place[-1] - (address - element) + region.itemsize)
    old, new = (bytes(array[place[:-1]][row]) for array in (saved, now))
    count = int(different.reshape(-1, region.itemsize).any(-1).sum()) if different.size == region.nbytes else None
    what = _in_words(index, value_of(obj, old), value_of(obj, new))
    return Change(what=what, index=index, elements=count, part=region.label)


def _compare_tensor(tensor: Any, saved: Any) -> Change | None:
    now = _element_bytes(tensor)
    changed = (now != saved).any(dim=-1).nonzero() if now.numel() else now
    if not len(changed):
        return None
    flat, index = int(changed[0]), []
    for size in reversed(tensor.shape):
        index.append(flat % size)
        flat //= size
    old, new = (value_of(tensor, bytes(rows[int(changed[0])].tolist())) for rows in (saved, now))
    place = tuple(reversed(index))
    return Change(what=_in_words(place, old, new), index=place, elements=len(changed))


def _in_words(index: tuple[int, ...], old: object, new: object) -> str:
    return f"element {list(index)} changed from {old} to {new}"


def value_of(obj: Any, element: bytes) -> Any:
    """The value that these bytes have as an element of *obj*; the bytes in hexadecimal where that is not known."""
    try:
        if is_tensor(obj):
            torch = load("torch")
            return torch.frombuffer(bytearray(element), dtype=obj.dtype)[0].item()
        if is_ndarray(obj) and not obj.dtype.hasobject:
            return load("numpy").frombuffer(element, obj.dtype)[0]
    except (RuntimeError, ValueError, TypeError, IndexError):
        pass
    return f"0x{element.hex()}"
