"""The errors of reading a nest: each names the first thing that cannot be part of a tensor, and its path."""

from __future__ import annotations

import reprlib
from datetime import date, time, timedelta
from typing import Any

from ..errors import LossyConversionError, NestError, RaggedError, TensorcopyError, UnsupportedSourceError
from ..live.dtypes import DTYPES
from ..live.libraries import is_mock
from .casting import EXACT, advice, loss_error
from .nulls import is_null_class
from .number_kinds import KINDS, SEQUENCE, kind_of
from .places import Path, place


def _at(path: Path) -> str:
    return f" at {place(path)}" if path else ""


def too_deep(nested: Any, path: Path, limit: int) -> NestError:
    """The nest goes on below *limit* levels, perhaps for ever."""
    return _contains_itself(nested, path) or NestError(
        f"the nest is more than {limit} levels deep",
        why=f"a tensor has at most {limit} dimensions",
        fix="flatten the inner levels first",
    )


def _contains_itself(nested: Any, path: Path) -> NestError | None:
    """The error for a sequence that is met twice on the way down *path*, None where none is."""
    above = [nested]
    for depth, index in enumerate(path, 1):
        node = _item(above[-1], index)
        if kind_of(type(node)) == SEQUENCE and any(node is seen for seen in above):
            return NestError(
                f"the {type(node).__name__}{_at(path[:depth])} contains itself",
                why="its nesting has no end, so it has no shape",
                fix="take it out of itself, or copy its numbers into a new list",
            )
        above.append(node)
    return None


def _item(node: Any, index: int) -> Any:
    """``node[index]``, or None where the nest has changed meanwhile."""
    try:
        return node[index]
    except (IndexError, TypeError, KeyError):
        return None


def wrong_length(nested: Any, path: Path, length: int, expected: int) -> TensorcopyError:
    """The sequence at *path* has *length* elements, its first sibling has *expected*."""
    return _contains_itself(nested, path) or RaggedError(
        f"the sequence{_at(path)} has length {length}, not {expected}",
        why=f"a tensor is rectangular, and the sequence at {place((0,) * len(path))} has length {expected}",
        fix="pad or cut the rows to one length, or make one tensor for each",
    )


def changed(path: Path) -> RaggedError:
    """The sequence at *path* did not have the length that it claims, or was changed meanwhile."""
    return RaggedError(
        f"the sequence{_at(path)} changed its length while it was read",
        why="its values would be mixed up",
        fix="pass a copy of it, made while nothing else changes it",
    )


def misplaced(nested: Any, path: Path, leaf: Any, expected: int | None) -> TensorcopyError:
    """*leaf*, at *path*, is not what its first sibling is: a number, or (if *expected* is its length) a sequence."""
    kind = kind_of(type(leaf))
    if kind == SEQUENCE:
        return _contains_itself(nested, path) or RaggedError(
            f"found a {type(leaf).__name__} of length {len(leaf)}{_at(path)}, not a number",
            why=f"a tensor is rectangular, and {place((0,) * len(path))} is a number",
            fix="bring all numbers to one depth",
        )
    if kind >= 0:
        return RaggedError(
            f"found the number {shown(leaf)}{_at(path)}, not a sequence of length {expected}",
            why=f"a tensor is rectangular, and {place((0,) * len(path))} is a sequence",
            fix="bring all numbers to one depth",
        )
    return _unreadable(leaf, _at(path))


def _unreadable(leaf: Any, at: str) -> TensorcopyError:
    if is_null_class(type(leaf)):
        return LossyConversionError(
            f"found {leaf!r}{at}, not a number",
            why="a null has no value in a tensor",
            fix="pass null= with a number to put there, for example float('nan'), or leave it out",
        )
    why, fix = _why_unreadable(type(leaf))
    return UnsupportedSourceError(f"found {type(leaf).__name__} {shown(leaf)}{at}, not a number", why=why, fix=fix)


def _why_unreadable(cls: type) -> tuple[str, str]:
    if issubclass(cls, str):
        return "text has no numeric meaning", "parse it first, as with float(text)"
    if issubclass(cls, bytes):
        return "bytes in a list may be text or numbers of any type", "decode them first, as with list(data)"
    if issubclass(cls, (date, time, timedelta)) or cls.__name__ in ("datetime64", "timedelta64"):
        return "a date or duration is a count of some unit", "count it in a unit of your choice first"
    if cls.__name__ == "void":
        return "a record holds several values, and raw bytes have no type", "take its fields, or view it as numbers"
    if is_mock(cls):
        return "a mock answers whatever it is asked, and holds no numbers", "use a real number in its place"
    if hasattr(cls, "__float__"):
        return (
            f"{cls.__name__} is not a binary number, and turning it into one may round",
            "call float(value) on it first",
        )
    if hasattr(cls, "__index__"):
        return "only int, its subclasses and NumPy integers are read as integers", "call int(value) on it first"
    if hasattr(cls, "__iter__"):
        return f"{cls.__name__} is no sequence of numbers", "call list(value) on it first"
    return "a tensor holds bool, int, float and complex numbers", "turn it into a number first"


def shown(leaf: Any) -> str:
    """A short ``repr``, also of an object whose own raises, and of an integer too long to print."""
    return repr(_printable(leaf)) if isinstance(leaf, (int, float, complex)) else reprlib.repr(leaf)


class _LongInteger(int):
    def __repr__(self) -> str:
        return f"an integer of {self.bit_length()} bits"


def _printable(number: Any) -> Any:
    return _LongInteger(number) if isinstance(number, int) and number.bit_length() > 256 else number


def loss(number: Any, cls: type, path: Path, dtype: str) -> LossyConversionError:
    """*number*, read from an instance of *cls* at *path*, would change on its way into *dtype*."""
    name = KINDS[kind_of(cls)].removeprefix("numpy.")
    error = loss_error(_printable(number), path, name, dtype)
    if not isinstance(number, int) or (DTYPES[dtype].kind in "biu" and -(2**63) <= number < 2**64):
        return error
    return LossyConversionError(error.what, why=error.why, fix=_fix_for_integer(number, DTYPES[dtype].kind))


def _fix_for_integer(number: int, kind: str) -> str:
    """Which wide dtype holds *number*: the integers beside it may be floats, so an integer dtype is no help."""
    wide = "complex128" if kind == "c" else "float64"
    if abs(number) < 2**1024 and int(float(number)) == number:
        return advice(wide, EXACT)
    return (
        "pass casting='unsafe' to accept the change; no dtype holds it exactly"
        if kind in "biu"
        else (
            f"pass dtype={wide!r} with casting='unsafe' to accept a smaller change; no floating dtype holds it exactly"
        )
    )
