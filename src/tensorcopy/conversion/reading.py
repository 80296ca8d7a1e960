"""Nested sequences of Python numbers and NumPy scalars, read into one flat buffer, checked, in one pass where possible.

A C extension reads whatever is in order; where it is missing, or anything is out of the ordinary, the Python code below
reads the same nest by the same rules, so every result is the same and every error has one wording. The environment
variable ``TENSORCOPY_PURE_PYTHON=1`` leaves the extension out. Neither torch nor NumPy is imported here.

Sequences are lists, tuples, deques, ranges, their subclasses, and what registers as ``collections.abc.Sequence``.
A nest may change while it is being read: the result is then some state of each row, or an error.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import groupby
from math import prod
from operator import or_
from types import ModuleType
from typing import Any, Final, NamedTuple, NoReturn, TypeVar

from ..errors import BadArgumentError, LossyConversionError, UnsupportedDtypeError
from ..live.dtypes import DTYPES
from .casting import require_casting
from .number_kinds import (
    FIRST_NUMPY,
    FOREIGN,
    READABLE,
    SEQUENCE,
    UNREADABLE,
    is_remembered,
    kind_of,
    mask_of,
    names_of,
    result_dtype,
)
from .number_packing import DoesNotFit, pack
from .places import Path, path_at
from .reading_errors import changed, loss, misplaced, too_deep, wrong_length

Owner = TypeVar("Owner")
Shape = tuple[int, ...]
Allocate = Callable[[Shape, str], tuple[int, Owner]]

MAX_DIMS = 64
"""Torch and NumPy have no more."""

_BLOCK = 8192
"""Leaves that are classified and packed together in pure Python: few enough to stay in the cache between the two."""


def _import_native() -> ModuleType | None:
    if os.environ.get("TENSORCOPY_PURE_PYTHON") == "1":
        return None
    try:
        from . import _reader
    except ImportError:
        return None
    if not hasattr(_reader, "read"):  # left behind by an older checkout
        return None
    _reader.configure(_proven, _native_kind_of)
    return _reader


_proven: dict[type, int] = {}
"""Kinds that the extension need not ask for: of arrays and tensors, and of the NumPy scalars that it may read."""


def _native_kind_of(cls: type) -> int:
    """`kind_of` for the extension, which must not read a NumPy scalar unless its layout has been compared."""
    kind = kind_of(cls)
    if kind < FIRST_NUMPY:
        if kind == FOREIGN and is_remembered(cls):
            _proven[cls] = kind
        return kind
    sample: Any = cls(77) if cls.__module__ in ("numpy", "ml_dtypes") else None
    if _native is None or sample is None or not _native.holds(sample, sample.tobytes()):
        return UNREADABLE
    _proven[cls] = kind
    return kind


_native = _import_native()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ForeignLeaf:
    """A leaf with memory of its own (array, tensor, buffer): the nest needs another reader. Nothing was kept."""

    path: Path
    leaf: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What a nest would become. Says nothing about single values: whether each fits is seen when it is read."""

    shape: Shape
    dtype: str
    """The dtype that the nest gets where none is asked for."""
    kinds: tuple[str, ...]
    """What its leaves are: ``bool``, ``int``, ``float``, ``complex``, ``numpy.float32`` …; empty without leaves."""

    @property
    def count(self) -> int:
        """Number of leaves."""
        return prod(self.shape)


class _FoundForeignLeaf(Exception):
    pass


_GONE = object()


def survey(nested: Any, *, default_float: str = "float32") -> Survey | ForeignLeaf:
    """Shape and dtype of *nested*, which may be a single number; one pass over its leaves, no memory for the result.

    Raises `RaggedError`, `NestError`, `UnsupportedSourceError` or `LossyConversionError` (for None) with the path of
    the first thing that cannot be part of a tensor; gives the first `ForeignLeaf` instead of going on.
    """
    try:
        shape, kinds = _survey(nested)
    except _FoundForeignLeaf as found:
        return ForeignLeaf(path=found.args[0], leaf=found.args[1])
    return Survey(shape=shape, dtype=result_dtype(kinds, default_float), kinds=names_of(kinds))


