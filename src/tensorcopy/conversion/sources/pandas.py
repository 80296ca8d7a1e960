"""pandas Series, Index, DataFrame and extension arrays. Values go by position; the index is not looked at.

pandas 3 hands out read-only views, so that a write from outside never bypasses its copy-on-write; they stay read-only
here. Nulls of the nullable types need ``null=``; NaN in a floating column is a value and stays one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ...errors import UnsupportedSourceError
from ...live.arrays import is_numeric
from ...live.dtypes import name_of_numpy
from ...live.libraries import class_of, is_ndarray, load
from .. import reading
from ..columns import (
    WHY_TABLE,
    Chunk,
    Column,
    common_dtype,
    expose_column,
    missing_values,
    require_number,
    require_stand_in,
    rows_of,
)
from ..plan import Exposure, Piece, Request
from . import arrow

ORDER = 50

_CLASSES = (
    *(("pandas", name) for name in ("Series", "DataFrame", "Index")),
    ("pandas.api.extensions", "ExtensionArray"),
)


def recognises(cls: type) -> bool:
    """Series, indexes, frames and the arrays inside them."""
    classes = (class_of(*names) for names in _CLASSES)
    return any(found is not None and issubclass(cls, found) for found in classes)


def expose(obj: Any, request: Request) -> Exposure:
    """The elements of a series, index or array; rows x columns of a frame."""
    kind = f"pandas {type(obj).__name__}"
    pandas = load("pandas")
    if isinstance(obj, pandas.DataFrame):
        return _expose_frame(obj, kind, request)
    if isinstance(obj, pandas.MultiIndex):
        raise UnsupportedSourceError(
            f"cannot convert {kind}", why="its elements are tuples", fix="convert a level, index.get_level_values(0)"
        )
    dtype = obj.dtype
    if not _is_numpy(dtype):
        return expose_column(column_of(getattr(obj, "array", obj), kind), kind, request)
    values = _values(obj)
    if dtype.kind == "O":
        return _expose_objects(values, kind, request)
    _require_numbers(values, kind)
    return _showing(values, kind, bool(values.flags.writeable) and not isinstance(obj, pandas.Index))


def glance(obj: Any) -> Any:
    """The array of a series of a NumPy dtype."""
    if type(obj) is not class_of("pandas", "Series") or not _is_numpy(obj.dtype):
        return None
    return obj.to_numpy()


def _is_numpy(dtype: Any) -> bool:
    return isinstance(dtype, load("numpy").dtype)


def _values(obj: Any) -> Any:
    """The NumPy array of a series, an index or an array of a NumPy dtype: shares."""
    found = getattr(obj, "values", None)
    return obj.to_numpy() if found is None else found


def _showing(seen: Any, kind: str, writable: bool, label: Callable[[int], str] | None = None) -> Exposure:
    return Exposure(
        kind=kind,
        form="array",
        open=lambda: seen,
        dtype=name_of_numpy(seen.dtype),
        shape=tuple(seen.shape),
        writable=writable,
        why_readonly=COPY_ON_WRITE,
        label=label,
    )


COPY_ON_WRITE = "pandas gives it out read-only, since others may share it until a write that it sees"


def _require_numbers(values: Any, what: str) -> None:
    if not is_numeric(values):
        raise _refused(values.dtype, what)


def _expose_objects(values: Any, kind: str, request: Request) -> Exposure:
    """Python objects, read like a list; None and pandas.NA are nulls."""
    nulls = _missing_objects(values)
    if nulls.any():
        if request.null is None:
            raise missing_values(nulls, kind, "object")
        require_number(request.null)

    def items() -> list[Any]:
        return [request.null if missing else item for item, missing in zip(values.tolist(), nulls, strict=True)]

    return Exposure(kind=kind, form="values", open=items, why_copy="it holds Python objects, not one buffer")


def _missing_objects(values: Any) -> Any:
    numpy, missing = load("numpy"), load("pandas").NA
    return numpy.fromiter((item is None or item is missing for item in values), bool, len(values))


def column_of(array: Any, what: str) -> Column:
    """An extension array, or a NumPy array of one dimension, as a column; *what* is its name in messages."""
    dtype = array.dtype
    if type(dtype).__name__ in ("NumpyEADtype", "PandasDtype"):
        array = array.to_numpy()
        dtype = array.dtype
    if _is_numpy(dtype):
        values = array if is_ndarray(array) else array.to_numpy()
        return _objects(values, what) if dtype.kind == "O" else _plain(values, what)
    if hasattr(array, "_data") and hasattr(array, "_mask") and hasattr(dtype, "numpy_dtype"):
        return _masked(array)
    if hasattr(dtype, "pyarrow_dtype"):
        return arrow.column_of(array.__arrow_array__(), what)
    if type(dtype).__name__ == "SparseDtype" and is_numeric(array.sp_values):
        return _sparse(array)
    raise _refused(dtype, what)


def _plain(values: Any, what: str) -> Column:
    _require_numbers(values, what)
    return Column(
        dtype=name_of_numpy(values.dtype),
        shape=tuple(values.shape),
        open=lambda: [Chunk(values)],
        why_readonly=COPY_ON_WRITE,
    )


def _masked(array: Any) -> Column:
    """The nullable types: numbers, and a mask beside them."""
    numbers, mask = array._data, array._mask
    missing = bool(mask.any())
    return Column(
        dtype=name_of_numpy(numbers.dtype),
        shape=tuple(numbers.shape),
        open=lambda: [Chunk(numbers, mask if missing else None)],
        nulls=(lambda: mask) if missing else None,
        why_readonly=COPY_ON_WRITE,
    )


def _sparse(array: Any) -> Column:
    """Dense when opened. Without any gap pandas gives out the stored values themselves instead of new memory."""
    gapless = array.npoints == len(array)
    return Column(
        dtype=name_of_numpy(array.sp_values.dtype),
        shape=(len(array),),
        open=lambda: [Chunk(array.sp_values if gapless else array.to_dense())],
        why_copy="" if gapless else "it stores only the values that differ from the fill value",
        why_readonly=COPY_ON_WRITE,
    )


def _objects(values: Any, what: str) -> Column:
    """A column of Python numbers: surveyed now, read when opened."""
    nulls = _missing_objects(values)
    items = [False if missing else item for item, missing in zip(values.tolist(), nulls, strict=True)]
    found = reading.survey(items, default_float="float64")
    if isinstance(found, reading.ForeignLeaf):
        raise _refused(values.dtype, what)
    dtype = found.dtype
    return Column(
        dtype=dtype,
        shape=found.shape,
        open=lambda: [Chunk(_read(items, dtype), nulls if nulls.any() else None)],
        nulls=(lambda: nulls) if nulls.any() else None,
        why_copy="it holds Python objects",
    )


def _read(items: list[Any], dtype: str) -> Any:
    numpy = load("numpy")

    def allocate(shape: tuple[int, ...], name: str) -> tuple[int, Any]:
        result = numpy.empty(shape, name)
        return result.ctypes.data, result

    return reading.read(items, dtype=dtype, allocate=allocate)


class _Part(NamedTuple):
    """Columns of a frame that lie together and where they go: a block of columns x rows, or one `Column`."""

    place: slice | int
    held: Any

    @property
    def dtype(self) -> str:
        return self.held.dtype if isinstance(self.held, Column) else name_of_numpy(self.held.dtype)

    def pieces(self) -> list[Piece]:
        if isinstance(self.place, int):
            return rows_of(self.held, self.place)
        return [Piece(values=self.held.T, place=(slice(None), self.place))]


def _expose_frame(frame: Any, kind: str, request: Request) -> Exposure:
    """All of it where it is one block of one type, else its blocks side by side."""
    blocks = _blocks(frame)

    def label(position: int) -> str:
        return f"column {frame.columns[position]!r}"

    if len(blocks) == 1 and _is_block(blocks[0][1]):
        seen = frame.to_numpy()
        return _showing(seen, kind, bool(seen.flags.writeable), label)
    parts = [part for block in blocks for part in _parts(*block, kind, label)]
    for place, held in parts:
        if isinstance(place, int) and held.nulls is not None:
            require_stand_in(held, f"{label(place)} of {kind}", request)
    return Exposure(
        kind=kind,
        form="pieces",
        open=lambda: [piece for part in parts for piece in part.pieces()],
        dtype=common_dtype([part.dtype for part in parts]),
        shape=tuple(frame.shape),
        why_copy=WHY_TABLE,
        columns_first=True,
        label=label,
    )


def _blocks(frame: Any) -> list[tuple[list[int], Any]]:
    """(positions, values) of each block of columns, the leftmost first; values are columns x rows, or an array alone.

    Blocks are private to pandas, and the only view of several columns at once; without them, each column is its own.
    """
    blocks = _private_blocks(frame)
    if blocks is None:
        return [([i], frame.iloc[:, i].array) for i in range(frame.shape[1])]
    found = [(block.mgr_locs.as_array.tolist(), block.values) for block in blocks]
    return sorted(found, key=lambda block: min(block[0], default=0))


def _private_blocks(frame: Any) -> Any:
    return getattr(getattr(frame, "_mgr", None), "blocks", None)


def _is_block(values: Any) -> bool:
    return is_ndarray(values) and values.ndim == 2 and is_numeric(values)


def _parts(positions: list[int], values: Any, kind: str, label: Callable[[int], str]) -> list[_Part]:
    """What one block holds, in as few parts as can be written at once."""
    if _is_block(values):
        step = positions[1] - positions[0] if len(positions) > 1 else 1
        if step > 0 and positions == list(range(positions[0], positions[-1] + 1, step)):
            return [_Part(slice(positions[0], positions[-1] + 1, step), values)]
    arrays = values if values.ndim == 2 else [values]
    columns = zip(positions, arrays, strict=True)
    return [_Part(place, column_of(array, f"{label(place)} of {kind}")) for place, array in columns]


def _refused(dtype: Any, what: str) -> UnsupportedSourceError:
    name = dtype.kind if _is_numpy(dtype) else type(dtype).__name__
    why, fix = _EXPLAINED.get(name, ("its elements are not numbers of a type that tensors have", "cast it first"))
    return UnsupportedSourceError(f"cannot convert {what} of dtype {dtype}", why=why, fix=fix)


_TEXT = ("text has no numeric meaning", "parse it first with pandas.to_numeric, or encode it with pandas.factorize")
_DATE = ("a date is a count of some unit, and NaT is none", "take the count on purpose, with .astype('int64')")
_SPAN = ("a duration is a count of some unit, and NaT is none", "choose the unit, with .dt.total_seconds()")
_EXPLAINED = {
    "StringDtype": _TEXT,
    "U": _TEXT,
    "S": _TEXT,
    "O": ("Python objects have no element type", "convert it column by column, to lists or to numbers"),
    "M": _DATE,
    "DatetimeTZDtype": _DATE,
    "m": _SPAN,
    "CategoricalDtype": (
        "its numbers are only keys of its categories",
        "take them on purpose with .cat.codes (.codes of an index), or its values with .astype('float64')",
    ),
    "PeriodDtype": ("a period is a count of some unit", "take the count on purpose, with .astype('int64')"),
    "IntervalDtype": ("an interval is two numbers", "convert .array.left and .array.right"),
    "f": ("extended precision exists in NumPy only", "round it yourself with .astype('float64') first"),
    "c": ("extended precision exists in NumPy only", "round it yourself with .astype('complex128') first"),
}
