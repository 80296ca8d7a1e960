"""``numpy.ma.MaskedArray``: every torch converter drops its mask and shows the hidden values; this one does not."""

from __future__ import annotations

from typing import Any

from ...errors import LossyConversionError
from ...live.libraries import class_of, load
from ..plan import Exposure, Request
from . import ndarray

ORDER = 10


def recognises(cls: type) -> bool:
    """Masked arrays, the constant ``numpy.ma.masked`` included."""
    masked = class_of("numpy.ma", "MaskedArray")
    return masked is not None and issubclass(cls, masked)


def expose(obj: Any, request: Request) -> Exposure:
    """The data, if nothing is masked; the data with ``null=`` in place of what is; else a refusal."""
    numpy = load("numpy")
    mask = numpy.ma.getmaskarray(obj)
    if not mask.any():
        return ndarray.expose(numpy.asarray(obj.data), request)
    if request.null is None:
        raise _masked(numpy, mask)
    return Exposure(
        kind="NumPy masked array",
        form="array",
        open=lambda: numpy.asarray(obj.filled(request.null)),
        dtype=str(obj.dtype.name),
        shape=tuple(obj.shape),
        fresh=True,
        why_copy="masked elements are replaced by null=",
    )


def _masked(numpy: Any, mask: Any) -> LossyConversionError:
    index = "".join(f"[{int(axis[0])}]" for axis in numpy.nonzero(numpy.atleast_1d(mask)))
    return LossyConversionError(
        f"masked array has {int(mask.sum())} masked of {mask.size} elements, the first at {index}",
        why="a tensor has no mask, and the hidden values would show",
        fix="pass null= with the value to put there, or convert array.data and array.mask separately",
    )
