"""What a leaf of a nest is, by its class, and which dtype a nest of such leaves becomes when none is asked for.

A *kind* is a small integer, so that a set of kinds is a bit mask: the kinds that can be read count up from 0 (`KINDS`
gives their names), what is no number is negative. Only the class decides, so a nest is classified without running any
code of its leaves.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterable, Sequence
from functools import cache, reduce
from typing import Any

from ..live.dtypes import DTYPES, Dtype
from ..live.libraries import class_of

BOOL, INT, FLOAT, COMPLEX = range(4)
FIRST_NUMPY = 4
SEQUENCE, FOREIGN, UNREADABLE = -1, -2, -3
"""A level of the nest · a leaf with memory of its own (array, tensor, buffer), for others to read · anything else."""

READABLE = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
)
"""The dtypes that a nest can be read into, and those whose NumPy scalars can be leaves."""

KINDS = ("bool", "int", "float", "complex", *(f"numpy.{name}" for name in READABLE))
"""Names of the kinds, Python's four first; the position is the kind."""

_ARRAY_PROTOCOLS = ("__array__", "__array_interface__", "__dlpack__", "__cuda_array_interface__", "__buffer__")
_RANK = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}

_known: dict[type, int] = {bool: BOOL, int: INT, float: FLOAT, complex: COMPLEX}
_known |= dict.fromkeys((list, tuple, deque, range), SEQUENCE)


def kind_of(cls: type) -> int:
    """The kind of an instance of *cls*: an index into `KINDS`, or `SEQUENCE`, `FOREIGN` or `UNREADABLE`.

    A subclass of a Python number (an ``IntEnum`` member) is that number, a subclass of a sequence is a level of the
    nest. Text, bytes, None, sets, mappings, ``Decimal`` and ``Fraction`` are unreadable: each would need a decision.
    """
    known = _known.get(cls)
    return _classified(cls) if known is None else known


def is_remembered(cls: type) -> bool:
    """Whether `kind_of` has seen *cls*, and will give the same for it for ever."""
    return cls in _known


def _classified(cls: type) -> int:
    generic = class_of("numpy", "generic")
    if generic is not None and issubclass(cls, generic):
        return _numpy_kind(cls)
    if issubclass(cls, (list, tuple, deque)):
        return SEQUENCE
    for number, kind in ((int, INT), (float, FLOAT), (complex, COMPLEX)):
        if issubclass(cls, number):
            return kind
    if issubclass(cls, (str, bytes)):
        return UNREADABLE
    if cls in (class_of("torch", "Tensor"), class_of("torch.nn", "Parameter"), class_of("numpy", "ndarray")):
        _known[cls] = FOREIGN
        return FOREIGN
    if issubclass(cls, (bytearray, memoryview, array)) or any(hasattr(cls, name) for name in _ARRAY_PROTOCOLS):
        return FOREIGN
    return SEQUENCE if issubclass(cls, Sequence) else UNREADABLE


def _numpy_kind(cls: type) -> int:
    numpy_dtype: Any = class_of("numpy", "dtype")
    name = "object" if cls.__name__ == "void" else str(numpy_dtype(cls).name)
    kind = KINDS.index(f"numpy.{name}") if name in READABLE else FOREIGN if name in DTYPES else UNREADABLE
    if cls.__module__ in ("numpy", "ml_dtypes"):
        _known[cls] = kind
    return kind


def mask_of(classes: Iterable[type]) -> int:
    """The kinds of instances of *classes*, all of them readable, as a bit mask."""
    mask = 0
    for cls in classes:
        mask |= 1 << kind_of(cls)
    return mask


@cache
def names_of(kinds: int) -> tuple[str, ...]:
    """The names of a bit mask of kinds, in the order of `KINDS`."""
    return tuple(name for kind, name in enumerate(KINDS) if kinds >> kind & 1)


@cache
def result_dtype(kinds: int, default_float: str) -> str:
    """The dtype of a nest whose leaves are of *kinds* (a bit mask), where the caller asks for none.

    Python numbers as ``torch.tensor`` makes them: bool, int64, *default_float*, and the complex dtype of twice its
    size (complex64 at least). NumPy scalars promote among themselves as NumPy does. Where both occur, the greater of
    bool < integer < floating < complex decides, and within one of these the wider, as torch does; only uint64 stays
    uint64. No leaves at all give *default_float*. Whether each value fits is for the reader to check.
    """
    names = names_of(kinds)
    numpy = [name.removeprefix("numpy.") for name in names if name.startswith("numpy.")]
    python = [_of_python(name, default_float) for name in names if not name.startswith("numpy.")]
    if not numpy:
        return python[-1] if python else default_float
    promoted = reduce(promote, numpy)
    return _with_python(promoted, python[-1]) if python else promoted


def _of_python(name: str, default_float: str) -> str:
    wide = "complex128" if default_float == "float64" else "complex64"
    return {"bool": "bool", "int": "int64", "float": default_float, "complex": wide}[name]


def _with_python(numpy: str, python: str) -> str:
    ranks = _RANK[DTYPES[numpy].kind], _RANK[DTYPES[python].kind]
    if ranks == (1, 1):
        return "uint64" if numpy == "uint64" else "int64"
    if ranks[0] == ranks[1] or min(ranks) == 2:
        return promote(numpy, python)
    return numpy if ranks[0] > ranks[1] else python


@cache
def promote(one: str, other: str) -> str:
    """The smallest dtype for values of both, by NumPy's rules; bfloat16 beside an integer counts as float16 does."""
    a, b = sorted((DTYPES[one], DTYPES[other]), key=lambda d: (_RANK[d.kind], d.bytes, d.name))
    if a.kind == b.kind or a.kind == "b":
        return b.name if {one, other} != {"float16", "bfloat16"} else "float32"
    if b.kind in "iu":
        return _integer_of_both(a, b)
    part = _floating_of(a)
    if b.kind == "f":
        return b.name if part.bytes <= b.bytes else part.name
    return "complex128" if part.name == "float64" else b.name


def _integer_of_both(a: Dtype, b: Dtype) -> str:
    signed, unsigned = (a, b) if a.kind == "i" else (b, a)
    if unsigned.bytes < signed.bytes:
        return signed.name
    return "float64" if unsigned.bytes == 8 else f"int{unsigned.bytes * 16}"


def _floating_of(dtype: Dtype) -> Dtype:
    """*dtype* itself if it is real floating, else the smallest floating type that NumPy lets stand for the integer."""
    return dtype if dtype.kind == "f" else DTYPES[{1: "float16", 2: "float32"}.get(dtype.bytes, "float64")]
