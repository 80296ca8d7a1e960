"""What torch's own pickles say about tensors: the storages they name and the calls that lay tensors over them."""

from __future__ import annotations

from collections.abc import Sequence as Items
from dataclasses import dataclass, field, replace
from typing import Any

from ...errors import BadFileError
from ...live.memory import Region
from .pickle_walk import Call, Dictionary, Name, Number, Sequence
from .reading import INTACT

_STORAGES = {
    "Float": ("float32", 4),
    "Double": ("float64", 8),
    "Half": ("float16", 2),
    "BFloat16": ("bfloat16", 2),
    "Long": ("int64", 8),
    "Int": ("int32", 4),
    "Short": ("int16", 2),
    "Char": ("int8", 1),
    "Byte": ("uint8", 1),
    "Bool": ("bool", 1),
    "ComplexFloat": ("complex64", 8),
    "ComplexDouble": ("complex128", 16),
    "QInt8": ("qint8", 1),
    "QUInt8": ("quint8", 1),
    "QInt32": ("qint32", 4),
    "QUInt4x2": ("quint4x2", 1),
    "QUInt2x4": ("quint2x4", 1),
    "Untyped": ("uint8", 1),
}
_OTHER_DTYPES = {"uint16": 2, "uint32": 4, "uint64": 8, "complex32": 4}
_ITEMSIZES = dict(_STORAGES.values()) | _OTHER_DTYPES
_REBUILDS = frozenset(["_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3", "_rebuild_qtensor"])
_HARMLESS = frozenset((
    "torch.Size", "_codecs.encode", "torch.device", "torch.serialization._get_layout",
    "torch._utils._rebuild_sparse_tensor",
    "torch._utils._rebuild_nested_tensor", "torch.nn.parameter.UninitializedParameter",
))  # fmt: skip
_PARTS = {4: ("indices", "values", "size", "coalesced")}
_COMPRESSED = ("compressed indices", "plain indices", "values", "size")


@dataclass(frozen=True, slots=True, eq=False)
class StorageUse:
    """One place where the pickle names a storage; `count` is how many elements, and where that number stands."""

    key: str
    dtype: str
    itemsize: int
    device: str
    count: Number


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """A tensor over a storage. The numbers remember where they stand in the pickle."""

    use: StorageUse | None
    dtype: str
    region: Region
    offset: Any = 0
    strides: tuple[Any, ...] = ()
    device: str = "cpu"
    requires_grad: bool = False
    note: str = ""
    state: Any = None


@dataclass(slots=True)
class Reader:
    """Understands storages and tensors while a pickle is walked, and remembers all of them."""

    uses: list[StorageUse] = field(default_factory=list)
    laid: list[Laid] = field(default_factory=list)

    def persistent(self, identifier: Any) -> StorageUse:
        """The storage that torch wrote as ``('storage', type, key, device, elements)``."""
        items = identifier.items if isinstance(identifier, Sequence) else []
        if len(items) not in (5, 6) or items[0] != "storage" or not isinstance(items[1], Name):
            raise _wrong("it names something else than a storage", "only storages are kept apart from the pickle")
        if len(items) == 6 and items[5] is not None:
            raise _wrong("it has views of storages of torch 0.3 and before", "they are not read here")
        dtype, itemsize = _storage_type(items[1])
        key, device, count = str(items[2]), str(items[3]), items[4]
        if not isinstance(count, Number) or count < 0:
            raise _wrong(f"storage {key!r} has {count!r} elements", "that is no size")
        use = StorageUse(key, dtype, itemsize, device, count)
        self.uses.append(use)
        return use

    def understand(self, function: Name, arguments: list[Any]) -> Any:
        """What a call of torch's own rebuilding functions gives; None for all others."""
        if function.module not in ("torch._utils", "torch._tensor", "torch.nn.parameter"):
            return None
        if function.name in _REBUILDS:
            found = _laid(function.name, arguments)
            self.laid.append(found)
            return found
        if function.name in ("_rebuild_parameter", "_rebuild_parameter_with_state", "Buffer", "Parameter"):
            return _parameter(function.name, arguments)
        if function.name == "_rebuild_from_type_v2":
            return self._of_subclass(arguments)
        if function.name == "_rebuild_meta_tensor_no_storage":
            return _on_meta(arguments)
        return None

    def _of_subclass(self, arguments: list[Any]) -> Any:
        function, cls, inner, state = arguments
        found = self.understand(function, inner.items) if isinstance(function, Name) else None
        if not isinstance(found, Laid):
            return None
        note = "" if str(cls) == "torch.Tensor" else str(cls)
        return replace(found, note=_joined(found.note, note), state=state)


