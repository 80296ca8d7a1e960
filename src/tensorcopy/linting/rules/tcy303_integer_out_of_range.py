"""Integers that the dtype cannot hold: torch and NumPy refuse them."""

from __future__ import annotations

import ast

from ..flow import dtypes
from ..flow import values as v
from ..flow.events import Call, Operator, on, on_call
from ..flow.values import Value
from ..model import Level, Rule
from ._data import FUNCTIONS, INTEGER_CLASSES, data_of, leaves

RULE = Rule(
    code="TCY303",
    name="integer-out-of-range",
    level=Level.ERROR,
    summary="an integer does not fit the dtype, and torch or NumPy raises",
)
RANGES = {
    "uint8": (0, 2**8 - 1),
    "uint16": (0, 2**16 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
}


@on_call(*FUNCTIONS, *INTEGER_CLASSES)
def given_to_torch(event: Call) -> None:
    """``torch.tensor([2**64])``, ``torch.tensor([300], dtype=torch.uint8)``."""
    data = data_of(event)
    if data is None or (event.name in INTEGER_CLASSES and data.kind in v.NUMBERS):
        return
    asked = INTEGER_CLASSES.get(event.name) or dtypes.asked_for(event.args[1:], event.keywords)
    found = list(leaves(data))
    if not asked and ("dtype" in event.keywords or any(leaf is None or leaf.kind != v.INT for leaf in found)):
        return
    _check(event, asked or "int64", found, below=not asked.startswith("uint"))


@on_call("torch.full")
def filled(event: Call) -> None:
    """``torch.full((2,), 300, dtype=torch.uint8)``."""
    asked = dtypes.asked_for([], event.keywords)
    if "dtype" not in event.keywords or asked:
        _check(event, asked or "int64", [event.argument(1, "fill_value")], below=not asked.startswith("uint"))


@on_call("numpy.array", "numpy.asarray")
def given_to_numpy(event: Call) -> None:
    """``np.array([300], dtype=np.uint8)``, which NumPy 2 refuses and NumPy 1 wraps."""
    asked = dtypes.asked_for(event.args[1:], event.keywords)
    if asked:
        _check(event, asked, list(leaves(event.argument(0, "object"))), below=True)


@on("Operator")
def operand(event: Operator) -> None:
    """``image + 300`` for an array of uint8: NumPy 2 refuses the number."""
    if not isinstance(event.node, ast.BinOp):
        return
    for array, number in ((event.left, event.right), (event.right, event.left)):
        if array is None or array.kind != v.ARRAY or array.dtype not in RANGES or number is None:
            continue
        if number.kind == v.INT and isinstance(number.const, int) and not _fits(number.const, array.dtype):
            event.report(
                RULE,
                event.node,
                f"{number.const} does not fit the {array.dtype} of the array: NumPy 2 raises OverflowError",
            )


def _check(event: Call, dtype: str, found: list[Value | None], *, below: bool) -> None:
    if dtype not in RANGES:
        return
    for leaf in found:
        if leaf is None or leaf.kind != v.INT or not isinstance(leaf.const, int):
            continue
        if not _fits(leaf.const, dtype) and (below or leaf.const > 0):
            event.report(RULE, event.node, f"{leaf.const} does not fit {dtype}: {event.name}() raises")
            return


def _fits(number: int, dtype: str) -> bool:
    low, high = RANGES[dtype]
    return low <= number <= high
