"""Numbers written in the program that the floating dtype of their tensor cannot hold: they merge, or become inf."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable

from ..flow import dtypes
from ..flow import values as v
from ..flow.events import Call, on_call
from ..flow.values import Value
from ..model import Level, Rule
from ._data import FLOAT_CLASSES, FUNCTIONS, data_of, leaves

RULE = Rule(
    code="TCY317",
    name="digits-lost",
    level=Level.WARNING,
    summary="numbers that differ become one in float32, were rounded to it before float64, or are inf in float16",
)
_LARGEST_HALF = 65504.0
_DEFAULTS = ("set_default_dtype", "set_default_tensor_type")


@on_call(*FUNCTIONS, *FLOAT_CLASSES)
def written(event: Call) -> None:
    """``torch.tensor([1700000000.25, 1700000001.25])``."""
    found = list(leaves(data_of(event)))
    floats = any(leaf is not None and leaf.kind == v.FLOAT for leaf in found)
    asked = dtypes.asked_for(event.args[1:], event.keywords)
    if not floats or ("dtype" in event.keywords and not asked) or event.frame.unit.says(*_DEFAULTS):
        return
    if asked in ("", "float32") and (pair := _merged(found)) is not None:
        event.report(
            RULE,
            event.node,
            f"{pair[0]!r} and {pair[1]!r} become the same number in float32, the default: give dtype=torch.float64, or "
            f"take the difference from the first one before",
        )
    elif asked == "float16" and any(map(_is_past_half, found)):
        _tell_half(event)


@on_call("torch.Tensor.half", "torch.Tensor.to", "torch.Tensor.type")
def halved(event: Call) -> None:
    """``torch.tensor([70000.0]).half()``."""
    if event.receiver is None or event.result is None:
        return
    if event.result.dtype == "float16" and "past float16" in event.receiver.traits:
        _tell_half(event)


@on_call("torch.Tensor.double", "torch.Tensor.to", "torch.Tensor.type")
def widened(event: Call) -> None:
    """``torch.tensor([0.1]).double()``."""
    source, result = event.receiver, event.result
    if source is None or result is None or result.dtype != "float64" or "rounded" not in source.traits:
        return
    if not event.frame.unit.says(*_DEFAULTS):
        event.report(
            RULE,
            event.node,
            "the numbers were rounded to float32, the default, when the tensor was made: float64 does not bring their "
            "digits back; give dtype=torch.float64 there",
        )


def _tell_half(event: Call) -> None:
    event.report(
        RULE,
        event.node,
        f"the largest float16 is {_LARGEST_HALF:.0f}, and a number here is larger: it becomes inf; use bfloat16 or "
        f"float32, or scale it first",
    )


def _is_past_half(leaf: Value | None) -> bool:
    number = leaf.const if leaf is not None else None
    return isinstance(number, (int, float)) and math.isfinite(number) and abs(number) >= 65520


def _merged(found: Iterable[Value | None]) -> tuple[float, float] | None:
    """Two different numbers that are one in float32."""
    seen: dict[float, float] = {}
    for leaf in found:
        number = leaf.const if leaf is not None else None
        if not isinstance(number, (int, float)) or isinstance(number, bool) or not abs(number) < 3e38:
            continue
        rounded = struct.unpack("f", struct.pack("f", number))[0]
        if seen.setdefault(rounded, number) != number and rounded:
            return seen[rounded], number
    return None
