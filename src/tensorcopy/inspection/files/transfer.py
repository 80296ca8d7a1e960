"""Move bytes of strided memory through a window: what a layout takes from the old storage, in rising order."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from itertools import product
from typing import Literal

from .squeezing import Piece, Squeezed

_CHUNK = 1 << 22
_FORMATS: dict[int, Literal["B", "H", "I", "Q"]] = {1: "B", 2: "H", 4: "I", 8: "Q"}


def gathered(data: mmap.mmap, start: int, layout: Squeezed) -> Iterator[bytes]:
    """The bytes of the new storage, from the old one that begins at *start* in *data*; zeros where nothing is used."""
    end = 0
    for piece in layout.pieces:
        if piece.target > end:
            yield bytes(piece.target - end)
        yield from _of_piece(data, start + piece.lo, piece)
        end = piece.target + piece.nbytes


def _of_piece(data: mmap.mmap, start: int, piece: Piece) -> Iterator[bytes]:
    (_, run), *outer = piece.lattice
    if not outer:
        yield from (data[at : min(at + _CHUNK, start + run)] for at in range(start, start + run, _CHUNK))
        return
    (stride, count), *rest = outer
    for offsets in product(*(range(0, st * n, st) for st, n in reversed(rest))):
        yield from every(data, start + sum(offsets), run=run, stride=stride, count=count)


def every(data: mmap.mmap, start: int, *, run: int, stride: int, count: int) -> Iterator[bytes]:
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
