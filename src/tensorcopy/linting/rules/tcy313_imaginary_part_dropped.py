"""Complex numbers cast to real ones: the imaginary part is dropped."""

from __future__ import annotations

from ..flow import dtypes
from ..flow.events import Call, on_call
from ..flow.values import Value
from ..model import Level, Rule
from ._data import FUNCTIONS, data_of

RULE = Rule(
    code="TCY313",
    name="imaginary-part-dropped",
    level=Level.WARNING,
    summary="complex numbers are cast to a real dtype, which drops the imaginary part",
)
_REAL = ("float", "bfloat", "int", "uint")


@on_call(
    "torch.Tensor.float",
    "torch.Tensor.double",
    "torch.Tensor.half",
    "torch.Tensor.long",
    "torch.Tensor.int",
    "torch.Tensor.to",
    "torch.Tensor.type",
    "numpy.ndarray.astype",
)
def cast(event: Call) -> None:
    """``spectrum.float()``, ``z.astype(float)``."""
    if event.result is not None:
        _check(event, event.receiver, event.result.dtype)


@on_call(*FUNCTIONS)
def converted(event: Call) -> None:
    """``torch.tensor(z, dtype=torch.float32)``."""
    _check(event, data_of(event), dtypes.asked_for(event.args[1:], event.keywords))


def _check(event: Call, source: Value | None, target: str) -> None:
    if source is None or not source.dtype.startswith("complex") or not target.startswith(_REAL):
        return
    event.report(
        RULE,
        event.node,
        f"{source.dtype} becomes {target}: the imaginary part is dropped, at most with a warning; say which part is "
        "meant with .real, abs() or view_as_real()",
    )
