"""Columns of numbers, whatever library keeps them: in one chunk or several, with or without nulls, alone or in a table.

The source modules of pandas, Polars and Arrow say what their columns are as `Column` values; how a column or a table of
them is exposed, and how a null is refused or replaced, is decided here for all three.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple

from ..errors import BadArgumentError, LossyConversionError, UnsupportedSourceError
from ..live.dtypes import DTYPES
from ..live.libraries import load
from .number_kinds import promote
from .places import place
from .plan import Exposure, Piece, Request


class Chunk(NamedTuple):
    """A run of rows: a NumPy array of numbers, and a boolean array that is true where there is none."""

    values: Any
    nulls: Any = None


class Column(NamedTuple):
    """What can be known of a column without moving its data. A named tuple, as `Exposure` is."""

    dtype: str
    shape: tuple[int, ...]
    """Rows, then what each row holds."""
    open: Callable[[], list[Chunk]]
    """Gives the chunks in order; copies only what its library cannot show."""
    nulls: Callable[[], Any] | None = None
    """Gives a boolean array of `shape`, true where there is no value; None where nothing is missing."""
    chunks: int = 1
    why_copy: str = ""
    """Why its memory cannot be the result's though nothing is missing and it is one chunk, as with packed bits."""
    writable: bool = False
    why_readonly: str = ""


def expose_column(column: Column, kind: str, request: Request) -> Exposure:
    """A column alone: its memory where it is one run of whole numbers, else its chunks. A null needs ``null=``."""
    missing = column.nulls is not None
    if missing:
        require_stand_in(column, kind, request)
    plain = column.chunks == 1 and not missing
    return Exposure(
        kind=kind,
        form="array" if plain else "pieces",
        open=(lambda: column.open()[0].values) if plain else (lambda: rows_of(column)),
        dtype=column.dtype,
        shape=column.shape,
        fresh=plain and bool(column.why_copy),
        writable=column.writable,
        why_copy=column.why_copy or why_scattered(column),
        why_readonly=column.why_readonly,
    )


def why_scattered(column: Column) -> str:
    """Why *column* has to be put together anew, or empty where it has not."""
    if column.nulls is not None:
        return "its nulls are replaced by null="
    return f"it lies in {column.chunks} chunks" if column.chunks != 1 else ""


def expose_table(columns: Sequence[tuple[str, Column]], rows: int, kind: str, request: Request) -> Exposure:
    """Labelled columns side by side, as rows x columns of the type that holds all of them."""
    for label, column in columns:
        if len(column.shape) != 1:
            raise _no_number_column(label, column, kind)
        if column.nulls is not None:
            require_stand_in(column, f"{label} of {kind}", request)
    if len(columns) == 1 and not (columns[0][1].why_copy or why_scattered(columns[0][1])):
        return _only_column(*columns[0], kind)
    return Exposure(
        kind=kind,
        form="pieces",
        open=lambda: [piece for i, (_, column) in enumerate(columns) for piece in rows_of(column, i)],
        dtype=common_dtype([column.dtype for _, column in columns]),
        shape=(rows, len(columns)),
        why_copy=WHY_TABLE,
        columns_first=True,
        label=lambda position: columns[position][0],
    )


WHY_TABLE = "each column lies in memory of its own"


def common_dtype(names: Sequence[str]) -> str | None:
    """The smallest type for the values of all columns, by NumPy's rules; None without any column."""
    return reduce(promote, names) if names else None


def rows_of(column: Column, position: int | None = None) -> list[Piece]:
    """The chunks of *column* below one another, in the column at *position* if there is one."""
    start, pieces = 0, []
    for values, nulls in column.open():
        rows = slice(start, start + len(values))
        place = (rows,) if position is None else (rows, position)
        pieces.append(Piece(values=values, place=place, nulls=nulls))
        start += len(values)
    return pieces


def _only_column(label: str, column: Column, kind: str) -> Exposure:
    return Exposure(
        kind=kind,
        form="array",
        open=lambda: column.open()[0].values[:, None],
        dtype=column.dtype,
        shape=(*column.shape, 1),
        writable=column.writable,
        why_readonly=column.why_readonly,
        label=lambda _: label,
    )


def _no_number_column(label: str, column: Column, kind: str) -> UnsupportedSourceError:
    return UnsupportedSourceError(
        f"cannot convert {kind}: {label} holds lists of {'x'.join(map(str, column.shape[1:]))} numbers",
        why="a table gives one number to each of its columns",
        fix=f"convert {label} alone",
    )


def require_stand_in(column: Column, what: str, request: Request) -> None:
    """Raise unless the caller said, with a number, what stands for a null."""
    if request.null is not None:
        require_number(request.null)
    elif column.nulls is not None:
        raise missing_values(column.nulls(), what, column.dtype)


def require_number(null: Any) -> None:
    """Raise unless *null* is a number that can stand for a missing one."""
    numpy = load("numpy")
    if isinstance(null, (bool, int, float, complex, numpy.generic)) and numpy.asarray(null).dtype.name in DTYPES:
        return
    raise BadArgumentError(
        f"null={null!r} is no number",
        why="it is written wherever there is no value",
        fix="pass a number that the dtype of the result holds, such as 0 or float('nan')",
    )


def missing_values(nulls: Any, what: str, dtype: str) -> LossyConversionError:
    """The refusal of a null, naming the first of the places where *nulls* is true."""
    numpy = load("numpy")
    first = tuple(int(axis[0]) for axis in numpy.nonzero(nulls))
    count = int(numpy.count_nonzero(nulls))
    number = "null=float('nan')" if dtype.startswith(("float", "complex")) else "null=0"
    return LossyConversionError(
        f"{what} has {count} null{'s' if count > 1 else ''} among {nulls.size} elements, the first at row "
        + place(first),
        why="a tensor has no nulls, so a number has to stand there",
        fix=f"pass {number} or another number, or fill or drop the nulls first",
    )
