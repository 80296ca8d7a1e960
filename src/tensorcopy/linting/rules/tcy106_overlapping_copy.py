"""A tensor is copied or computed onto an overlapping part of itself."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Write, on
from ..flow.places import inserted_after
from ..flow.values import Value
from ..model import Fix, Level, Rule
from ._reading import written_expression

RULE = Rule(
    code="TCY106",
    name="overlapping-copy",
    level=Level.ERROR,
    summary="a tensor is written from an overlapping part of itself, which raises or gives wrong values",
)
_TURNING = frozenset((".T", ".mT", ".H", ".mH", "t", "transpose", "permute", "swapaxes", "swapdims", "movedim"))


@on("Write")
def overlapping(event: Write) -> None:
    """``t[1:] = t[:-1]``, ``t /= t[:, :1]``, ``t.copy_(t.T)``. NumPy buffers such operations, torch does not."""
    written = event.written
    if event.how not in ("subscript", "augmented", "method", "out") or written is None or _fills(event.node):
        return
    kinds = (v.TENSOR, v.UNKNOWN) if event.how == "method" else (v.TENSOR,)
    if event.value.kind != v.TENSOR or written.kind not in kinds or written.regions != event.value.regions:
        return
    if len(written.regions) != 1 or written.regions[0].many or written.traits & {"may copy", "on one branch"}:
        return
    node = written_expression(event.node)
    index, base = _target(event, node)
    if base is not None and _meets(index, base, written) and not (event.how == "augmented" and _may_be_array(event)):
        _report(event, node, written)


def _fills(node: ast.AST) -> bool:
    """``t.fill_(t[0])``: torch reads the one value before it writes."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "fill_"


def _may_be_array(event: Write) -> bool:
    return "inferred" in event.value.traits


def _target(event: Write, node: ast.AST) -> tuple[ast.expr | None, Value | None]:
    """The index that is written, and the value that is indexed; no index if all of it is written."""
    value = _named(event.value)
    if event.how == "subscript" and isinstance(node, ast.Subscript):
        return (None if _is_everything(node.slice) else node.slice), value
    step = value.step
    if step is None:
        return None, value
    if step.name == "[...]" and isinstance(step.node, ast.Subscript):
        return step.node.slice, _named(step.base)
    return None, value


def _named(value: Value) -> Value:
    """The value before it got another name."""
    while value.step is not None and value.step.name == "=":
        value = value.step.base
    return value


def _is_everything(index: ast.expr) -> bool:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(_is_full(p) or (isinstance(p, ast.Constant) and p.value is ...) for p in parts)


def _is_full(part: ast.expr) -> bool:
    return isinstance(part, ast.Slice) and part.lower is part.upper is part.step is None


def _meets(index: ast.expr | None, base: Value, written: Value) -> bool:
    """Whether what is read surely overlaps what is written, without being the same."""
    source = _named(written)
    step = source.step
    if step is None or not _is_same(_named(step.base), base):
        return False
    if step.name == "[...]" and isinstance(step.node, ast.Subscript):
        other = step.node.slice
        return not _is_everything(other) if index is None else _overlap(index, other)
    return index is None and step.name.partition("(")[0].removeprefix("torch.Tensor.") in _TURNING


def _is_same(a: Value, b: Value) -> bool:
    return a is b or (a.node is not None and a.node is b.node and a.step is b.step)


def _report(event: Write, node: ast.AST, written: Value) -> None:
    source = _read_expression(event.node, written)
    event.report(
        RULE,
        event.node if isinstance(event.node, ast.Call) else node,
        "what is read overlaps what is written: torch works element by element, so it raises, or reads values that it "
        "has already overwritten; read from a clone()",
        fix=lambda lines: (
            Fix(title="Read from a clone", edits=(inserted_after(source, ".clone()", lines),), safe=True)
            if source is not None
            else None
        ),
    )


def _read_expression(node: ast.AST, written: Value) -> ast.expr | None:
    """The place in the statement where the part is read, if it is read there."""
    made = written.node
    inside = made is not None and any(n is made for n in ast.walk(node))
    return made if inside and isinstance(made, ast.expr) else None


def _overlap(a: ast.expr, b: ast.expr) -> bool:
    """Whether two indices differ only by slices that overlap, and agree in the other dimensions."""
    left = a.elts if isinstance(a, ast.Tuple) else [a]
    right = b.elts if isinstance(b, ast.Tuple) else [b]
    if len(left) != len(right):
        return False
    different = [(x, y) for x, y in zip(left, right, strict=True) if ast.dump(x) != ast.dump(y)]
    return bool(different) and all(_slices_overlap(x, y) for x, y in different)


def _slices_overlap(a: ast.expr, b: ast.expr) -> bool:
    if not isinstance(a, ast.Slice) or not isinstance(b, ast.Slice) or a.step is not None or b.step is not None:
        return False
    if _is_shift(a, b) or _is_shift(b, a):
        return True
    first, second = _bounds(a), _bounds(b)
    return first is not None and second is not None and _constants_overlap(first, second)


def _is_shift(a: ast.Slice, b: ast.Slice) -> bool:
    """``[n:]`` and ``[:-n]``: one reaches the end, the other all but some elements of it. They meet in the middle."""
    starts = b.lower is None or (isinstance(b.lower, ast.Constant) and b.lower.value == 0)
    if a.lower is None or a.upper is not None or not starts or not isinstance(b.upper, ast.UnaryOp):
        return False
    return isinstance(b.upper.op, ast.USub) and not isinstance(a.lower, ast.UnaryOp)


def _bounds(node: ast.Slice) -> tuple[int, int] | None:
    """Two constant ends of a slice."""
    ends = [getattr(part, "value", None) for part in (node.lower or ast.Constant(0), node.upper)]
    return (ends[0], ends[1]) if isinstance(ends[0], int) and isinstance(ends[1], int) else None


def _constants_overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] < b[1] and b[0] < a[1]
