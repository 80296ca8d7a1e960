"""Take a compound object apart into the objects that hold its elements: tables, masked arrays, sparse tensors, nests.

Every part is a view of the memory that the compound object itself uses; what could only be had as a copy is no part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .libraries import class_of, is_instance, is_ndarray, is_tensor, loaded
from .memory import Region
from .nests import is_nest, is_plain_value, leaves

Parts = tuple[tuple[str, Any], ...]
"""(label, object) for each part; a lone part has an empty label. Slices of Arrow buffers are given as a `Region`."""

_SPARSE = {
    "sparse_coo": ("_indices", "_values"),
    "sparse_csr": ("crow_indices", "col_indices", "values"),
    "sparse_bsr": ("crow_indices", "col_indices", "values"),
    "sparse_csc": ("ccol_indices", "row_indices", "values"),
    "sparse_bsc": ("ccol_indices", "row_indices", "values"),
}


def parts_of(obj: Any) -> Parts | None:
    """The parts of a compound object, None for an object of one piece. Copies nothing, keeps no graph.

    Raises whatever the object's library raises when it cannot show its memory without a copy.
    """
    if is_tensor(obj):
        return _parts_of_tensor(obj)
    if is_ndarray(obj):
        return _parts_of_masked(obj) if is_instance(obj, "numpy.ma", "MaskedArray") else None
    for module, takers in _TAKERS.items():
        if loaded(module) is not None:
            for name, take in takers:
                if is_instance(obj, module, name):
                    return take(obj)
    return _members_of_nest(obj) if is_nest(obj) else None


def _members_of_nest(nest: Any) -> Parts:
    """What in it can hold shared memory at all; numbers and text are left out."""
    return tuple((path, leaf) for path, leaf in leaves(nest) if not is_plain_value(leaf))


def _parts_of_tensor(tensor: Any) -> Parts | None:
    layout = str(tensor.layout).rpartition(".")[2]
    if layout in _SPARSE:
        return tuple((name.lstrip("_"), getattr(tensor, name)()) for name in _SPARSE[layout])
    kind = type(tensor)
    if kind is not class_of("torch", "Tensor") and hasattr(kind, "__tensor_flatten__"):
        names = tensor.__tensor_flatten__()[0]
        return tuple((name.lstrip("_"), getattr(tensor, name)) for name in names)
    if tensor.is_nested:
        return (("", tensor.untyped_storage()),)
    return None


def _parts_of_masked(array: Any) -> Parts:
    numpy: Any = loaded("numpy")
    mask = numpy.ma.getmask(array)
    return (("data", array.data), *([] if mask is numpy.ma.nomask else [("mask", mask)]))


def _one(obj: Any) -> Parts:
    return (("", obj),)


def _columns_of_pandas(frame: Any) -> Parts:
    return tuple((str(name), frame.iloc[:, k].array) for k, name in enumerate(frame.columns))


_PANDAS_FIELDS = (("_pa_array",), ("_data", "_mask"), ("_ndarray",), ("_data",), ("sp_values",), ("left", "right"))
"""Where pandas extension arrays keep their elements; the first row of which all exist is taken."""


def _fields_of_pandas(array: Any) -> Parts:
    for names in _PANDAS_FIELDS:
        if all(hasattr(array, name) for name in names):
            labels = [name.strip("_") for name in names] if len(names) > 1 else [""]
            return tuple((label, getattr(array, name)) for label, name in zip(labels, names, strict=True))
    raise TypeError(f"pandas {type(array).__name__} does not show where it keeps its elements")


def _parts_of_arrow(array: Any) -> Parts:
    if hasattr(array, "storage"):
        return _one(array.storage)
    if hasattr(array, "dictionary"):
        return (("indices", array.indices), ("dictionary", array.dictionary))
    buffers = array.buffers()
    if array.type.num_fields == 0 and len(buffers) == 2:
        return _fixed_width(array, *buffers)
    return tuple((f"buffer {k}", buffer) for k, buffer in enumerate(buffers) if buffer is not None)


def _fixed_width(array: Any, validity: Any, values: Any) -> Parts:
    """The elements of this slice alone: Arrow arrays share whole buffers and differ in offset and length."""
    found = (("validity", validity, 1), ("values", values, array.type.bit_width))
    return tuple((label, _elements(buffer.address, array, bits)) for label, buffer, bits in found if buffer is not None)


def _elements(address: int, array: Any, bits: int) -> Region:
    first, last = array.offset, array.offset + len(array)
    if bits % 8 == 0:
        return Region(address + first * bits // 8, (last - first,), (bits // 8,), bits // 8)
    lo, hi = first * bits // 8, (last * bits + 7) // 8
    return Region(address + lo, (hi - lo,), (1,), 1)


def _chunks(array: Any) -> Parts:
    chunks = array.chunks
    return _one(chunks[0]) if len(chunks) == 1 else tuple((f"chunk {k}", chunk) for k, chunk in enumerate(chunks))


def _columns_of_arrow(table: Any) -> Parts:
    return tuple(zip(table.schema.names, table.columns, strict=True))


def _chunks_of_polars(series: Any) -> Parts:
    chunks = series.get_chunks() if series.n_chunks() > 1 else [series]
    shown = [_polars_memory(chunk) for chunk in chunks]
    return _one(shown[0]) if len(shown) == 1 else tuple((f"chunk {k}", part) for k, part in enumerate(shown))


def _polars_memory(series: Any) -> Any:
    """The one chunk's memory as an array, or through Arrow where nulls or bits keep NumPy from showing it."""
    plain = series.dtype.is_numeric() or series.dtype.is_temporal()
    if plain and not series.null_count() and loaded("numpy") is not None:
        return series.to_numpy(allow_copy=False)
    if (plain or str(series.dtype) == "Boolean") and loaded("pyarrow") is not None:
        return series.to_arrow()
    raise TypeError(f"Polars shows the memory of a {series.dtype} column only through a copy")


def _columns_of_polars(frame: Any) -> Parts:
    return tuple((series.name, series) for series in frame.get_columns())


def _shards_of_jax(array: Any) -> Parts | None:
    shards = array.addressable_shards
    return None if len(shards) == 1 else tuple((f"shard {k}", shard.data) for k, shard in enumerate(shards))


_Taker = Callable[[Any], "Parts | None"]
_TAKERS: dict[str, Iterable[tuple[str, _Taker]]] = {
    "pandas": (
        ("DataFrame", _columns_of_pandas),
        ("Series", lambda series: _one(series.array)),
        ("RangeIndex", lambda index: ()),
        ("Index", lambda index: _one(index.array)),
    ),
    "pandas.api.extensions": (("ExtensionArray", _fields_of_pandas),),
    "pyarrow": (
        ("ChunkedArray", _chunks),
        ("Array", _parts_of_arrow),
        ("Table", _columns_of_arrow),
        ("RecordBatch", _columns_of_arrow),
    ),
    "polars": (("Series", _chunks_of_polars), ("DataFrame", _columns_of_polars)),
    "jax": (("Array", _shards_of_jax),),
}
"""The classes of each library that are taken apart, subclasses before their bases."""
