from __future__ import annotations

import array
import ctypes
import mmap
import pickle
import sys

import numpy as np
import pytest

import tensorcopy as tc
from tests.conversion.sources.samples import Sample


def mapped(values):
    memory = mmap.mmap(-1, len(values))
    memory[:] = bytes(values)
    return memory


def sample(name, build, expected, dtype, shares="yes"):
    return Sample(name=name, build=build, expected=expected, dtype=dtype, shares=shares)


SAMPLES = (
    sample("bytes", lambda: b"\x01\x02\x03", [1, 2, 3], "uint8", "readonly"),
    sample("bytearray", lambda: bytearray([1, 2]), [1, 2], "uint8"),
    sample("memoryview", lambda: memoryview(bytearray([1, 2])), [1, 2], "uint8"),
    sample("memoryview of bytes", lambda: memoryview(b"\x01\x02"), [1, 2], "uint8", "readonly"),
    sample("memoryview of a matrix", lambda: memoryview(np.array([[1, 2], [3, 4]])), [[1, 2], [3, 4]], "int64"),
    sample("memoryview, reversed", lambda: memoryview(bytearray([1, 2]))[::-1], [2, 1], "uint8", "no"),
    sample("memoryview without dimensions", lambda: memoryview(np.array(2.5)), 2.5, "float64"),
    sample("array of C ints", lambda: array.array("i", [1, 2, 3]), [1, 2, 3], "int32"),
    sample("array of doubles", lambda: array.array("d", [1.5, 2.5]), [1.5, 2.5], "float64"),
    sample("array of floats", lambda: array.array("f", [1.5, 2.5]), [1.5, 2.5], "float32"),
    sample("mmap", lambda: mapped([1, 2]), [1, 2], "uint8"),
    sample("ctypes array", lambda: (ctypes.c_float * 2)(1.5, 2.5), [1.5, 2.5], "float32"),
    sample("ctypes matrix", lambda: ((ctypes.c_int16 * 2) * 2)((1, 2), (3, 4)), [[1, 2], [3, 4]], "int16"),
    sample("pickle buffer", lambda: pickle.PickleBuffer(bytearray([1, 2])), [1, 2], "uint8"),
    sample("empty bytearray", lambda: bytearray(), [], "uint8"),
)


def test_a_bytearray_cannot_grow_while_a_tensor_looks_at_it():
    buffer = bytearray([1, 2, 3])
    result = tc.to_torch(buffer)
    with pytest.raises(BufferError):
        buffer.extend(b"x" * 100)
    assert result.tolist() == [1, 2, 3]


def test_a_released_memoryview_is_refused():
    view = memoryview(bytearray(3))
    view.release()
    with pytest.raises(tc.errors.UnusableBufferError, match=r"cannot read memoryview: .*released"):
        tc.to_torch(view)


def test_a_closed_memory_map_is_refused():
    memory = mapped([1])
    memory.close()
    with pytest.raises(tc.errors.UnusableBufferError, match=r"cannot read mmap: .*closed"):
        tc.to_torch(memory)


def test_an_array_of_characters_is_refused():
    with pytest.raises(tc.errors.UnsupportedSourceError, match="cannot convert array of format"):
        tc.to_torch(array.array("w" if sys.version_info >= (3, 13) else "u", "ab"))


def test_a_memoryview_of_objects_never_shows_their_addresses():
    with pytest.raises(tc.errors.UnsupportedSourceError, match="cannot convert memoryview of format 'O'"):
        tc.to_torch(memoryview(np.array([1.5, None])))
