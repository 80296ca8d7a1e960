"""Follow an object's memory to the object whose release frees it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..errors import TensorcopyError
from .graph import view_root
from .libraries import is_instance, is_ndarray, is_tensor
from .parts import parts_of
from .regions import BUFFERS, footprint

STORAGE = "torch storage"
LENT = "lent by another object (from_numpy, frombuffer, from_dlpack …), which torch does not name"
LENT_OR_SHOWN = "lent by another object (from_numpy …) or shown to NumPy by .numpy(); torch does not tell which"
_LIMIT = 64
_WRITEABLE = 0x400
"""``NPY_ARRAY_WRITEABLE``."""
_TORCH_ALIGNMENT = 64
"""Every CPU allocation of torch's own starts at a multiple of this; what does not was lent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """One object on the way from what the user holds to what frees the memory."""

    kind: str
    """``torch storage``, ``ndarray``, ``mmap``, ``bytes``, ``Arrow buffer`` … or the type's name."""
    nbytes: int | None = None
    """Bytes that stay allocated because of it; None where it does not tell."""
    span: tuple[int, int] | None = None
    writable: bool | None = None
    detail: str = ""

    def __str__(self) -> str:
        size = "" if self.nbytes is None else f" of {self.nbytes:,} bytes"
        access = ", read-only" if self.writable is False else ""
        return f"{self.kind}{size}{access}{f' ({self.detail})' if self.detail else ''}"


def owner_chain(obj: Any, *others: Any) -> tuple[Owner, ...]:
    """The objects that *obj* looks into, nearest first, the last one owning the memory; empty if *obj* owns it.

    A storage lent to torch (by ``from_numpy`` and its like) does not name its owner; it is found among *others* by its
    address. The parts of a compound object (a table, a sparse tensor) give their chains one after the other.
    """
    if is_tensor(obj) or is_ndarray(obj) or isinstance(obj, BUFFERS):
        return _lent_by(_plain_chain(obj), others)
    if is_instance(obj, "pyarrow", "Array") and not hasattr(obj, "dictionary"):
        return tuple(_arrow_buffer(buffer) for buffer in obj.buffers() if buffer is not None)
    try:
        parts = parts_of(obj)
    except Exception:
        return ()
    found = [owner for _, part in parts or () for owner in owner_chain(part, *others)]
    return tuple(dict.fromkeys(found))


def _plain_chain(obj: Any) -> tuple[Owner, ...]:
    if is_tensor(obj):
        parts = _parts_of_tensor(obj)
        if parts:
            return tuple(dict.fromkeys(owner for part in parts for owner in _plain_chain(part)))
        return _tensor_chain(obj)
    chain: list[Owner] = []
    inner = _next(obj)
    while inner is not None and len(chain) < _LIMIT:
        if is_tensor(inner):
            return (*chain, *_tensor_chain(inner))
        chain.append(_owner(inner))
        inner = _next(inner)
    return tuple(chain)


def _parts_of_tensor(tensor: Any) -> list[Any]:
    try:
        return [part for _, part in parts_of(tensor) or () if is_tensor(part)]
    except (RuntimeError, AttributeError, TypeError):
        return []


def _next(obj: Any) -> Any:
    """The object that *obj* got its memory from, or None if it is its own."""
    if is_ndarray(obj):
        return obj.base
    if isinstance(obj, memoryview):
        return obj.obj
    if is_instance(obj, "pyarrow", "Buffer"):
        return obj.parent
    return getattr(obj, "owner", None) if hasattr(type(obj), "__array_interface__") else None


def _owner(obj: Any) -> Owner:
    if is_instance(obj, "pyarrow", "Buffer"):
        return _arrow_buffer(obj)
    kind = type(obj).__name__
    try:
        regions = footprint(obj).regions
    except TensorcopyError as error:
        return Owner(kind=kind, detail=error.what)
    region = regions[0] if len(regions) == 1 else None
    size = None if region is None else region.nbytes
    span = None if region is None else region.span
    return Owner(kind=kind, nbytes=size, span=span, writable=_writable(obj), detail=_detail(obj))


