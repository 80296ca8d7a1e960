"""Move bytes of strided memory through a window: what a layout takes from the old storage, in rising order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Literal

from .reading import Slices
from .squeezing import Pairs, Piece, Squeezed

_CHUNK = 1 << 22
_FORMATS: dict[int, Literal["B", "H", "I", "Q"]] = {1: "B", 2: "H", 4: "I", 8: "Q"}


def gathered(data: Slices, start: int, layout: Squeezed) -> Iterator[bytes]:
    """The bytes of the new storage, from the old one that begins at *start* in *data*; zeros where nothing is used."""
    end = 0
    for piece in layout.pieces:
        if piece.target > end:
            yield bytes(piece.target - end)
        yield from _of_piece(data, start + piece.lo, piece)
        end = piece.target + piece.nbytes


def _of_piece(data: Slices, start: int, piece: Piece) -> Iterator[bytes]:
    count, width = piece.rows
    if len(piece.parts) == 1:
        ((offset, pairs),) = piece.parts
        yield from _of_lattice(data, start + offset, (*pairs, (width, count)) if count > 1 else pairs)
    elif all(len(pairs) == 1 for _, pairs in piece.parts):
        yield from _of_rows(data, start, piece)
    else:
        for row in range(count):
            for offset, pairs in piece.parts:
                yield from _of_lattice(data, start + row * width + offset, pairs)


def _of_rows(data: Slices, start: int, piece: Piece) -> Iterator[bytes]:
    """Rows of several unbroken runs each, many rows at a time."""
    count, width = piece.rows
    runs = [(offset, offset + pairs[0][1]) for offset, pairs in piece.parts]
    most = max(1, _CHUNK // max(width, 1))
    for first in range(0, count, most):
        number = min(most, count - first)
        block = data[start + first * width : start + (first + number - 1) * width + runs[-1][1]]
        rows = range(0, number * width, width) if width else (0,)
        yield b"".join(block[row + lo : row + hi] for row in rows for lo, hi in runs)


def _of_lattice(data: Slices, start: int, lattice: Pairs) -> Iterator[bytes]:
    (_, run), *outer = lattice
    if not outer:
        yield from (data[at : min(at + _CHUNK, start + run)] for at in range(start, start + run, _CHUNK))
        return
    (stride, count), *rest = outer
    for offsets in product(*(range(0, st * n, st) for st, n in reversed(rest))):
        yield from every(data, start + sum(offsets), run=run, stride=stride, count=count)


def every(data: Slices, start: int, *, run: int, stride: int, count: int) -> Iterator[bytes]:
    """*run* bytes at *start*, then *stride* bytes further, *count* times, in chunks."""
    most = max(1, _CHUNK // max(stride, 1))
    for first in range(0, count, most):
        number = min(most, count - first)
        lo = start + first * stride
        block = data[lo : lo + (number - 1) * stride + run]
        yield _picked(block, run=run, stride=stride, count=number)


def _picked(block: bytes, *, run: int, stride: int, count: int) -> bytes:
    if run == stride:
        return block
    if run in _FORMATS and stride % run == 0:
        whole = memoryview(block)[: len(block) // run * run].cast(_FORMATS[run])
        return whole[:: stride // run].tobytes()
    return b"".join(block[k * stride : k * stride + run] for k in range(count))
