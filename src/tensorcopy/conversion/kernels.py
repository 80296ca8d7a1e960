"""Casts that look at every value on the way, in one pass over the memory: the Python face of a C extension.

Checking a cast after it has been made reads everything again; here the check rides along and costs nothing, because the
loops wait for memory anyway. Large memory is shared out among threads. Where the extension is missing (no compiler, or
``TENSORCOPY_PURE_PYTHON=1`` in the environment) `casts` is False for every pair, and callers use torch or NumPy.

A value survives by the rules of `casting`: exact, or rounded between floating types within range, unless
``"same_value"`` refuses that too. Results have the bits that torch gives, float64 on its way to float16 and bfloat16
being rounded to float32 first.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import cache
from math import prod
from types import ModuleType
from typing import Any

from ..live.dtypes import DTYPES
from ..live.libraries import class_of, load, loaded


def _import_native() -> ModuleType | None:
    if os.environ.get("TENSORCOPY_PURE_PYTHON") == "1":
        return None
    try:
        from . import _kernels
    except ImportError:
        return None
    return _kernels


_native: Any = _import_native()
_codes: dict[str, int] = {} if _native is None else {name: code for code, name in enumerate(_native.dtypes)}


def casts(source: str, target: str) -> bool:
    """Whether the extension is there and has a cast from *source* to *target*."""
    return source in _codes and target in _codes


def copies_buffers() -> bool:
    """Whether the extension is there and copies what offers a buffer."""
    return hasattr(_native, "copy_buffer")


def copied_buffer(source: Any, result: int, size: int) -> bool:
    """Copy the bytes of *source* to an address that somebody holds; False if they are not *size* bytes in one run."""
    return bool(_native is not None and _native.copy_buffer(source, result, size))


def moves() -> bool:
    """Whether the extension is there and copies bytes."""
    return hasattr(_native, "copy")


def move(sources: list[int], results: list[int], sizes: list[int]) -> None:
    """Copy as many bytes as *sizes* says from each source address to the result address beside it.

    Somebody holds all of them, and no result overlaps anything else.
    """
    _native.copy(sources, results, sizes, thread_count())


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Elements of one type in memory, which somebody holds. Strides count bytes."""

    dtype: str
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    aligned: bool = True
    native: bool = True
    """The bytes of an element are in the order of this machine."""


def thread_count() -> int:
    """How many threads may work at once: what ``torch.get_num_threads()`` says, or the processors of this process."""
    torch = loaded("torch")
    if torch is not None and hasattr(torch, "get_num_threads"):
        _share_threads_of(torch.__file__)
        return int(torch.get_num_threads())
    available = getattr(os, "sched_getaffinity", None)
    return len(available(0)) if available is not None else os.cpu_count() or 1


_PROCESS = os.getpid()
"""The process that loaded this module."""


@cache
def _share_threads_of(torch: str) -> None:
    """Let large casts use the OpenMP threads that torch (its ``__file__``) has, where it has any."""
    from ctypes import CDLL, c_void_p, cast

    if os.getpid() != _PROCESS:
        return  # made by fork: threads that torch may have had stayed behind, and OpenMP would wait for them for ever
    suffix = ".dylib" if sys.platform == "darwin" else ".so"
    library = os.path.join(os.path.dirname(torch), "lib", f"libtorch_cpu{suffix}")
    try:
        parallel = CDLL(library).GOMP_parallel
    except (OSError, AttributeError):
        return
    _native.share_threads(cast(parallel, c_void_p).value)


def first_lost(source: int, result: int, count: int, dtypes: tuple[str, str], casting: str) -> int | None:
    """Cast *count* elements that lie side by side; the index of the first that did not survive, or None.

    After a loss the rest of the result may be missing.

    Args:
        source: Address of the first element; aligned, as is *result*. The two do not overlap, and somebody holds them.
        result: Address to write to.
        count: Number of elements.
        dtypes: Types of source and result; a pair that `casts`.
        casting: ``"checked"`` or ``"same_value"``.
    """
    threads = thread_count() if count > _FEW else 1
    index = _native.cast(source, result, count, *_code(dtypes, casting), threads)
    return None if index < 0 else index


def _code(dtypes: tuple[str, str], casting: str) -> tuple[int, int, bool]:
    return _codes[dtypes[0]], _codes[dtypes[1]], casting == "same_value"


_MUCH = 1 << 22
"""Bytes in a list of arrays from which a second thread gains more than a busy machine makes one wait for it."""
_FEW = 4096
"""Elements for which nobody asks how many threads there are."""


def any_lost(source: Memory, result: Memory, casting: str) -> bool:
    """Cast elements that need not lie side by side; whether one of them did not survive.

    After a loss the rest of the result may be missing. The two have one shape, and do not overlap; *result* is aligned,
    in this machine's byte order, and no two of its elements overlap.
    """
    indirect = 2 if not source.native else 0 if source.aligned else 1
    code = (*_code((source.dtype, result.dtype), casting), indirect)
    layout = arrange(source.shape, source.strides, result.strides)
    return bool(_native.cast_strided(source.address, result.address, *zip(*layout, strict=True), *code, thread_count()))


Layout = tuple[tuple[int, int, int], ...]
"""Dimensions from the outermost to the innermost, each a size, a stride of the source and a stride of the result."""