def fill(nested: Any, shape: Shape, address: int, *, dtype: str, casting: str = "checked") -> ForeignLeaf | None:
    """Write *nested*, which must have *shape*, to *address* as *dtype*, C-contiguous.

    The caller owns the memory there: ``prod(shape)`` elements of *dtype*, aligned, writable. After an error, or when a
    `ForeignLeaf` is given back, some of it has been written. Errors as `read`.
    """
    if _native is not None and _native.fill(nested, shape, address, dtype, casting) is not None:
        return None
    _require_known(dtype, casting)
    try:
        _fill(nested, shape, address, dtype, casting)
    except _FoundForeignLeaf as found:
        return ForeignLeaf(path=found.args[0], leaf=found.args[1])
    return None


def read(
    nested: Any,
    *,
    dtype: str | None = None,
    default_float: str = "float32",
    casting: str = "checked",
    allocate: Allocate[Owner],
) -> Owner | ForeignLeaf:
    """The values of *nested* (or of one number) in fresh memory from *allocate*. Copies; the nest is not changed.

    *allocate* is called with a shape and the name of a dtype, and gives the address of that many writable, aligned,
    C-contiguous elements and the object that owns them, which is what `read` returns. It is called again if the first
    leaf was a bad guess of the dtype.

    *dtype* is a name in `READABLE`; without one the leaves decide (see `result_dtype`), with *default_float* for
    Python's floats. *casting* is ``"checked"`` (floating values may be rounded within range), ``"same_value"`` (they
    may not) or ``"unsafe"`` (any change is accepted). Errors name the path: `LossyConversionError` for a value that
    would change, and for None; `RaggedError`; `NestError` for a nest that contains itself or is deeper than 64 levels;
    `UnsupportedSourceError` for what is no number; `UnsupportedDtypeError`.
    """
    if _native is not None:
        owner = _read_natively(_native, nested, dtype, default_float, casting, allocate)
        if owner is not None:
            return owner
    try:
        return _read_in_python(nested, dtype, default_float, casting, allocate)
    except _FoundForeignLeaf as found:
        return ForeignLeaf(path=found.args[0], leaf=found.args[1])


class Rooms(NamedTuple):
    """What makes the results of `read_small`, and when."""

    makers: tuple[Callable[..., Any] | None, ...]
    """By the kind of a leaf: takes lengths, and gives a fresh object with that many elements; None where it cannot."""
    dtypes: bytes
    """By the kind of a leaf: the position in `READABLE` of what is made."""
    address: Callable[[Any], int]
    """Where the elements of such an object lie."""
    most: int
    """Bytes that one may have."""
    guards: tuple[Callable[[], object], ...]
    """What has to give something false for this way to be gone."""


def read_small(nested: Any, rooms: Rooms) -> Any:
    """As `read` without options; `HOLDS_ARRAYS` where the first leaf is one, None where only `read` can tell."""
    if _native is None:
        return None
    found = _native.read(nested, rooms)
    return HOLDS_ARRAYS if found is rooms.makers else found


HOLDS_ARRAYS: Final = object()
"""Says of a nest that its first leaf has memory of its own, for other readers."""


def _read_natively(
    native: Any, nested: Any, dtype: str | None, default_float: str, casting: str, allocate: Allocate[Owner]
) -> Owner | ForeignLeaf | None:
    """As `read`, or None where anything at all is out of the ordinary."""
    outline = native.outline(nested)
    if outline is None:
        return None
    if outline[1] < 0:
        return ForeignLeaf(path=(0,) * len(outline[0]), leaf=outline[2])
    return _read_outlined(native, nested, outline, dtype, default_float, casting, allocate)


