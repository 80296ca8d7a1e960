"""A tensor is copied onto an overlapping part of itself."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Call, Write, on, on_call
from ..flow.places import inserted_after
from ..model import Fix, Level, Rule

RULE = Rule(
    code="TCY106",
    name="overlapping-copy",
    level=Level.ERROR,
    summary="a tensor is copied onto an overlapping part of itself, which gives unspecified values",
)


@on("Write")
def assigned(event: Write) -> None:
    """``t[1:] = t[:-1]``. NumPy buffers such copies, torch does not."""
    if event.how != "subscript" or event.value.kind != v.TENSOR:
        return
    statement = event.frame.unit.parents.get(event.node)
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Subscript):
        _compare(event, event.node, statement.value)


@on_call("torch.Tensor.copy_")
def copied(event: Call) -> None:
    """``t[1:].copy_(t[:-1])``."""
    func = event.node.func
    source = event.argument_node(0, "other")
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Subscript) and isinstance(source, ast.Subscript):
        _compare(event, func.value, source)


def _compare(event: Write | Call, target: ast.Subscript, source: ast.Subscript) -> None:
    if ast.dump(target.value).replace("Store", "Load") != ast.dump(source.value) or not _overlap(target.slice, source.slice):
        return
    event.report(
        RULE,
        event.node if isinstance(event, Call) else target,
        "source and target overlap in memory: torch copies element by element, so values already overwritten are read; "
        "copy from a clone()",
        fix=lambda lines: Fix(title="Copy from a clone", edits=(inserted_after(source, ".clone()", lines),), safe=True),
    )


def _overlap(a: ast.expr, b: ast.expr) -> bool:
    """Whether two indices differ in one dimension by slices that overlap, and agree in the others."""
    left = a.elts if isinstance(a, ast.Tuple) else [a]
    right = b.elts if isinstance(b, ast.Tuple) else [b]
    if len(left) != len(right):
        return False
    different = [(x, y) for x, y in zip(left, right, strict=True) if ast.dump(x) != ast.dump(y)]
    return len(different) == 1 and _slices_overlap(*different[0])


def _slices_overlap(a: ast.expr, b: ast.expr) -> bool:
    if not isinstance(a, ast.Slice) or not isinstance(b, ast.Slice) or a.step is not None or b.step is not None:
        return False
    first, second = _bounds(a), _bounds(b)
    if first is None or second is None:
        return False
    # One reaches the end of the dimension, the other all but some elements of it: they meet in the middle.
    open_ended = {_is_open(first), _is_open(second)}
    return open_ended == {"start", "end"} or _constants_overlap(first, second)


def _bounds(node: ast.Slice) -> tuple[int | None, int | None] | None:
    found: list[int | None] = []
    for part in (node.lower, node.upper):
        if part is None:
            found.append(None)
            continue
        try:
            number = ast.literal_eval(part)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return None
        if not isinstance(number, int):
            return None
        found.append(number)
    return found[0], found[1]


def _is_open(bounds: tuple[int | None, int | None]) -> str:
    lower, upper = bounds
    if upper is None and lower is not None and lower > 0:
        return "end"
    return "start" if lower in (None, 0) and upper is not None and upper < 0 else ""


def _constants_overlap(a: tuple[int | None, int | None], b: tuple[int | None, int | None]) -> bool:
    low_a, high_a = a[0] or 0, a[1]
    low_b, high_b = b[0] or 0, b[1]
    if min(low_a, low_b) < 0 or high_a is None or high_b is None or min(high_a, high_b) < 0:
        return False
    return low_a < high_b and low_b < high_a and (low_a, high_a) != (low_b, high_b)
