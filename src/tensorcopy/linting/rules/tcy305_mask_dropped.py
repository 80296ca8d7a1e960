"""Masked arrays given to what does not know masks: the masked values become data."""

from __future__ import annotations

from ..flow.events import Call, on_call
from ..model import Level, Rule
from ._data import CLASSES, FUNCTIONS, data_of

RULE = Rule(
    code="TCY305",
    name="mask-dropped",
    level=Level.WARNING,
    summary="a masked array is converted without its mask, so that masked values become data",
)


@on_call(*FUNCTIONS, *CLASSES, "torch.from_numpy", "numpy.array", "numpy.asarray", "numpy.ascontiguousarray")
def converted(event: Call) -> None:
    """``torch.as_tensor(masked)``, ``np.asarray(masked)``."""
    data = data_of(event) if event.name.startswith("torch.") else event.argument(0)
    if data is not None and "masked" in data.traits:
        event.report(
            RULE,
            event.node,
            f"{event.name}() reads the data under the mask and drops the mask: masked values count as data; "
            f"say what they should be with filled(), or keep only the others with compressed()",
        )
