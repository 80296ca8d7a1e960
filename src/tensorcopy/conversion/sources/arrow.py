"""PyArrow arrays, chunked arrays, tables, record batches, scalars, tensors and buffers.

Arrow memory is immutable: every view of it is read-only. Booleans are bits and are unpacked; nulls need ``null=``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from ...errors import LossyConversionError, RaggedError, UnsupportedSourceError, WrongDeviceError
from ...live.dtypes import default_float, name_of_numpy
from ...live.libraries import class_of, load
from ..columns import Chunk, Column, expose_column, expose_table
from ..plan import Exposure, Piece, Request

ORDER = 54

_COLUMNS = ("Array", "ChunkedArray")
_TABLES = ("Table", "RecordBatch")
_OTHERS = ("Scalar", "Tensor", "Buffer")


def recognises(cls: type) -> bool:
    """The classes of PyArrow that hold data."""
    return _is(cls, *_COLUMNS, *_TABLES, *_OTHERS)


@cache
def _group_of(cls: type) -> tuple[str, ...]:
    """To which of the groups above a class of PyArrow belongs."""
    return next(group for group in (_COLUMNS, _TABLES, _OTHERS) if _is(cls, *group))


def _is(cls: type, *names: str) -> bool:
    classes = (class_of("pyarrow", name) for name in names)
    return any(found is not None and issubclass(cls, found) for found in classes)


def expose(obj: Any, request: Request) -> Exposure:
    """The elements of a column or a tensor, rows x columns of a table, the bytes of a buffer as uint8."""
    cls: Any = type(obj)
    kind, group = f"Arrow {cls.__name__}", _group_of(cls)
    if group is _TABLES:
        labels = [f"column {name!r}" for name in obj.schema.names]
        columns = [(label, column_of(c, f"{label} of {kind}")) for label, c in zip(labels, obj.columns, strict=True)]
        return expose_table(columns, obj.num_rows, kind, request)
    if group is _COLUMNS:
        return expose_column(column_of(obj, kind), kind, request)
    return _expose_other(obj, kind, request)


def glance(obj: Any) -> Any:
    """The array of an Arrow array of numbers."""
    if isinstance(obj, class_of("pyarrow", "Array")) and obj.type.id in _numpy_types:
        return None if obj.null_count or not getattr(obj, "is_cpu", True) else obj.to_numpy()
    return None


def _expose_other(obj: Any, kind: str, request: Request) -> Exposure:
    if _is(type(obj), "Scalar"):
        return _expose_scalar(obj, kind, request)
    if _is(type(obj), "Buffer"):
        _require_cpu(obj, kind)
        return _showing(load("numpy").frombuffer(obj, "uint8") if obj.size else _empty("uint8"), kind, obj.is_mutable)
    return _showing(obj.to_numpy(), kind, obj.is_mutable)


def _showing(seen: Any, kind: str, mutable: bool) -> Exposure:
    return Exposure(
        kind=kind,
        form="array",
        open=lambda: seen,
        dtype=name_of_numpy(seen.dtype),
        shape=tuple(seen.shape),
        writable=mutable and bool(seen.flags.writeable),
        why_readonly=IMMUTABLE,
    )


IMMUTABLE = "Arrow memory is immutable, and others may rely on it"


def _expose_scalar(obj: Any, kind: str, request: Request) -> Exposure:
    """A scalar as the only row of a column."""
    column = column_of(load("pyarrow").array([obj.as_py()], obj.type), kind)
    one = expose_column(column, kind, request)
    shape = column.shape[1:]

    def only() -> list[Piece]:
        values, nulls = column.open()[0]
        return [Piece(values=values.reshape(shape), place=(), nulls=nulls if nulls is None else nulls.reshape(shape))]

    return Exposure(
        kind=kind,
        form="pieces",
        open=only,
        dtype=column.dtype,
        shape=shape,
        why_copy=one.why_copy or "a scalar has no memory to look at",
    )


def column_of(array: Any, what: str) -> Column:
    """A PyArrow array or chunked array as a column; *what* is its name in messages."""
    chunks = array.chunks if hasattr(array, "chunks") else [array]
    for chunk in chunks:
        _require_cpu(chunk, what)
    build = _builder(array.type, what)
    parts = [build(chunk, what) for chunk in chunks]
    if not parts:
        return build(load("pyarrow").array([], array.type), what)
    return parts[0] if len(parts) == 1 else _joined(parts, what)


def _require_cpu(obj: Any, what: str) -> None:
    if not getattr(obj, "is_cpu", True):
        raise WrongDeviceError(
            f"cannot convert {what} in device memory",
            why="its addresses mean nothing to the CPU",
            fix="copy it to the CPU first, with copy_to(pyarrow.default_cpu_memory_manager())",
        )


def _joined(parts: list[Column], what: str) -> Column:
    """Chunks below one another."""
    odd = next((part for part in parts if part.shape[1:] != parts[0].shape[1:]), None)
    if odd is not None:
        raise _ragged(what, f"lists of {odd.shape[1]} after lists of {parts[0].shape[1]}")
    missing = any(part.nulls is not None for part in parts)
    return Column(
        dtype=parts[0].dtype,
        shape=(sum(part.shape[0] for part in parts), *parts[0].shape[1:]),
        open=lambda: [chunk for part in parts for chunk in part.open()],
        nulls=(lambda: load("numpy").concatenate([_mask_of(part) for part in parts])) if missing else None,
        chunks=len(parts),
        why_copy=parts[0].why_copy,
        why_readonly=IMMUTABLE,
    )


def _mask_of(part: Column) -> Any:
    return load("numpy").zeros(part.shape, bool) if part.nulls is None else part.nulls()


_Builder = Callable[[Any, str], Column]


def _builder(kind: Any, what: str) -> _Builder:
    """The function that reads a chunk of the Arrow type *kind*."""
    if kind.id in _numpy_types:
        return _numbers
    types = load("pyarrow").types
    if types.is_boolean(kind):
        return _bits
    if types.is_integer(kind) or types.is_floating(kind):
        return _numbers
    if types.is_fixed_size_list(kind):
        return _fixed_lists
    if types.is_list(kind) or types.is_large_list(kind):
        return _lists
    if types.is_null(kind):
        return _nothing
    extension = _EXTENSIONS.get(getattr(kind, "extension_name", ""))
    if extension is None:
        raise _refused(kind, what)
    return extension


def _numbers(chunk: Any, what: str) -> Column:
    """Integers and floats, as they lie in memory."""
    numpy = load("numpy")
    dtype = _numpy_type(chunk.type)
    data = chunk.buffers()[1]
    seen = numpy.frombuffer(data, dtype)[chunk.offset : chunk.offset + len(chunk)] if data else _empty(dtype)
    nulls = _nulls_of(chunk)
    return Column(
        dtype=name_of_numpy(dtype),
        shape=(len(chunk),),
        open=lambda: [Chunk(seen, nulls() if nulls else None)],
        nulls=nulls,
        why_readonly=IMMUTABLE,
    )


def _numpy_type(kind: Any) -> Any:
    """The NumPy dtype of an Arrow type of numbers."""
    found = _numpy_types.get(kind.id)
    if found is None:
        found = _numpy_types[kind.id] = load("numpy").dtype(kind.to_pandas_dtype())
    return found


_numpy_types: dict[int, Any] = {}


def _bits(chunk: Any, what: str) -> Column:
    """Booleans, unpacked when opened."""
    nulls = _nulls_of(chunk)
    return Column(
        dtype="bool",
        shape=(len(chunk),),
        open=lambda: [Chunk(_unpacked(chunk.buffers()[1], chunk), nulls() if nulls else None)],
        nulls=nulls,
        why_copy="its booleans are bits, not bytes",
        why_readonly=IMMUTABLE,
    )


def _unpacked(bits: Any, chunk: Any) -> Any:
    numpy = load("numpy")
    if bits is None:
        return _empty("bool")
    first, last = chunk.offset, chunk.offset + len(chunk)
    held = numpy.frombuffer(bits, "uint8")[first // 8 : (last + 7) // 8]
    return numpy.unpackbits(held, bitorder="little")[first % 8 :][: len(chunk)].view(bool)


def _nulls_of(chunk: Any) -> Callable[[], Any] | None:
    """What gives the mask of nulls of one chunk, or None where it has none."""
    if not chunk.null_count:
        return None
    return lambda: ~_unpacked(chunk.buffers()[0], chunk)


def _empty(dtype: Any) -> Any:
    return load("numpy").empty(0, dtype)


def _fixed_lists(chunk: Any, what: str) -> Column:
    """Lists of one length: rows of an array with one more dimension."""
    width, rows = chunk.type.list_size, len(chunk)
    inner = column_of(chunk.values.slice(chunk.offset * width, rows * width), what)
    return _regrouped(inner, rows, width, _nulls_of(chunk))


def _lists(chunk: Any, what: str) -> Column:
    """Lists of any length, which all have to have the same."""
    numpy = load("numpy")
    if chunk.null_count:
        row = int(numpy.argmax(_nulls_of(chunk)()))  # type: ignore[misc]
        raise LossyConversionError(
            f"{what} has {chunk.null_count} null among {len(chunk)} lists, the first at row [{row}]",
            why="a missing list has no length that null= could fill",
            fix="fill or drop the missing lists first",
        )
    lengths = chunk.value_lengths().to_numpy(zero_copy_only=False)
    width = int(lengths[0]) if len(lengths) else 0
    if (lengths != width).any():
        row = int(numpy.argmax(lengths != width))
        raise _ragged(what, f"row [{row}] holds {int(lengths[row])} elements, the first row {width}")
    return _regrouped(column_of(chunk.flatten(), what), len(chunk), width, None)


def _ragged(what: str, found: str) -> RaggedError:
    return RaggedError(
        f"{what} is ragged: {found}",
        why="a tensor is a rectangle, so every list must have the length of the first",
        fix="pad or trim the lists, or convert them one by one",
    )


def _regrouped(inner: Column, rows: int, width: int, missing: Callable[[], Any] | None) -> Column:
    """*inner* as *rows* lists of *width*; the lists where *missing* is true are null as a whole."""
    shape = (rows, width, *inner.shape[1:])

    def mask() -> Any:
        numpy = load("numpy")
        found = numpy.zeros(shape, bool) if inner.nulls is None else inner.nulls().reshape(shape)
        return found if missing is None else found | missing().reshape(rows, *[1] * (len(shape) - 1))

    nulls = None if missing is None and inner.nulls is None else mask
    return Column(
        dtype=inner.dtype,
        shape=shape,
        open=lambda: [Chunk(_whole(inner).reshape(shape), nulls() if nulls else None)],
        nulls=nulls,
        why_copy=inner.why_copy or ("its lists lie in several chunks" if inner.chunks != 1 else ""),
        why_readonly=IMMUTABLE,
    )


def _whole(column: Column) -> Any:
    parts = [chunk.values for chunk in column.open()]
    return parts[0] if len(parts) == 1 else load("numpy").concatenate(parts)


def _nothing(chunk: Any, what: str) -> Column:
    """A column of type null: nothing but nulls."""
    numpy = load("numpy")
    return Column(
        dtype=default_float(),
        shape=(len(chunk),),
        open=lambda: [Chunk(numpy.zeros(len(chunk), "bool"), numpy.ones(len(chunk), bool) if len(chunk) else None)],
        nulls=(lambda: numpy.ones(len(chunk), bool)) if len(chunk) else None,
        why_copy="it holds no values",
    )


def _shaped(chunk: Any, what: str) -> Column:
    """A ``FixedShapeTensorArray``: rows of arrays of one shape."""
    inner = _fixed_lists(chunk.storage, what)
    shape, order = tuple(chunk.type.shape), tuple(chunk.type.permutation or range(len(chunk.type.shape)))

    def arranged(values: Any) -> Any:
        return values.reshape(len(values), *shape).transpose(0, *(axis + 1 for axis in order))

    return Column(
        dtype=inner.dtype,
        shape=(inner.shape[0], *(shape[axis] for axis in order)),
        open=lambda: [Chunk(arranged(v), n if n is None else arranged(n)) for v, n in inner.open()],
        nulls=inner.nulls and (lambda: arranged(inner.nulls())),  # type: ignore[misc]
        why_copy=inner.why_copy,
        why_readonly=IMMUTABLE,
    )


def _byte_booleans(chunk: Any, what: str) -> Column:
    """The canonical extension type of booleans that are whole bytes, where any byte but 0 is true."""
    inner = _numbers(chunk.storage, what)
    return Column(
        dtype="bool",
        shape=inner.shape,
        open=lambda: [Chunk(v != 0, n) for v, n in inner.open()],
        nulls=inner.nulls,
        why_copy="any byte but 0 is true in it",
    )


_EXTENSIONS: dict[str, _Builder] = {"arrow.fixed_shape_tensor": _shaped, "arrow.bool8": _byte_booleans}


def _refused(kind: Any, what: str) -> UnsupportedSourceError:
    types = load("pyarrow").types
    known = ((why, fix) for test, why, fix in _EXPLAINED if getattr(types, test, lambda _: False)(kind))
    why, fix = next(known, ("its elements are not numbers of a type that tensors have", "cast it to numbers first"))
    if hasattr(kind, "storage_type"):
        fix = f"convert its storage, which is {kind.storage_type}"
    return UnsupportedSourceError(f"cannot convert {what} of type {kind}", why=why, fix=fix)


_TEXT = "text has no numeric meaning"
_TIME = "a date, time or duration is a count of some unit"
_EXPLAINED = (
    ("is_dictionary", "its numbers are only keys of a dictionary", "convert its .indices, or its dictionary_decode()"),
    ("is_decimal", "no binary floating type holds a decimal exactly", "choose one: cast('float64')"),
    ("is_string", _TEXT, "parse or encode it first, for example with cast('int64') or dictionary_encode().indices"),
    ("is_large_string", _TEXT, "parse or encode it first, for example with cast('int64')"),
    ("is_string_view", _TEXT, "parse or encode it first, for example with cast('int64')"),
    ("is_binary", "bytes of any length are no numbers", "decode them first"),
    ("is_large_binary", "bytes of any length are no numbers", "decode them first"),
    ("is_fixed_size_binary", "raw bytes have no element type", "give them one with array.view(type)"),
    ("is_date32", _TIME, "take the days with cast('int32')"),
    ("is_time32", _TIME, "take the count with cast('int32')"),
    ("is_temporal", _TIME, "take the count with cast('int64')"),
    ("is_struct", "one tensor holds one element type, and this holds records", "convert a field, array.field('name')"),
    ("is_map", "a mapping has no numeric meaning", "convert its .keys or its .items"),
    ("is_union", "its elements are of several types", "convert a field, array.field(0)"),
    ("is_run_end_encoded", "its values stand for runs", "decode it with pyarrow.compute.run_end_decode(array)"),
)
