"""Whether integers that float32 cannot hold are in sight."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..flow.frame import Frame
from ..flow.project import Unit
from ..flow.walking import walk

_EXACT = 2**24


def holds_large_integers(frame: Frame) -> bool:
    """Whether integers above 2**24 are written or made in the file: literals, powers, hashes, times."""
    known: bool | None = frame.unit.remembered.get("large integers")
    if known is None:
        known = frame.unit.remembered["large integers"] = any(_large(frame.unit))
    return known


def _large(unit: Unit) -> Iterator[bool]:
    for node in walk(unit.tree):
        if isinstance(node, ast.Constant):
            yield type(node.value) is int and node.value > _EXACT
        elif isinstance(node, ast.BinOp):
            yield _is_large_result(node)
        elif isinstance(node, ast.Call):
            yield _called(node.func) in ("hash", "time_ns", "getrandbits", "data_ptr") or _is_large_float(node)


def _is_large_result(node: ast.BinOp) -> bool:
    """``2**24``, ``1 << 30``, ``100_000 * 1_000``."""
    left, right = (n.value if isinstance(n, ast.Constant) else None for n in (node.left, node.right))
    if type(left) is not int or type(right) is not int:
        return False
    if isinstance(node.op, ast.Pow):
        return left >= 2 and right >= 24
    if isinstance(node.op, ast.LShift):
        return left >= 1 and right >= 24
    return isinstance(node.op, ast.Mult) and left * right > _EXACT


def _is_large_float(call: ast.Call) -> bool:
    """``int(1e9)``."""
    given = call.args[0] if call.args and _called(call.func) == "int" else None
    return isinstance(given, ast.Constant) and isinstance(given.value, float) and given.value > _EXACT


def _called(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
