"""Put one tensor or array together from pieces: chunks below one another, columns side by side, shards of devices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from ..errors import LossyConversionError
from ..live import arrays
from ..live.dtypes import ML_DTYPES, default_float, name_of_numpy, numpy_dtype, torch_dtype
from ..live.libraries import is_tensor, load
from . import allocation
from .casting import can_lose
from .filling import Where, fill_array, fill_tensor, fill_tensor_from_array
from .plan import Exposure, Piece, Request

_Fill = Callable[[Any, Any, str, str, str, Where], None]


def assemble_tensor(exposure: Exposure, request: Request) -> Any:
    """A fresh tensor that the pieces fill: each is written once, into its place, checked, as the dtype asked for."""
    torch = load("torch")
    dtype, shape = torch_dtype(_target(exposure, request)), exposure.shape or ()
    if exposure.columns_first and request.memory_format is None:
        result = allocation.empty(torch, shape[::-1], dtype).permute(*reversed(range(len(shape))))
    else:
        result = allocation.empty(torch, shape, dtype)
    for piece in exposure.open():
        if arrays.why_not_tensor_memory(piece.values) or not hasattr(torch, name_of_numpy(piece.values.dtype)):
            _fill_piece(fill_tensor_from_array, result, piece.values, piece, exposure, request)
        else:
            _fill_piece(fill_tensor, result, arrays.tensor_over(piece.values), piece, exposure, request)
    return result if request.memory_format is None else result.contiguous(memory_format=request.memory_format)


def assemble_array(exposure: Exposure, request: Request) -> Any:
    """A fresh array that the pieces fill, as `assemble_tensor` does it."""
    order = "F" if exposure.columns_first else "C"
    result = load("numpy").empty(exposure.shape, numpy_dtype(_target(exposure, request)), order=order)
    for piece in exposure.open():
        _fill_piece(fill_array, result, piece.values, piece, exposure, request)
    return result


def _target(exposure: Exposure, request: Request) -> str:
    return request.dtype or exposure.dtype or default_float()


def _fill_piece(fill: _Fill, result: Any, values: Any, piece: Piece, exposure: Exposure, request: Request) -> None:
    """Write one piece, then the stand-in for its nulls; what lies in memory under a null is never looked at."""
    part = result[(*piece.place, ...)]
    name, target = name_of_numpy(piece.values.dtype), _target(exposure, request)
    if piece.nulls is not None and can_lose(name, target, request.casting):
        values = values.clone() if is_tensor(values) else values.copy()
        _put(values, piece.nulls, 0, name, "unsafe")
    with naming_columns(exposure, piece) as where:
        fill(part, values, name, target, request.casting, where)
    if piece.nulls is not None:
        _put(part, piece.nulls, request.null, target, request.casting)


def _put(part: Any, nulls: Any, null: Any, target: str, casting: str) -> None:
    """Write *null* into *part*, a tensor or an array, wherever *nulls* is true; refused where *null* would change."""
    numpy = load("numpy")
    value = numpy.asarray(null)
    stand_in = load("torch").empty((), dtype=part.dtype) if is_tensor(part) else numpy.empty((), part.dtype)
    fill = fill_tensor_from_array if is_tensor(part) else fill_array
    try:
        fill(stand_in, value, name_of_numpy(value.dtype), target, casting)
    except LossyConversionError as error:
        what = f"null={null!r} cannot stand in for a missing {target}"
        raise LossyConversionError(what, why=error.why, fix=error.fix) from None
    if target in ML_DTYPES and is_tensor(part):
        part.masked_fill_(arrays.tensor_over(nulls), stand_in)
    else:
        numpy.copyto(_seen_by_numpy(part), _seen_by_numpy(stand_in), where=nulls)


def _seen_by_numpy(values: Any) -> Any:
    return arrays.array_over(values) if is_tensor(values) else values


def naming_columns(exposure: Exposure, piece: Piece | None = None) -> AbstractContextManager[Where]:
    """Gives the function that says where a lost value lies in the whole; errors name its column, if it has one."""
    return nullcontext() if exposure.label is None and piece is None else _locating(exposure, piece)


@contextmanager
def _locating(exposure: Exposure, piece: Piece | None) -> Iterator[Where]:
    lost: list[tuple[int, ...]] = []

    def where(index: tuple[int, ...]) -> tuple[int, ...]:
        lost.append(index if piece is None else _in_whole(piece, index))
        return lost[0]

    try:
        yield where
    except LossyConversionError as error:
        column = f", in {exposure.label(lost[0][1])}" if exposure.label is not None and lost else ""
        raise LossyConversionError(error.what + column, why=error.why, fix=error.fix) from None


def _in_whole(piece: Piece, index: tuple[int, ...]) -> tuple[int, ...]:
    """The index in the result of what lies at *index* in *piece*."""
    rest = list(index)
    whole = [p if isinstance(p, int) else (p.start or 0) + (p.step or 1) * rest.pop(0) for p in piece.place]
    return (*whole, *rest)