def is_harmless(function: Any) -> bool:
    """Whether a call makes nothing but data, so that it needs no mention."""
    return isinstance(function, Name) and str(function) in _HARMLESS


def part_names(call: Call) -> Items[str] | None:
    """What the members of a sparse tensor are called; None for other calls."""
    if str(call.function) != "torch._utils._rebuild_sparse_tensor" or len(call.arguments) < 2:
        return None
    layout, data = call.arguments[0], call.arguments[1]
    is_coo = isinstance(layout, Call) and layout.arguments[:1] == ["torch.sparse_coo"]
    return _PARTS[4] if is_coo and len(data.items) <= 4 else _COMPRESSED


def _storage_type(name: Name) -> tuple[str, int]:
    kind = name.name.removesuffix("Storage")
    if kind not in _STORAGES or name.module.partition(".")[0] != "torch":
        raise _wrong(f"it has storages of type {name}", "torch has no such type")
    return _STORAGES[kind]


def _laid(name: str, arguments: list[Any]) -> Laid:
    use, offset, size, strides = arguments[:4]
    rest = arguments[4:]
    dtype = getattr(use, "dtype", "")
    if not isinstance(use, StorageUse):
        raise _wrong("a tensor lies on something that is no storage", f"it is {type(use).__name__}")
    if name == "_rebuild_qtensor":
        requires_grad, note = rest[1], f"quantized {dtype}"
    else:
        requires_grad = rest[0] if rest else False
        note = _bits(rest[3] if name.endswith("v3") and len(rest) > 3 else rest[2] if len(rest) > 2 else None)
    if name.endswith("v3"):
        dtype = rest[2].name
        note = _bits(rest[3] if len(rest) > 3 else None)
    region = _region(use, dtype, offset, size.items, strides.items)
    return Laid(use, dtype, region, offset, tuple(strides.items), use.device, requires_grad is True, note)


def _region(use: StorageUse, dtype: str, offset: Any, size: list[Any], strides: list[Any]) -> Region:
    itemsize = itemsize_of(dtype)
    numbers = [offset, *size, *strides]
    if not all(isinstance(n, Number) and n >= 0 for n in numbers) or len(size) != len(strides):
        raise _wrong(f"a tensor on storage {use.key!r} has size {size} and strides {strides}", "these are no sizes")
    region = Region(offset * itemsize, tuple(map(int, size)), tuple(st * itemsize for st in strides), itemsize)
    limit = use.count * use.itemsize
    if region.size and region.span[1] > limit:
        raise _wrong(
            f"a tensor reaches to byte {region.span[1]:,} of storage {use.key!r}", f"the storage has {limit:,} bytes"
        )
    return region


def itemsize_of(dtype: str) -> int:
    """Bytes of one element; the small floating types and those that torch packs have one."""
    return _ITEMSIZES.get(dtype, 1)


def _bits(metadata: Any) -> str:
    if not isinstance(metadata, Dictionary):
        return ""
    names = {"conj": "conjugate", "neg": "negative"}
    return ", ".join(names.get(str(key), str(key)) for key, value in metadata.pairs if value is True)


def _parameter(name: str, arguments: list[Any]) -> Laid | None:
    data = arguments[0]
    if not isinstance(data, Laid):
        return None
    state = arguments[3] if len(arguments) > 3 else data.state
    word = "Buffer" if name == "Buffer" else "Parameter"
    return replace(data, requires_grad=arguments[1] is True, note=_joined(word, data.note), state=state)


def _on_meta(arguments: list[Any]) -> Laid:
    dtype, size, strides, requires_grad = arguments[:4]
    itemsize = itemsize_of(dtype.name)
    region = Region(0, tuple(map(int, size.items)), tuple(int(st) * itemsize for st in strides.items), itemsize)
    return Laid(None, dtype.name, region, device="meta", requires_grad=requires_grad is True, note="no data")


def _joined(*notes: str) -> str:
    return ", ".join(filter(None, notes))


def _wrong(what: str, why: str) -> BadFileError:
    return BadFileError(f"the checkpoint contradicts itself: {what}", why=why, fix=INTACT)
