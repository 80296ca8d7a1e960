"""Take the permission to write away from arrays for a while, and give back exactly what was there."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable
from functools import cache
from typing import Any

from .libraries import load
from .owners import may_write


class Lock:
    """Arrays whose permission to write is taken away until `release`, which gives back exactly what was there."""

    __slots__ = ("_held",)

    def __init__(self, arrays: Iterable[Any]) -> None:
        self._held: list[tuple[Any, int]] = []
        try:
            for array in arrays:
                flags = take_permission(array)
                if flags is not None:
                    self._held.append((array, flags))
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Give the permissions back, owners before their views, as NumPy asks for."""
        while self._held:
            give_permission(*self._held.pop(0))


def take_permission(array: Any) -> int | None:
    """Make *array* read-only; gives what `give_permission` needs. None, and nothing is done, where it is already.

    Nor is anything done where nobody could make the array writable again.
    """
    if not may_write(array) or not (_can_restore() or _numpy_restores(array)):
        return None
    flags = int(array.flags.num)
    array.flags.writeable = False
    return flags


def give_permission(array: Any, flags: int) -> None:
    """Give *array* the flags that it had before `take_permission`."""
    if _can_restore():
        _flags_field(array).value = ctypes.c_int(flags).value
    else:
        array.flags.writeable = True


def _numpy_restores(array: Any) -> bool:
    """Whether NumPy itself will make the array writable again: not where the memory is another library's."""
    return bool(array.flags.owndata) or type(array.base).__module__ == "numpy"


class _ArrayHead(ctypes.Structure):
    """The start of NumPy's ``PyArrayObject``, which is part of its binary interface since 1.7."""

    _fields_ = (
        ("head", ctypes.c_char * object.__basicsize__),
        ("data", ctypes.c_void_p),
        ("nd", ctypes.c_int),
        ("dimensions", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("base", ctypes.c_void_p),
        ("descr", ctypes.c_void_p),
        ("flags", ctypes.c_int),
    )


def _flags_field(array: Any) -> ctypes.c_int:
    return ctypes.c_int.from_address(id(array) + _ArrayHead.flags.offset)


@cache
def _can_restore() -> bool:
    """Whether the flags lie where NumPy's interface says, tried on an array of our own.

    NumPy refuses to make an array writable again whose memory another library owns, such as what ``Tensor.numpy()``
    gives. Its C macro ``PyArray_ENABLEFLAGS`` may, and this does what the macro does.
    """
    if sys.implementation.name != "cpython":
        return False
    array = load("numpy").zeros(1)
    before = _flags_field(array).value, array.flags.num
    array.flags.writeable = False
    after = _flags_field(array).value, array.flags.num
    return bool(before[0] == before[1] and after[0] == after[1] != before[0])
