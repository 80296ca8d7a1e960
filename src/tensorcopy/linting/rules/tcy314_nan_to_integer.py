"""NaN cast to an integer, which has no NaN: some number comes out."""

from __future__ import annotations

from ..flow import dtypes
from ..flow.events import Call, on_call
from ..flow.values import Value
from ..model import Level, Rule
from ._data import FUNCTIONS, data_of, leaves

RULE = Rule(
    code="TCY314",
    name="nan-to-integer",
    level=Level.ERROR,
    summary="an array that holds NaN is cast to integers, which makes some number of it",
)


@on_call(*FUNCTIONS)
def converted(event: Call) -> None:
    """``torch.tensor(labels, dtype=torch.int64)`` of an array or a list with NaN."""
    _check(event, data_of(event), dtypes.asked_for(event.args[1:], event.keywords))


@on_call(
    "numpy.ndarray.astype",
    "torch.Tensor.long",
    "torch.Tensor.int",
    "torch.Tensor.short",
    "torch.Tensor.to",
    "torch.Tensor.type",
)
def cast(event: Call) -> None:
    """``labels.astype(int)``, and ``torch.from_numpy(labels).long()``."""
    if event.result is not None:
        _check(event, event.receiver, event.result.dtype)


def _check(event: Call, data: Value | None, target: str) -> None:
    if data is None or not target.startswith(("int", "uint")):
        return
    if "nan" in data.traits or any(leaf is not None and "nan" in leaf.traits for leaf in leaves(data)):
        event.report(
            RULE,
            event.node,
            f"the data holds NaN, and {target} does not: an array gives some number, as -2147483648, a list raises; "
            f"replace NaN first",
        )
