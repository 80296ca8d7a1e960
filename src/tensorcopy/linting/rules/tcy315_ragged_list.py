"""A nested list whose rows differ in length: neither library makes a tensor or an array of it."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Call, on_call
from ..flow.values import Value
from ..model import Level, Rule

RULE = Rule(
    code="TCY315",
    name="ragged-list",
    level=Level.ERROR,
    summary="the rows of a nested list differ in length, which raises ValueError",
)


@on_call("torch.tensor", "torch.as_tensor", "torch.Tensor", "torch.FloatTensor", "torch.LongTensor", "numpy.array")
def converted(event: Call) -> None:
    """``torch.tensor([[1, 2], [3]])``."""
    data = event.argument(0, "data")
    lengths = _lengths(data)
    if len(set(lengths)) < 2 or "dtype" in event.keywords:
        return
    at = next(i for i, n in enumerate(lengths) if n != lengths[0])
    event.report(
        RULE,
        event.node,
        f"the rows differ in length: {lengths[0]} at [0] and {lengths[at]} at [{at}], so this raises ValueError; pad "
        f"them, or keep a list of tensors",
    )


def _lengths(data: Value | None) -> list[int]:
    """The lengths of the rows, where every row is a list whose elements are all known numbers."""
    if data is None or not _is_written_out(data):
        return []
    return [len(row.items) for row in data.items] if all(map(_is_row, data.items)) else []


def _is_written_out(data: Value) -> bool:
    """Whether a list holds what is written between its brackets, and nothing else."""
    node, items = data.node, data.items
    if not isinstance(node, (ast.List, ast.Tuple)) or not isinstance(items, list):
        return False
    return len(node.elts) == len(items) and not any(isinstance(e, ast.Starred) for e in node.elts)


def _is_row(row: Value | None) -> bool:
    if row is None or row.kind not in (v.LIST, v.TUPLE) or not _is_written_out(row):
        return False
    return all(i is not None and i.kind in v.NUMBERS for i in row.items)