def _read_outlined(
    native: Any,
    nested: Any,
    outline: tuple[Shape, int, Any],
    dtype: str | None,
    default_float: str,
    casting: str,
    allocate: Allocate[Owner],
) -> Owner | ForeignLeaf | None:
    shape, kinds = outline[:2]
    wanted = dtype or result_dtype(kinds, default_float)
    address, owner = allocate(shape, wanted)
    seen = native.fill(nested, shape, address, wanted, casting)
    if seen is not None and (dtype or seen == kinds):
        return owner
    if seen is None:
        seen = None if dtype else native.survey(nested, shape)
        if seen is None or result_dtype(seen, default_float) == wanted:
            return None
    better = result_dtype(seen, default_float)
    return owner if better == wanted else _read_natively(native, nested, better, default_float, casting, allocate)


def _read_in_python(
    nested: Any, dtype: str | None, default_float: str, casting: str, allocate: Allocate[Owner]
) -> Owner:
    shape, kinds = _outline(nested)
    wanted = dtype or result_dtype(kinds, default_float)
    _require_known(wanted, casting)
    address, owner = allocate(shape, wanted)
    if dtype:
        _fill(nested, shape, address, wanted, casting)
        return owner
    try:
        if result_dtype(_fill(nested, shape, address, wanted, casting, default_float), default_float) == wanted:
            return owner
    except LossyConversionError:
        if result_dtype(_kinds(nested, shape), default_float) == wanted:
            raise
    better = result_dtype(_kinds(nested, shape), default_float)
    return _read_in_python(nested, better, default_float, casting, allocate)


def _survey(nested: Any) -> tuple[Shape, int]:
    if _native is not None:
        outline = _native.outline(nested)
        seen = None if outline is None or outline[1] < 0 else _native.survey(nested, outline[0])
        if seen is not None:
            return outline[0], seen
    shape, _ = _outline(nested)
    return shape, _kinds(nested, shape)


def _require_known(dtype: str, casting: str) -> None:
    require_casting(casting)
    if dtype not in READABLE:
        raise UnsupportedDtypeError(
            f"a nest of numbers cannot be read as {dtype!r}",
            why="the reader writes " + ", ".join(READABLE),
            fix="read it as float32 or float64 and convert the result",
        )


def _outline(nested: Any) -> tuple[Shape, int]:
    """Shape by the first element of each level, and the kinds of the first leaf: one bit, or none in an empty nest."""
    shape: list[int] = []
    node = nested
    while (kind := kind_of(type(node))) == SEQUENCE:
        if len(shape) == MAX_DIMS:
            raise too_deep(nested, (0,) * MAX_DIMS, MAX_DIMS)
        shape.append(len(node))
        if not shape[-1]:
            return tuple(shape), 0
        node = next(iter(node), _GONE)
        if node is _GONE:
            raise changed((0,) * (len(shape) - 1))
    if kind < 0:
        _refuse(nested, (0,) * len(shape), node, None)
    return tuple(shape), 1 << kind


def _kinds(nested: Any, shape: Shape) -> int:
    """Bit mask of the kinds of all leaves."""
    return reduce(or_, (mask_of(_classes(nested, shape, *block)) for block in _leaf_blocks(nested, shape)), 0)


def _fill(nested: Any, shape: Shape, address: int, dtype: str, casting: str, guessed_with: str | None = None) -> int:
    """Write all leaves to *address*; the kinds seen. A *dtype* guessed with a default ends it once another is due."""
    seen, itemsize = 0, DTYPES[dtype].bytes
    if not address and prod(shape) > 0:
        raise BadArgumentError(
            f"cannot write {prod(shape)} numbers to address 0",
            why="that is no memory: the tensor they are for has none",
            fix="read the nest into a CPU tensor and move that",
        )
    for at, block in _leaf_blocks(nested, shape):
        classes = _classes(nested, shape, at, block)
        seen |= mask_of(classes)
        if guessed_with and result_dtype(seen, guessed_with) != dtype:
            break
        try:
            packed = pack(block, classes, dtype, casting)
        except DoesNotFit as lost:
            leaf = block[lost.position]
            raise loss(lost.number, type(leaf), path_at(at + lost.position, shape), dtype) from None
        ctypes.memmove(address + at * itemsize, packed, len(packed))
    return seen


