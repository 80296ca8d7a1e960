"""``repeat`` along a dimension of size one, where a view would do."""

from __future__ import annotations

import ast

from ..flow.events import Call, on_call
from ..flow.places import replaced
from ..model import Fix, Level, Rule
from ._uses import is_only_read

RULE = Rule(
    code="TCY403",
    name="repeat-for-expand",
    level=Level.WARNING,
    summary="repeat copies along a dimension of size one, and the result is only read",
)


@on_call("torch.Tensor.repeat")
def repeated(event: Call) -> None:
    """``x[None].repeat(n, 1, 1)``, of which nothing but arithmetic is made."""
    func, counts = event.node.func, event.node.args
    if not isinstance(func, ast.Attribute) or event.node.keywords or any(isinstance(c, ast.Starred) for c in counts):
        return
    several = {i for i, count in enumerate(counts) if not _is_one(count)}
    single = {p % len(counts) for p in _single_dimensions(func.value) if -len(counts) <= p < len(counts)}
    if not several or not several <= single or not is_only_read(event.frame, event.node):
        return
    sizes = ", ".join(ast.unparse(c) if i in several else "-1" for i, c in enumerate(counts))
    event.report(
        RULE,
        event.node,
        f"repeat() copies the tensor {_times(counts, several)} times along a dimension of size one, and the copies "
        "are only read: expand() gives the same values as a view, without copying",
        fix=lambda lines: Fix(
            title="use expand()",
            edits=(replaced(event.node, f"{ast.unparse(func.value)}.expand({sizes})", lines),),
            safe=False,
        ),
        level=Level.NOTE if _runs_once(event) else None,
    )


def _runs_once(event: Call) -> bool:
    """Whether a constructor does it, outside of loops."""
    function = event.frame.function
    return function is not None and function.name == "__init__" and event.frame.loop is None


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1


def _times(counts: list[ast.expr], several: set[int]) -> str:
    return " x ".join(ast.unparse(counts[i]) for i in sorted(several))


def _single_dimensions(node: ast.expr) -> set[int]:
    """The dimensions that the expression shows to be of size one, counted from the front, or negative from the back."""
    if isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        kept = [p for p in parts if not isinstance(p, ast.Constant) or p.value is None]
        plain = all(isinstance(p, (ast.Constant, ast.Slice)) for p in kept)
        return {i for i, p in enumerate(kept) if isinstance(p, ast.Constant)} if plain else set()
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return set()
    if node.func.attr == "unsqueeze" and len(node.args) == 1:
        place = _number(node.args[0])
        return set() if place is None else {place, *_shifted(_single_dimensions(node.func.value), place)}
    made = node.func.attr in ("zeros", "ones", "rand", "randn", "empty")
    if made or node.func.attr in ("view", "reshape"):
        return {i for i, size in enumerate(node.args) if _is_one(size)}
    return set()


def _shifted(dimensions: set[int], place: int) -> set[int]:
    """The dimensions after one more has been put in at *place*."""
    if place < 0:
        return {d for d in dimensions if d >= 0}
    return {d + 1 if 0 <= place <= d else d for d in dimensions if d >= 0}


def _number(node: ast.expr) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None
