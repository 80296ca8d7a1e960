"""Find the memory of any object: tensors, arrays, buffers, tables, and everything that speaks a protocol."""

from __future__ import annotations

import array
import mmap
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ..errors import ProducerError, TensorcopyError
from .addresses import buffer_region, capsule_region, dlpack_region, interface_region
from .diophantine import MAX_WORK
from .libraries import class_of, is_instance, is_ndarray, is_numpy_scalar, is_tensor
from .memory import Overlap, Region, contiguous_strides, measure, meeting_spans, overlaps
from .nests import is_plain_value
from .parts import parts_of
from .tensors import is_address, is_lazy, is_transformed, is_wrapper

BUFFERS = (bytes, bytearray, memoryview, array.array, mmap.mmap)
"""Python's own objects that hold bytes."""
_HOST_DEVICES = frozenset(("cpu", "cuda"))
_NO_MEMORY = frozenset(("meta",))


@dataclass(frozen=True, slots=True, kw_only=True)
class Footprint:
    """Where an object's elements lie. No regions and nothing unknown: it has no memory, as on the meta device."""

    regions: tuple[Region, ...] = ()
    unknown: str = ""
    """Why some or all of its memory cannot be found; empty when the regions are all there is."""


def footprint(obj: Any) -> Footprint:
    """Where the elements of *obj* lie. Copies nothing; about a microsecond for a plain tensor or array.

    Raises:
        UnusableBufferError: the buffer was released or closed.
    """
    if is_tensor(obj):
        return _of_tensor(obj)
    if is_ndarray(obj) and not is_instance(obj, "numpy.ma", "MaskedArray"):
        return Footprint(regions=(_array_region(obj),))
    if isinstance(obj, Region):
        return Footprint(regions=(obj,))
    if isinstance(obj, BUFFERS):
        return Footprint(regions=(buffer_region(obj),))
    if is_plain_value(obj):
        return Footprint()
    try:
        parts = parts_of(obj)
        return _of_foreign(obj) if parts is None else _together(parts)
    except Exception as error:
        return Footprint(unknown=_reason(error))


def common_memory(a: Any, b: Any, *, max_work: int = MAX_WORK) -> Overlap:
    """What two objects, of whatever libraries, have in common in memory, exactly and element by element."""
    first, second = footprint(a), footprint(b)
    found = measure(first.regions, second.regions, max_work=max_work)
    unknown = "; ".join(filter(None, (first.unknown, second.unknown)))
    if found or not unknown:
        return found
    return Overlap(kind="unknown", bytes=None, elements=(None, None), why=unknown)


def meets(a: Footprint, b: Footprint, *, max_work: int = MAX_WORK) -> bool | None:
    """Whether two footprints have a byte in common; None where that is not known. Microseconds for plain objects."""
    if len(a.regions) == len(b.regions) == 1:
        answer = overlaps(a.regions[0], b.regions[0], max_work=max_work)
    else:
        answer = _any_meeting(a.regions, b.regions, max_work)
    return None if answer is False and (a.unknown or b.unknown) else answer


def _any_meeting(a: tuple[Region, ...], b: tuple[Region, ...], max_work: int) -> bool | None:
    both: tuple[Region, ...] = (*a, *b)
    answer: bool | None = False
    for i, j in meeting_spans(both):
        if i < len(a) <= j:
            found = overlaps(both[i], both[j], max_work=max_work)
            if found:
                return True
            answer = answer if found is False else None
    return answer


def _reason(error: Exception) -> str:
    what = error.what if isinstance(error, TensorcopyError) else (str(error).splitlines() or [type(error).__name__])[0]
    return what.rstrip(".")


def _together(parts: tuple[tuple[str, Any], ...]) -> Footprint:
    found = [(label, footprint(part)) for label, part in parts]
    regions = [replace(r, label=_joined(label, r.label)) for label, of_part in found for r in of_part.regions]
    unknown = [_joined(label, of_part.unknown, ": ") for label, of_part in found if of_part.unknown]
    return Footprint(regions=tuple(regions), unknown="; ".join(unknown))


def _joined(label: str, inner: str, between: str = ".") -> str:
    return between.join(filter(None, (label, inner)))


def _array_region(found: Any) -> Region:
    return Region(found.ctypes.data, found.shape, found.strides, found.itemsize)


