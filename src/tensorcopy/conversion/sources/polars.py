"""Polars Series and DataFrame. Polars memory is immutable: every view of it is read-only. Nulls need ``null=``."""

from __future__ import annotations

from math import prod
from typing import Any

from ...errors import LossyConversionError, RaggedError, UnsupportedSourceError
from ...live.dtypes import DTYPES, default_float
from ...live.libraries import class_of, load
from ..columns import Chunk, Column, expose_column, expose_table
from ..plan import Exposure, Request

ORDER = 52

_CLASSES = ("Series", "DataFrame", "LazyFrame")


def recognises(cls: type) -> bool:
    """Series and frames; lazy frames so that they can be refused with a reason."""
    classes = (class_of("polars", name) for name in _CLASSES)
    return any(found is not None and issubclass(cls, found) for found in classes)


def expose(obj: Any, request: Request) -> Exposure:
    """The elements of a series (lists of one length as further dimensions), rows x columns of a frame."""
    polars = load("polars")
    kind = f"Polars {type(obj).__name__}"
    if isinstance(obj, polars.Series):
        return expose_column(column_of(obj, kind), kind, request)
    if isinstance(obj, polars.LazyFrame):
        raise UnsupportedSourceError(
            f"cannot convert {kind}", why="it is a query that has not run", fix="run it first, with frame.collect()"
        )
    labels = [f"column {name!r}" for name in obj.columns]
    columns = [(label, column_of(c, f"{label} of {kind}")) for label, c in zip(labels, obj.get_columns(), strict=True)]
    return expose_table(columns, obj.height, kind, request)


def glance(obj: Any) -> Any:
    """The array of a series of numbers in one chunk."""
    if not isinstance(obj, class_of("polars", "Series")) or obj.null_count() or obj.n_chunks() != 1:
        return None
    return obj.to_numpy() if type(obj.dtype).__name__.lower() in DTYPES else None


IMMUTABLE = "Polars memory is immutable, and other columns may rely on it"


def column_of(series: Any, what: str) -> Column:
    """A Polars series as a column; *what* is its name in messages."""
    kind = type(series.dtype).__name__
    if kind in _NESTED:
        return _NESTED[kind](series, what)
    name = _name_of(series, what)
    chunks, missing = series.n_chunks(), series.null_count()
    whole = chunks == 1 and not missing
    return Column(
        dtype=name,
        shape=(len(series),),
        open=(lambda: [Chunk(series.to_numpy())]) if whole else (lambda: _chunks(series)),
        nulls=(lambda: series.is_null().to_numpy()) if missing else None,
        chunks=chunks,
        why_copy="its booleans are bits, not bytes" if name == "bool" else "",
        why_readonly=IMMUTABLE,
    )


def _name_of(series: Any, what: str) -> str:
    spelled = type(series.dtype).__name__
    name = "bool" if spelled == "Boolean" else spelled.lower()
    if name not in DTYPES:
        raise _refused(series.dtype, what)
    return name


def _chunks(series: Any) -> list[Chunk]:
    parts = series.get_chunks() if series.n_chunks() != 1 else [series]
    return [_chunk(part) for part in parts]


def _chunk(part: Any) -> Chunk:
    if not part.null_count():
        return Chunk(part.to_numpy())
    zero = False if type(part.dtype).__name__ == "Boolean" else 0
    return Chunk(part.fill_null(zero).to_numpy(), part.is_null().to_numpy())


def _nothing(series: Any, what: str) -> Column:
    numpy, rows = load("numpy"), len(series)
    return Column(
        dtype=default_float(),
        shape=(rows,),
        open=lambda: [Chunk(numpy.zeros(rows, bool), numpy.ones(rows, bool) if rows else None)],
        nulls=(lambda: numpy.ones(rows, bool)) if rows else None,
        why_copy="it holds no values",
    )


def _arrays(series: Any, what: str) -> Column:
    """Rows of arrays of one shape: further dimensions."""
    shape, leaf = [], series.dtype
    while isinstance(leaf, load("polars").Array):
        shape.append(leaf.shape[0])
        leaf = leaf.inner
    return _regrouped(series, tuple(shape), what)


def _lists(series: Any, what: str) -> Column:
    """Lists, which all have to have the length of the first."""
    _refuse_missing(series, what)
    lengths = series.list.len().to_numpy()
    width = int(lengths[0]) if len(lengths) else 0
    if (lengths != width).any():
        row = int(load("numpy").argmax(lengths != width))
        raise RaggedError(
            f"{what} is ragged: row [{row}] holds {int(lengths[row])} elements, the first row {width}",
            why="a tensor is a rectangle, so every list must have the length of the first",
            fix="pad or trim the lists, or convert them one by one",
        )
    return _regrouped(series, (width,), what)


_NESTED = {"Array": _arrays, "List": _lists, "Null": _nothing}
"""What makes columns of types that are none of numbers."""


def _regrouped(series: Any, inner_shape: tuple[int, ...], what: str) -> Column:
    """A series of lists, all of *inner_shape*; what lies in them may itself be lists."""
    flat = series
    for _ in inner_shape:
        _refuse_missing(flat, what)
        flat = flat.explode() if prod(inner_shape) else flat.head(0).explode()
    inner = column_of(flat, what)
    shape = (len(series), *inner_shape, *inner.shape[1:])
    nulls = inner.nulls

    def opened() -> list[Chunk]:
        numpy = load("numpy")
        values = [chunk.values for chunk in inner.open()]
        whole = values[0] if len(values) == 1 else numpy.concatenate(values)
        return [Chunk(whole.reshape(shape), nulls().reshape(shape) if nulls else None)]

    return Column(
        dtype=inner.dtype,
        shape=shape,
        open=opened,
        nulls=(lambda: nulls().reshape(shape)) if nulls else None,
        why_copy=inner.why_copy or ("its lists lie in several chunks" if inner.chunks != 1 else ""),
        why_readonly=IMMUTABLE,
    )


def _refuse_missing(series: Any, what: str) -> None:
    if not series.null_count():
        return
    row = series.is_null().arg_max()
    raise LossyConversionError(
        f"{what} has {series.null_count()} null among {len(series)} lists, the first at row [{row}]",
        why="a missing list has no elements that null= could replace",
        fix="fill or drop the missing lists first",
    )


def _refused(dtype: Any, what: str) -> UnsupportedSourceError:
    why, fix = _EXPLAINED.get(
        type(dtype).__name__,
        ("its elements are not numbers of a type that tensors have", "cast it to a type of numbers first"),
    )
    return UnsupportedSourceError(f"cannot convert {what} of type {dtype}", why=why, fix=fix)


_TIME = ("a date, time or duration is a count of some unit", "take the count with series.to_physical()")
_CODES = ("its numbers are only keys of its categories", "take them on purpose with series.to_physical()")
_WIDE = ("tensors have no integers of 128 bits", "narrow it first with series.cast(polars.Int64)")
_EXPLAINED = {
    "String": ("text has no numeric meaning", "parse it first, for example with series.cast(polars.Float64)"),
    "Binary": ("bytes of any length are no numbers", "decode them first"),
    "Categorical": _CODES,
    "Enum": _CODES,
    "Date": _TIME,
    "Datetime": _TIME,
    "Duration": _TIME,
    "Time": _TIME,
    "Decimal": ("no binary floating type holds a decimal exactly", "choose one: series.cast(polars.Float64)"),
    "Int128": _WIDE,
    "UInt128": _WIDE,
    "Struct": ("one tensor holds one element type, and this holds records", "convert series.struct.unnest()"),
    "Object": ("its elements are Python objects", "convert series.to_list()"),
}
