"""What `to_torch` does without options for the most usual sources: by their class, and without a plan.

Each way looks at what alone could make its source unusual, and gives None where it does: then a plan is made. None of
them gives what a plan would not lead to.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from functools import partial
from typing import Any

from ..errors import LossyConversionError, note_source
from ..live.dtypes import DTYPES
from ..live.libraries import class_of, load
from ..live.tensors import is_compiling, is_watched
from . import gathering, kernels, stacking
from .carry_out import read_list
from .casting import followable
from .plan import PLAIN
from .reading import HOLDS_ARRAYS
from .sources import glance_at

Way = Callable[[Any, bool | None, bool | None], Any]
"""Takes a source, and ``copy=`` and ``detach=`` as they were passed."""

_OPEN = 0x501
"""NumPy's flags of an array that is in row-major order, aligned and writable."""
_LOOKED_AT = _OPEN | 1 << 31
"""The same, and the one of an array of which NumPy warns when it is written, as `broadcast_arrays` makes them."""

_TAKEN_AS_THEY_ARE = (
    *("bool", "uint8", "int8", "int16", "int32", "int64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)
"""Types that every supported torch knows; uint64 is not among them, as one of its two C types is refused."""

_MUCH = 1 << 20
"""Bytes from which advice on the memory, or another thread, may pay."""

_makers: dict[Any, Any] = {}
"""By ``numpy.dtype``: what makes a tensor of that type from lengths."""
_makers_by_format: dict[str, Any] = {}
"""The same by the format of a buffer."""
_from_numpy: Any = None
_arange: Any = None
_address: Any = None


def _of_list(nest: list[Any], copy: bool | None, detach: bool | None) -> Any:
    """Also stacks what is not alike, and then raises what that raises."""
    if copy is False:
        return None
    found = HOLDS_ARRAYS if nest and type(nest[0]) in gathering.ways else read_list(nest)
    if found is not HOLDS_ARRAYS:
        return found
    if detach or is_compiling():
        return None
    few = gathering.gather_few(nest)
    return _stacked(nest) if few is None and not is_watched() else few


def _stacked(nest: list[Any]) -> Any:
    try:
        return stacking.stack(nest, PLAIN)
    except LossyConversionError as error:
        better = followable(error, lambda dtype: stacking.stack(nest, PLAIN._replace(dtype=dtype)))
        raise better from error.__cause__
    except Exception as error:
        note_source(error, "converted", nest)
        raise


def _of_array(array: Any, copy: bool | None, detach: bool | None) -> Any:
    if copy is None:
        if array.dtype in _makers and array.flags.num & _LOOKED_AT == _OPEN:
            return _from_numpy(array)
        return None
    return _copied(array) if copy else None


def _of_column(glance: Callable[[Any], Any], column: Any, copy: bool | None, detach: bool | None) -> Any:
    array = glance(column) if copy else None
    return None if array is None else _copied(array)


def _of_buffer(buffer: Any, copy: bool | None, detach: bool | None) -> Any:
    try:
        view = memoryview(buffer)
    except (ValueError, BufferError):
        return None
    maker = _makers_by_format.get(view.format) if copy else None
    return None if maker is None else _filled(maker, view.shape or (), view)


def _of_range(numbers: range, copy: bool | None, detach: bool | None) -> Any:
    start, stop = numbers.start, numbers.stop
    if copy is False or not (-_EXACT <= start <= _EXACT and -_EXACT <= stop <= _EXACT) or is_watched():
        return None
    return _from_numpy(_arange(start, stop, numbers.step))


_EXACT = DTYPES["float64"].exact
"""NumPy counts the elements of a range in floating point."""


def _copied(array: Any) -> Any:
    maker = _makers.get(array.dtype)
    return None if maker is None else _filled(maker, array.shape, array)


def _filled(maker: Any, shape: tuple[int, ...], buffer: Any) -> Any:
    """A tensor from *maker* with the bytes of *buffer*; None if these do not lie side by side."""
    size = buffer.nbytes
    if size >= _MUCH or is_watched():
        return None
    result = maker(*shape) if shape else maker(())
    return result if kernels.copied_buffer(buffer, _address(result), size) else None


WAYS: dict[type, Way] = {list: _of_list}
"""By the class of the source, once one of it has been converted by a plan."""


def learn(cls: type) -> None:
    """Find the way of a source of *cls* that has been converted, if it has one and torch and NumPy are there."""
    way = _way_of(cls) if cls not in WAYS else None
    if way is not None and (_address is not None or _learn_libraries()):
        WAYS[cls] = way


def _way_of(cls: type) -> Way | None:
    if cls is class_of("numpy", "ndarray"):
        return _of_array
    if cls is range:
        return _of_range
    if not kernels.copies_buffers():
        return None
    if cls in (bytes, bytearray, memoryview, array):
        return _of_buffer
    glance = glance_at(cls)
    return None if glance is None else partial(_of_column, glance)


def _learn_libraries() -> bool:
    """Remember what the ways compare with and call; False while a library is missing, or somebody watches."""
    global _from_numpy, _arange, _address
    if class_of("torch", "Tensor") is None or class_of("numpy", "ndarray") is None:
        return False
    if is_watched():
        return False
    torch, numpy = load("torch"), load("numpy")
    for name in _TAKEN_AS_THEY_ARE:
        _makers[numpy.dtype(name)] = torch.empty(0, dtype=getattr(torch, name), device="cpu").new_empty
    _makers_by_format.update({form: _makers[numpy.dtype(form)] for form in "bBhilqfd"})
    _from_numpy = torch.from_numpy
    _arange = partial(numpy.arange, dtype=numpy.dtype("int64"))
    _address = torch.Tensor.data_ptr
    return True