def arrange(shape: tuple[int, ...], source: tuple[int, ...], result: tuple[int, ...]) -> Layout:
    """The same elements in as few dimensions as possible, two at least, and in the best order for the memory.

    The innermost one is where the result lies densest, the next where the source does.
    """
    dims = [(n, s, d) for n, s, d in zip(shape, source, result, strict=True) if n != 1]
    dims.sort(key=lambda dim: -abs(dim[2]))
    merged: list[tuple[int, int, int]] = []
    for size, s, d in dims:
        whole = size
        if merged and merged[-1][1:] == (size * s, size * d):
            whole *= merged.pop()[0]
        merged.append((whole, s, d))
    inner = merged.pop() if merged else (1, 0, 0)
    merged.sort(key=lambda dim: -abs(dim[1]))
    return (*(merged or [(1, 0, 0)]), inner)


def gathers(array: Any, target: str) -> bool:
    """Whether arrays like *array* can be written side by side as *target*: of plain numbers, in row-major order."""
    if _carriers_of(array.dtype, target) is None:
        return False
    flags = array.flags
    return bool(
        flags.c_contiguous and flags.aligned and type(array) is class_of("numpy", "ndarray") and _knows_arrays()
    )


def gathered(model: Any, members: Members, shape: tuple[int, ...], result: int, target: str, casting: str) -> bool:
    """Write arrays side by side, converted and checked; False if one is not like the first, or loses a value.

    Then some or all of the result is missing. Nothing is written past it if another thread changes *members* meanwhile.

    Args:
        model: The first of them, which `gathers`.
        members: Arrays.
        shape: How many there were when the memory was made, and the shape that they had.
        result: Address of the memory for all of them, aligned.
        target: Element type of the result.
        casting: ``"checked"`` or ``"same_value"``.
    """
    number, size = shape[0], prod(shape[1:])
    carriers = _carriers_of(model.dtype, target)
    if carriers is None:
        return False
    source, target, parts = carriers
    code = _code((source, target), casting)
    threads = thread_count() if number * model.nbytes >= _MUCH else 1
    return bool(_native.gather(model, members, number, result, size, parts, *code, threads) == number)


Members = list[Any] | tuple[Any, ...]


def gathered_as_they_are(model: Any, members: Members, shape: tuple[int, ...], result: int) -> bool:
    """As `gathered`, without a change of type and on this thread."""
    if _native is None:
        return False
    number, size = shape[0], prod(shape[1:])
    source, target, parts = _codes_of(model.dtype)
    return bool(_native.gather(model, members, number, result, size, parts, source, target, False, 1) == number)


@cache
def _codes_of(dtype: Any) -> tuple[int, int, int]:
    source, target, parts = _SAME[dtype.itemsize]
    return _codes[source], _codes[target], parts


_SAME = {1: ("uint8", "uint8", 1), 2: ("uint16", "uint16", 1), 4: ("uint32", "uint32", 1), 8: ("uint64", "uint64", 1)}
_SAME[16] = ("uint64", "uint64", 2)
"""As what elements of some size travel when they keep their type: integers, and how many of them each."""


@cache
def _carriers_of(dtype: Any, target: str) -> tuple[str, str, int] | None:
    """As what elements of a ``numpy.dtype`` travel to *target*, and in how many parts each; None if they cannot."""
    name = str(dtype.name)
    if _native is None or name not in DTYPES or not dtype.isnative:
        return None
    if name == target:
        return _SAME[dtype.itemsize]
    return (name, target, 1) if casts(name, target) else None


@cache
def _knows_arrays() -> bool:
    """Whether the fields of plain arrays are where the extension expects them."""
    return all(map(_is_known, _specimens(load("numpy"))))


def _specimens(numpy: Any) -> list[Any]:
    """Arrays that differ in everything that the extension reads."""
    bytes_ = numpy.zeros(41, "uint8")
    return [
        numpy.zeros((2, 3)),
        numpy.zeros((2, 3, 4), "float32").transpose(2, 0, 1),
        numpy.zeros(()),
        numpy.zeros((0, 5), "int16"),
        numpy.zeros(10, ">i4")[8:2:-2],
        bytes_[1:].view("int64"),
        bytes_[:8].view("bool"),
    ]


def _is_known(array: Any) -> bool:
    address, flags = array.__array_interface__["data"][0], array.flags
    facts = (address, array.shape, array.strides, array.dtype, flags.c_contiguous, flags.aligned)
    return bool(_native.is_known(array, *facts))


def are_of_class(members: list[Any] | tuple[Any, ...], kind: type) -> bool:
    """Whether every member is of exactly that class."""
    if _native is None:
        return set(map(type, members)) == {kind}
    return type(members[0]) is kind and bool(_native.agree(members, None, None) == len(members))


def have(members: list[Any] | tuple[Any, ...], attribute: Any, value: Any) -> bool:
    """Whether all *members* are of one class, whose descriptor *attribute* gives the very object *value* for each."""
    if _native is None:
        alike = are_of_class(members, type(members[0]))
        return alike and all(attribute.__get__(member) is value for member in members)
    return bool(_native.agree(members, attribute, value) == len(members))


def cannot_have_rounded_integers(tensor: Any, name: str) -> bool:
    """Whether every element of *tensor*, which lies in memory without gaps, is too small to be a rounded integer.

    Then whatever integers came in among its floats are still what they were. False where there is no telling.
    """
    if _native is None or name not in _ROUNDED_FROM:
        return False
    return bool(_native.is_within(tensor.data_ptr(), tensor.numel(), _codes[name], _ROUNDED_FROM[name] - 1))


_ROUNDED_FROM = {"float16": 0x6800, "bfloat16": 0x4380, "float32": 0x4B800000, "float64": 0x4340000000000000}
"""The smallest number that an integer can have been rounded to (all below are exact), as the bits of the type."""
