"""Every error that tensorcopy raises on purpose: what happened, why, and what to do.

Each class is a `TensorcopyError` and also the builtin exception that existing ``except`` clauses expect, so code that
catches ``TypeError`` or ``ValueError`` around a conversion keeps working. The three parts are fields; ``str()`` joins
them. A broken invariant inside tensorcopy is an ``AssertionError``, never one of these.
"""

from __future__ import annotations

from typing import Any


class TensorcopyError(Exception):
    """Base of all deliberate errors. Holds the three parts as `what`, `why` and `fix`; pickles with them and its notes.

    tensorcopy itself always gives all three. Who makes an error anew from its text alone, as a ``DataLoader`` does with
    one that a worker raised, gets one with that text.
    """

    what: str
    why: str
    fix: str

    def __init__(self, what: str, *, why: str = "", fix: str = "") -> None:
        super().__init__(what, why, fix)
        self.what, self.why, self.fix = what, why, fix

    def __str__(self) -> str:
        return " · ".join(part for part in (self.what, self.why, self.fix) if part)

    def __reduce__(self) -> tuple[Any, ...]:
        notes = [*getattr(self, "__notes__", ())]
        return _rebuild, (type(self), self.what, self.why, self.fix), {"__notes__": notes} if notes else None


def _rebuild(kind: type[TensorcopyError], what: str, why: str, fix: str) -> TensorcopyError:
    return kind(what, why=why, fix=fix)


def note_source(error: Exception, verb: str, source: object) -> None:
    """Add to *error*, which the code of *source* or of a library raised, what was being done to which object.

    The class and the text of somebody else's error stay what they are. Python 3.10 knows no notes, so there none is
    added; nor is one added to a `TensorcopyError`, which names its source itself.
    """
    if isinstance(error, TensorcopyError) or not hasattr(error, "add_note"):
        return
    cls = type(source)
    name = f"{cls.__module__}.{cls.__qualname__}".removeprefix("builtins.")
    error.add_note(f"while tensorcopy {verb} an object of class {name}")


class UnsupportedSourceError(TensorcopyError, TypeError):
    """No source module recognises the object, or its elements have no numeric meaning (text, dates, Python objects)."""


class UnsupportedDtypeError(TensorcopyError, TypeError):
    """The target library has no dtype for these elements, or the dtype asked for does not exist there."""


class LossyConversionError(TensorcopyError, ValueError):
    """A value, a mask, a null or a part of a value would change or vanish. Names the first one and its index."""


class RaggedError(TensorcopyError, ValueError):
    """Nested sequences do not form a rectangle. Names the path, like ``[3][1]``."""


class CannotShareError(TensorcopyError, ValueError):
    """``copy=False`` or `share` was asked for, and these bytes cannot be the result's bytes."""


class ReadOnlyMemoryError(CannotShareError):
    """The memory may be read but not written, so a writable tensor must not be laid over it."""


class WrongDeviceError(TensorcopyError, ValueError):
    """The data lies on another device than the target can address, or the device asked for is not to be had."""


class GraphError(TensorcopyError, RuntimeError):
    """The tensor is on the autograd graph and the conversion would cut it without being told to."""


class NestError(TensorcopyError, ValueError):
    """A nest contains itself, is deeper than can be rebuilt, or holds a leaf that cannot be copied. Names the path."""


class UnusableBufferError(TensorcopyError, BufferError, ValueError):
    """The buffer was released, closed, or cannot be locked while a result would look at it."""


class ProducerError(TensorcopyError, ValueError):
    """An object's own ``__array__``, ``__dlpack__`` or ``__array_interface__`` raised, or returned something untrue."""


class BadArgumentError(TensorcopyError, ValueError):
    """An argument of the call itself makes no sense, or two of them contradict each other."""


class BadFileError(TensorcopyError, ValueError):
    """A file is truncated, contradicts itself, or is not of a format that can be read without running its code."""


class MissingLibraryError(TensorcopyError, ImportError):
    """An optional library is needed for this and is not installed."""


class AliasWriteError(TensorcopyError, RuntimeError):
    """Memory guarded by `protect` was written while it was guarded."""
