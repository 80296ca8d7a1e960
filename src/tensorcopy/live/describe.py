"""Everything that can be known about an object's memory and graph, in one value that holds on to nothing."""

from __future__ import annotations

import array
from dataclasses import dataclass
from typing import Any

from ..errors import TensorcopyError
from .dtypes import name_of_torch
from .graph import GraphPosition, graph_position, version_of
from .libraries import is_instance, is_ndarray, is_numpy_scalar, is_tensor
from .memory import Overlap, Region, layout_of
from .nests import is_nest
from .owners import Owner, may_write, owner_chain
from .parts import parts_of
from .regions import BUFFERS, Footprint, export_of, footprint
from .tensors import is_wrapper

SEVERAL = "several parts"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Description:
    """What an object is, where its bytes lie, who owns them, and where it stands in the graph.

    A plain value: it keeps no memory alive and does not change when the object does.
    """

    library: str
    """``torch``, ``numpy``, ``pandas`` … or ``builtins``."""
    type_name: str
    dtype: str | None = None
    shape: tuple[int, ...] | None = None
    strides: tuple[int, ...] | None = None
    """Bytes from one element to the next, one a dimension; None for objects of several parts."""
    device: str = "cpu"
    layout: str = ""
    """``contiguous``, ``channels_last``, ``column-major``, ``permuted``, ``gaps``, ``expanded``, ``overlapping``,
    ``negative strides``; or torch's name (``sparse_coo`` …), or ``several parts``."""
    regions: tuple[Region, ...] = ()
    """Where the elements lie, one a part; empty without memory (meta, fake) or where it is unknown."""
    nbytes: int | None = None
    """Bytes of the elements, repeated ones counted as often as they are repeated."""
    keeps_alive: int | None = None
    """Bytes that stay allocated because of this object, as far as its owners tell."""
    owners: tuple[Owner, ...] = ()
    """What it looks into, nearest first, the last one owning the memory; empty if it owns its memory itself."""
    writable: bool | None = None
    """Whether a write through this object is allowed; None where nothing tells."""
    conj: bool = False
    neg: bool = False
    """The values are the conjugate, or the negative, of what the bytes say."""
    graph: GraphPosition | None = None
    version: int | None = None
    """How many in-place writes autograd knows of."""
    shared_memory: bool = False
    """Other processes may see the same memory."""
    pinned: bool = False
    unknown: str = ""
    """Why memory could not be found, empty if all of it was."""
    overlaps: tuple[Overlap, ...] = ()
    """What it has in common with each of the other objects asked about, in their order."""

    @property
    def span(self) -> tuple[int, int] | None:
        """``[lo, hi)`` from the lowest to the highest byte of all parts; None without any."""
        spans = [span for span in (region.span for region in self.regions) if span[0] < span[1]]
        return (min(lo for lo, _ in spans), max(hi for _, hi in spans)) if spans else None

    def __repr__(self) -> str:
        return f"<{self._headline()}>"

    def __str__(self) -> str:
        return "\n".join([self._headline(), *(f"  {name:<12} {text}" for name, text in self._lines())])

    def _headline(self) -> str:
        shape = "" if self.shape is None else f" {self.shape}"
        return f"{self.library} {self.type_name}{f' {self.dtype}' if self.dtype else ''}{shape} on {self.device}"

    def _lines(self) -> list[tuple[str, str]]:
        """Label and text of each line that has something to say."""
        lines = [("layout", self._layout_text()), ("memory", self._memory_text()), ("owners", self._owner_text())]
        lines += [("access", self._access_text()), ("graph", "" if self.graph is None else str(self.graph))]
        lines += [("version", "" if self.version is None else str(self.version)), ("unknown", self.unknown)]
        lines += [(f"other {k}", str(overlap)) for k, overlap in enumerate(self.overlaps, 1)]
        return [line for line in lines if line[1]]

    def _layout_text(self) -> str:
        bits = [name for name, is_set in (("conjugate bit", self.conj), ("negative bit", self.neg)) if is_set]
        strides = "" if self.strides is None else f", strides {self.strides} bytes"
        return ", ".join([self.layout + strides, *bits]) if self.layout else ""

    def _memory_text(self) -> str:
        if self.span is None:
            return "" if self.unknown else "none"
        size = "" if self.nbytes is None else f", {self.nbytes:,} bytes of elements"
        kept = "" if self.keeps_alive in (None, self.nbytes) else f", keeps {self.keeps_alive:,} bytes alive"
        return f"[{self.span[0]:#x}, {self.span[1]:#x}){size}{kept}"

    def _owner_text(self) -> str:
        if self.span is None:
            return ""
        between = "; " if self.layout == SEVERAL else " -> "
        return between.join(map(str, self.owners)) if self.owners else "owns its memory"

    def _access_text(self) -> str:
        words = [{True: "writable", False: "read-only", None: "not known to be writable"}[self.writable]]
        words += ["shared memory"] if self.shared_memory else []
        return ", ".join(words + (["pinned"] if self.pinned else []))