def _of_tensor(tensor: Any) -> Footprint:
    kind = type(tensor)
    if is_lazy(tensor):
        return Footprint()
    plain = kind is class_of("torch", "Tensor") or not is_wrapper(tensor)
    if plain and tensor.layout is class_of("torch", "strided") and not tensor.is_nested:
        return _of_strided(tensor)
    if kind.__name__ == "FakeTensor":
        return Footprint()
    try:
        parts = parts_of(tensor)
    except Exception as error:
        return Footprint(unknown=_reason(error))
    return (
        Footprint(unknown=f"torch gives no address for layout {tensor.layout}") if parts is None else _together(parts)
    )


def _of_strided(tensor: Any) -> Footprint:
    device = tensor.device.type
    if device in _NO_MEMORY:
        return Footprint()
    try:
        address = tensor.data_ptr()
    except RuntimeError as error:
        transform = "a function transform of torch.func (vmap, grad …) stands between it and its memory"
        return Footprint(unknown=transform if is_transformed(tensor) else _reason(error))
    size = tensor.element_size()
    shape, strides = tuple(tensor.shape), tuple([step * size for step in tensor.stride()])
    if not is_address(tensor, address):
        return Footprint(unknown="torch gives no address for it (freed, functional, lazy or not yet materialised)")
    return Footprint(regions=(Region(address, shape, strides, size, _space(tensor, device)),))


def _space(tensor: Any, device: str) -> str:
    """Elsewhere than on CPU and CUDA an address is only a name for a storage, comparable within that storage."""
    if device in _HOST_DEVICES:
        return "host"
    return f"{tensor.device}:{tensor.untyped_storage().data_ptr():#x}"


def _of_foreign(obj: Any) -> Footprint:
    for module, name, read in _READERS:
        if is_instance(obj, module, name):
            return read(obj)
    if is_numpy_scalar(obj):
        return Footprint(unknown="a NumPy scalar hands out copies of its value only")
    if is_instance(obj, "PIL.Image", "Image"):
        return Footprint(unknown="Pillow gives no address; every array made of an image is a copy")
    return _of_protocol(obj)


def _of_storage(storage: Any) -> Footprint:
    size = storage.nbytes()
    device = storage.device.type
    address = storage.data_ptr() if device not in _NO_MEMORY else 0
    if not address:
        return Footprint(unknown="" if device in _NO_MEMORY or not size else "torch gives no address for the storage")
    space = "host" if device in _HOST_DEVICES else f"{storage.device}:{address:#x}"
    return Footprint(regions=(Region(address, (size,), (1,), 1, space),))


def _of_arrow_buffer(buffer: Any) -> Footprint:
    return Footprint(regions=(Region(buffer.address, (buffer.size,), (1,), 1),))


def _of_jax(found: Any) -> Footprint:
    platform = next(iter(found.devices())).platform
    address, size = found.unsafe_buffer_pointer(), found.dtype.itemsize
    space = "host" if platform in ("cpu", "gpu", "cuda", "rocm") else f"{platform}:{address:#x}"
    return Footprint(regions=(Region(address, found.shape, contiguous_strides(found.shape, size), size, space),))


_READERS: tuple[tuple[str, str, Callable[[Any], Footprint]], ...] = (
    ("torch", "UntypedStorage", _of_storage),
    ("torch", "TypedStorage", lambda storage: _of_storage(storage.untyped())),
    ("pyarrow", "Buffer", _of_arrow_buffer),
    ("jax", "Array", _of_jax),
)


def _of_protocol(obj: Any) -> Footprint:
    exported = export_of(obj)
    if exported is not None:
        return Footprint(regions=(exported[0],))
    return Footprint(unknown=f"{_article(type(obj).__name__)} offers no protocol that shows its memory")


def export_of(obj: Any) -> tuple[Region, bool] | None:
    """What a protocol of *obj* tells: its region, and whether it may be written; None where it tells of copies only."""
    kind = type(obj)
    for name in ("__array_interface__", "__cuda_array_interface__"):
        if hasattr(kind, name) or name in getattr(obj, "__dict__", ()):
            return _interface_of(obj, name)
    if kind.__name__ == "PyCapsule":
        return capsule_region(obj)
    return dlpack_region(obj) if hasattr(kind, "__dlpack__") else None


def _interface_of(obj: Any, name: str) -> tuple[Region, bool] | None:
    try:
        return interface_region(getattr(obj, name))
    except Exception as error:
        raise ProducerError(
            f"{type(obj).__name__}.{name} tells of no memory: {type(error).__name__}: {error}",
            why="its memory can only be found through that attribute",
            fix="ask about the array that it was made from",
        ) from error


def _article(name: str) -> str:
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