def may_write(array: Any) -> bool:
    """Whether a NumPy array is writable. Its ``flags.writeable`` warns about arrays made by ``broadcast_arrays``."""
    return bool(array.flags.num & _WRITEABLE)


def _writable(obj: Any) -> bool | None:
    if is_ndarray(obj):
        return may_write(obj)
    return not memoryview(obj).readonly if isinstance(obj, BUFFERS) else None


def _detail(obj: Any) -> str:
    if is_instance(obj, "numpy", "memmap"):
        return f"file {obj.filename}"
    return f"shape {obj.shape}" if is_ndarray(obj) else ""


def _arrow_buffer(buffer: Any) -> Owner:
    span = (buffer.address, buffer.address + buffer.size)
    return Owner(kind="Arrow buffer", nbytes=buffer.size, span=span, writable=bool(buffer.is_mutable))


def _tensor_chain(tensor: Any) -> tuple[Owner, ...]:
    """The view's base, and the storage; beyond a storage torch shows nothing."""
    if not footprint(tensor).regions:
        return ()
    try:
        storage = tensor.untyped_storage()
        address, size = storage.data_ptr(), storage.nbytes()
    except (RuntimeError, AttributeError):
        return ()
    if not address:
        return ()
    span = (address, address + size)
    held = Owner(kind=STORAGE, nbytes=size, span=span, writable=True, detail=storage_kind(storage))
    root = view_root(tensor)
    return (held,) if root is tensor else (Owner(kind="tensor", detail=f"shape {tuple(root.shape)}, viewed"), held)


def storage_kind(storage: Any) -> str:
    """Who made the storage's memory: empty for an allocation of torch's own."""
    filename = getattr(storage, "filename", None)
    if filename:
        return f"file {filename}"
    if storage.device.type == "cpu" and storage.is_shared():
        return "shared memory, open to other processes"
    resizable = getattr(storage, "resizable", None)
    if resizable is not None and resizable():
        return ""
    if storage.data_ptr() % _TORCH_ALIGNMENT and storage.device.type == "cpu":
        return LENT
    return "" if resizable is None else LENT_OR_SHOWN


def _lent_by(chain: tuple[Owner, ...], others: Iterable[Any]) -> tuple[Owner, ...]:
    """*chain*, continued with the first of *others* whose memory contains a lent storage, and that one's own chain."""
    if not chain or chain[-1].detail not in (LENT, LENT_OR_SHOWN) or chain[-1].span is None:
        return chain
    for place, other in enumerate(others):
        if not is_tensor(other) and _contains(other, chain[-1].span):
            return (*chain, *_named(other, place))
    return chain


def _contains(lender: Any, storage: tuple[int, int]) -> bool:
    """Whether the storage lies within the lender's memory, and the lender did not get that memory from the storage."""
    chain = owner_chain(lender)
    if any(owner.kind == STORAGE and owner.span == storage for owner in chain):
        return False
    spans = [r.span for r in _known_regions(lender)] + [owner.span for owner in chain if owner.span is not None]
    return any(lo <= storage[0] and storage[1] <= hi for lo, hi in spans)


def _known_regions(obj: Any) -> tuple[Any, ...]:
    try:
        return footprint(obj).regions
    except TensorcopyError:
        return ()


def _named(other: Any, place: int) -> tuple[Owner, ...]:
    regions = _known_regions(other)
    region = regions[0] if len(regions) == 1 else None
    itself = Owner(
        kind=type(other).__name__,
        nbytes=None if region is None else region.nbytes,
        span=None if region is None else region.span,
        writable=_writable(other),
        detail=f"number {place + 1} of the others, by address",
    )
    return (itself, *owner_chain(other))