def describe(obj: Any, *others: Any) -> Description:
    """The `Description` of *obj*; *others* are asked only whether they lent it its memory. Copies nothing.

    Raises:
        UnusableBufferError: the buffer was released or closed.
    """
    found = footprint(obj)
    owners = owner_chain(obj, *others)
    common = {
        "library": library_of(obj),
        "type_name": type(obj).__name__,
        "regions": found.regions,
        "owners": owners,
        "keeps_alive": _kept_alive(found.regions, owners),
        "unknown": found.unknown,
    }
    own = _tensor_fields(obj, bool(found.regions)) if is_tensor(obj) else _plain_fields(obj)
    writable = _writable(obj) and all(owner.writable is not False for owner in owners)
    layout = _layout_in_parts(found) if len(found.regions) != 1 or found.unknown or is_nest(obj) else _layout(found)
    return Description(**{**common, **layout, "writable": writable, **own})


def library_of(obj: Any) -> str:
    """The library that the object's type comes from, by the name it is imported by."""
    name = type(obj).__module__.partition(".")[0]
    if is_tensor(obj) or is_numpy_scalar(obj):
        return "torch" if is_tensor(obj) else "numpy"
    return {"jaxlib": "jax"}.get(name, name)


def _kept_alive(regions: tuple[Region, ...], owners: tuple[Owner, ...]) -> int | None:
    """Length of the union of everything known to be held: owners contain one another, and parts share owners."""
    spans = [region.span for region in regions] + [owner.span for owner in owners if owner.span is not None]
    total = end = 0
    for lo, hi in sorted(spans):
        total += max(0, hi - max(lo, end))
        end = max(end, hi)
    return total if regions else None


def _layout_in_parts(found: Footprint) -> dict[str, Any]:
    size = sum(region.nbytes for region in found.regions) if found.regions else None
    return {"layout": SEVERAL if found.regions else "", "nbytes": size}


def _layout(found: Footprint) -> dict[str, Any]:
    region = found.regions[0]
    return {
        "shape": region.shape,
        "strides": region.strides,
        "layout": layout_of(region),
        "nbytes": region.nbytes,
    }


def _tensor_fields(tensor: Any, has_memory: bool) -> dict[str, Any]:
    layout = str(tensor.layout).rpartition(".")[2]
    fields: dict[str, Any] = {
        "dtype": name_of_torch(tensor.dtype),
        "device": str(tensor.device),
        "conj": bool(tensor.is_conj()),
        "neg": bool(tensor.is_neg()),
        "graph": graph_position(tensor),
        "version": version_of(tensor),
    }
    if has_memory:
        fields["shared_memory"] = tensor.device.type == "cpu" and _says(tensor, "is_shared")
        fields["pinned"] = not is_wrapper(tensor) and _says(tensor, "is_pinned")
    if tensor.is_nested and layout == "strided":
        return {**fields, "layout": "nested", "shape": None, "strides": None}
    fields["shape"] = tuple(tensor.shape)
    if layout != "strided":
        return {**fields, "layout": layout, "strides": None}
    return fields if has_memory else {**fields, **_layout_without_memory(tensor)}


def _layout_without_memory(tensor: Any) -> dict[str, Any]:
    try:
        size = tensor.element_size()
        strides = tuple(step * size for step in tensor.stride())
        unplaced = Region(0, tuple(map(int, tensor.shape)), strides, size)
        return {"strides": strides, "layout": layout_of(unplaced), "nbytes": unplaced.nbytes}
    except (RuntimeError, TypeError):
        return {}


def _says(tensor: Any, question: str) -> bool:
    try:
        return bool(getattr(tensor, question)())
    except (RuntimeError, AttributeError, TypeError):
        return False


def _plain_fields(obj: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {"dtype": _dtype_of(obj)}
    shape = None if isinstance(obj, array.array) else getattr(obj, "shape", None)
    if isinstance(shape, tuple) and all(type(n) is int for n in shape):
        fields["shape"] = shape
    device = getattr(obj, "device", None)
    if is_instance(obj, "torch", "UntypedStorage") or hasattr(type(obj), "__cuda_array_interface__"):
        fields["device"] = str(device or "cuda")
    elif is_instance(obj, "jax", "Array"):
        fields["device"] = ", ".join(sorted(map(str, obj.devices())))
    return fields


def _dtype_of(obj: Any) -> str | None:
    if isinstance(obj, memoryview):
        return obj.format
    if isinstance(obj, array.array):
        return obj.typecode
    if isinstance(obj, BUFFERS):
        return "uint8"
    found = getattr(obj, "dtype", getattr(obj, "type", None))
    return None if found is None or (callable(found) and not hasattr(found, "itemsize")) else str(found)


def _writable(obj: Any) -> bool | None:
    """What the object's own rules say: a flag, or that values of its library are immutable."""
    if is_tensor(obj):
        return True
    if is_ndarray(obj):
        return may_write(obj)
    if isinstance(obj, BUFFERS):
        return not memoryview(obj).readonly
    if is_instance(obj, "pyarrow", "Buffer"):
        return bool(obj.is_mutable)
    if library_of(obj) in ("pyarrow", "polars", "jax") or is_numpy_scalar(obj):
        return False
    return _writable_by_parts(obj)


def _writable_by_parts(obj: Any) -> bool | None:
    try:
        parts = parts_of(obj)
        if parts:
            answers = [_writable(part) for _, part in parts]
            return None if None in answers else all(answers)
        exported = export_of(obj)
        return None if exported is None else exported[1]
    except (TensorcopyError, RuntimeError, TypeError, ValueError):
        return None