def _classes(nested: Any, shape: Shape, at: int, block: Sequence[Any]) -> set[type]:
    """The classes in *block*, all numbers."""
    only = _only_class(block)
    if only is not None and kind_of(only) >= 0:
        return {only}
    classes = set(map(type, block))
    if min(map(kind_of, classes)) < 0:
        offset = next(i for i, leaf in enumerate(block) if kind_of(type(leaf)) < 0)
        _refuse(nested, path_at(at + offset, shape), block[offset], None)
    return classes


def _only_class(block: Sequence[Any]) -> type | None:
    """The class of all elements, None if there are several; no other test of every element is as fast."""
    groups = groupby(block, type)
    first, _ = next(groups)
    return first if next(groups, None) is None else None


def _refuse(nested: Any, path: Path, leaf: Any, length: int | None) -> NoReturn:
    if kind_of(type(leaf)) == FOREIGN:
        raise _FoundForeignLeaf(path, leaf)
    raise misplaced(nested, path, leaf, length)


Block = tuple[int, Sequence[Any]]
"""Elements that lie at one depth of the nest, and the row-major position of the first among all at that depth."""


def _leaf_blocks(nested: Any, shape: Shape) -> Iterable[Block]:
    """All leaves in order, in blocks; raises where the nest does not have *shape*."""
    if prod(shape) <= _BLOCK:
        return _single_block(nested, shape)
    blocks: Iterable[Block] = [(0, [nested])]
    for depth, length in enumerate(shape):
        blocks = _opened(nested, blocks, shape[:depth], length)
    return blocks


def _single_block(nested: Any, shape: Shape) -> Sequence[Block]:
    elements: Sequence[Any] = [nested]
    for depth, length in enumerate(shape):
        if not elements:
            break
        _check_rows(nested, elements, shape[:depth], 0, length)
        count = len(elements) * length
        elements = _joined(elements)
        if len(elements) != count:
            raise changed((0,) * depth)
    return [(0, elements)] if elements else []


def _opened(nested: Any, blocks: Iterable[Block], above: Shape, length: int) -> Iterator[Block]:
    """The elements of the sequences in *blocks*, which lie below the levels *above* and must have *length*."""
    step = max(1, _BLOCK // max(1, length))
    for at, rows in blocks:
        _check_rows(nested, rows, above, at, length)
        for first in range(0, len(rows) if length else 0, step):
            few = rows[first : first + step]
            position, end = (at + first) * length, (at + first + len(few)) * length
            for elements in (_joined(few),) if length <= _BLOCK else _pieces(few[0]):
                if len(elements) != (end - position if length <= _BLOCK else min(_BLOCK, end - position)):
                    raise changed(path_at(at + first, above))
                yield position, elements
                position += len(elements)
            if position != end:
                raise changed(path_at(at + first, above))


def _check_rows(nested: Any, rows: Sequence[Any], above: Shape, at: int, length: int) -> None:
    """Every one of *rows* must be a sequence of *length*."""
    only = _only_class(rows)
    if only is None or kind_of(only) != SEQUENCE:
        offset = next((i for i, row in enumerate(rows) if kind_of(type(row)) != SEQUENCE), -1)
        if offset >= 0:
            _refuse(nested, path_at(at + offset, above), rows[offset], length)
    lengths = [*map(len, rows)]
    if lengths.count(length) != len(rows):
        offset, actual = next((i, n) for i, n in enumerate(lengths) if n != length)
        raise wrong_length(nested, path_at(at + offset, above), actual, length)


def _joined(rows: Sequence[Any]) -> Sequence[Any]:
    """The elements of *rows* in one sequence of their own."""
    if len(rows) == 1:
        return tuple(rows[0])
    elements: list[Any] = []
    extend = elements.extend  # += would ask the class of a row, and may become an object of that class
    for row in rows:
        extend(row)
    return elements


def _pieces(row: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """The elements of *row* in pieces; taken from a copy where slices of *row* may be something else."""
    sliced = row if type(row) in (list, tuple, range) else list(row)
    return (list(sliced[i : i + _BLOCK]) for i in range(0, len(sliced), _BLOCK))
