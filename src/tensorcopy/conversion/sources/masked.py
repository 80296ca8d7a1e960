"""``numpy.ma.MaskedArray``: every torch converter drops its mask and shows the hidden values; this one does not."""

from __future__ import annotations

from typing import Any

from ...errors import LossyConversionError
from ...live.libraries import class_of, load
from ..columns import require_number
from ..places import place
from ..plan import Exposure, Piece, Request
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
    shown = ndarray.expose(numpy.asarray(obj.data), request)
    if not mask.any():
        return shown._replace(kind="NumPy masked array")
    if request.null is None:
        raise _masked(numpy, mask)
    require_number(request.null)
    if shown.form != "array":
        return shown._replace(open=lambda: obj.filled(request.null).tolist())
    return shown._replace(
        kind="NumPy masked array",
        form="pieces",
        open=lambda: [Piece(values=shown.open(), place=(), nulls=mask)],
        why_copy="masked elements are replaced by null=",
    )


def _masked(numpy: Any, mask: Any) -> LossyConversionError:
    index = place(tuple(int(axis[0]) for axis in numpy.nonzero(mask))) if mask.ndim else "its only element"
    return LossyConversionError(
        f"masked array has {int(mask.sum())} masked of {mask.size} elements, the first at {index}",
        why="a tensor has no mask, and the hidden values would show",
        fix="pass null= with the value to put there, or convert array.data and array.mask separately",
    )
