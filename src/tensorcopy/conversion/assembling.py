"""Put one tensor or array together from pieces: chunks below one another, columns side by side, shards of devices."""

from __future__ import annotations

from collections.abc import Callable
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
    target, shape = _target(exposure, request), exposure.shape or ()
    if exposure.columns_first and request.memory_format is None:
        result = allocation.empty(torch, shape[::-1], torch_dtype(target)).permute(*reversed(range(len(shape))))
    else:
        result = allocation.empty(torch, shape, torch_dtype(target))
    seen = None if target in ML_DTYPES else arrays.array_at(result)
    for piece in exposure.open():
        if seen is not None and piece.values.nbytes < _LARGE and _is_copied_as_it_is(piece, target, request):
            _write(seen, piece)
        elif arrays.why_not_tensor_memory(piece.values) or not hasattr(torch, name_of_numpy(piece.values.dtype)):
            _fill_piece(fill_tensor_from_array, result, piece.values, piece, exposure, request)
        else:
            _fill_piece(fill_tensor, result, arrays.tensor_over(piece.values), piece, exposure, request)
    return result if request.memory_format is None else result.contiguous(memory_format=request.memory_format)


_LARGE = 1 << 20
"""Bytes from which torch, with its threads, is faster than NumPy at moving a piece."""


def assemble_array(exposure: Exposure, request: Request) -> Any:
    """A fresh array that the pieces fill, as `assemble_tensor` does it."""
    order = "F" if exposure.columns_first else "C"
    target = _target(exposure, request)
    result = load("numpy").empty(exposure.shape, numpy_dtype(target), order=order)
    for piece in exposure.open():
        if _is_copied_as_it_is(piece, target, request):
            _write(result, piece)
        else:
            _fill_piece(fill_array, result, piece.values, piece, exposure, request)
    return result


def _is_copied_as_it_is(piece: Piece, target: str, request: Request) -> bool:
    """Whether nothing is missing in *piece* and no value can be lost, or mistaken by NumPy."""
    name = name_of_numpy(piece.values.dtype)
    if piece.nulls is not None or (name == "bool" and target in ML_DTYPES):
        return False
    return not can_lose(name, target, request.casting)


def _write(result: Any, piece: Piece) -> None:
    load("numpy").copyto(result[(*piece.place, ...)], piece.values, casting="unsafe")


def _target(exposure: Exposure, request: Request) -> str:
    return request.dtype or exposure.dtype or default_float()


def _fill_piece(fill: _Fill, result: Any, values: Any, piece: Piece, exposure: Exposure, request: Request) -> None:
    """Write one piece, then the stand-in for its nulls; what lies in memory under a null is never looked at."""
    part = result[(*piece.place, ...)]
    name, target = name_of_numpy(piece.values.dtype), _target(exposure, request)
    if piece.nulls is not None and can_lose(name, target, request.casting):
        values = values.clone() if is_tensor(values) else values.copy()
        _put(values, piece.nulls, 0, name, "unsafe")
    trail = Trail(piece)
    try:
        fill(part, values, name, target, request.casting, trail)
    except LossyConversionError as error:
        raise named(error, exposure, trail) from None
    if piece.nulls is not None:
        _put(part, piece.nulls, request.null, target, request.casting)


def _put(part: Any, nulls: Any, null: Any, target: str, casting: str) -> None:
    """Write *null* into *part*, a tensor or an array, wherever *nulls* is true; refused where *null* would change."""
    numpy = load("numpy")
    value = numpy.asarray(null)
    stand_in = _stand_in(part)
    fill = fill_tensor_from_array if is_tensor(part) else fill_array
    try:
        fill(stand_in, value, name_of_numpy(value.dtype), target, casting)
    except LossyConversionError as error:
        what = f"null={null!r} cannot stand in for a missing {target}"
        raise LossyConversionError(what, why=error.why, fix=error.fix) from None
    if target in ML_DTYPES and is_tensor(part):
        bits = load("torch").uint8 if part.element_size() == 1 else load("torch").int16
        part.view(bits).masked_fill_(arrays.tensor_over(nulls), stand_in.view(bits))
    else:
        numpy.copyto(_seen_by_numpy(part), _seen_by_numpy(stand_in), where=nulls)


def _stand_in(part: Any) -> Any:
    """Room for one element of the kind of *part*, on the CPU whatever torch's default device is."""
    if is_tensor(part):
        return load("torch").empty((), dtype=part.dtype, device="cpu")
    return load("numpy").empty((), part.dtype)


def _seen_by_numpy(values: Any) -> Any:
    return arrays.array_at(values) if is_tensor(values) else values


class Trail:
    """Tells a message where in the whole a lost value lies, and remembers it for the name of its column."""

    __slots__ = ("index", "piece")

    def __init__(self, piece: Piece | None = None) -> None:
        self.piece = piece
        self.index: tuple[int, ...] = ()

    def __call__(self, index: tuple[int, ...]) -> tuple[int, ...]:
        """The index in the whole of what lies at *index* in the piece."""
        self.index = index if self.piece is None else _in_whole(self.piece, index)
        return self.index


def named(error: LossyConversionError, exposure: Exposure, trail: Trail) -> LossyConversionError:
    """*error*, with the column of a table where the value was lost."""
    if exposure.label is None or len(trail.index) < 2:
        return error
    return LossyConversionError(f"{error.what}, in {exposure.label(trail.index[1])}", why=error.why, fix=error.fix)


def _in_whole(piece: Piece, index: tuple[int, ...]) -> tuple[int, ...]:
    """The index in the result of what lies at *index* in *piece*."""
    rest = list(index)
    whole = [p if isinstance(p, int) else (p.start or 0) + (p.step or 1) * rest.pop(0) for p in piece.place]
    return (*whole, *rest)
