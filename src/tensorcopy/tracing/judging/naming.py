"""What a copy is called in the field's words, from torch's name for it and from the call that made it."""

from __future__ import annotations

import ast
import linecache
import re
import sys
from contextlib import suppress
from itertools import islice
from types import FrameType
from typing import Any

from ..sites import OWN_FOLDER

_DEEP_COPY = 8
"""Within how many frames of a deep copy the memory itself is copied."""
_NOT_CALLS = frozenset(("return", "if", "for", "while", "in", "and", "or", "not", "assert", "with", "lambda", "print"))
_PLAIN = {
    "clone": ("clone", "deepcopy", "__deepcopy__", "copy", "new_tensor", "tensor"),
    "contiguous": ("contiguous", "reshape", "flatten", "ravel", "view_as_complex", "reshape_as", "unflatten"),
}
_CASTS = frozenset(
    [
        "to", "type", "type_as", "float", "double", "half", "bfloat16", "int", "long", "short", "char", "byte", "bool",
        "cpu", "cuda", "tensor", "as_tensor", "asarray", "sum", "mean",
    ]
)  # fmt: skip
_WRITES = frozenset(("copy_", "assignment", "load_state_dict", "_load_from_state_dict", "fill_", "set_data"))
_GIVEN = {
    "cat": "cat", "stack": "stack", "repeat": "repeat", "repeat_interleave": "repeat", "pin_memory": "transfer"
}  # fmt: skip
_SIGNS: dict[type[ast.AST], str] = {
    ast.MatMult: "matmul", ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow",
    ast.FloorDiv: "floor_divide", ast.Mod: "remainder",
}  # fmt: skip


def kind_of(operation: str, source: Any, result: Any, call: str) -> str:
    """The kind of a copy in the forward pass: ``clone``, ``cast``, ``transfer``, ``contiguous``, ``inside matmul``."""
    if operation == "to_copy":
        # torch hands over a number of Python as it is.
        kind = "transfer" if _device(source) not in (None, _device(result)) else "cast"
        return kind if not call or call in _CASTS else f"{kind} inside {call}"
    if operation in _GIVEN:
        return _GIVEN[operation] if not call or call.strip("_") in _GIVEN or _is_near(call) else f"inside {call}"
    if operation == "copy_" and call != "deepcopy":
        return "assignment" if not call or call in _WRITES else f"inside {call}"
    plain = next((kind for kind, calls in _PLAIN.items() if call in calls), None)
    return plain or (f"inside {call}" if call else "clone")


def _device(value: Any) -> Any:
    return getattr(value, "device", None)


def _is_near(call: str) -> bool:
    """Other names under which a concatenation goes."""
    return call in ("concat", "concatenate", "hstack", "vstack", "dstack", "tile", "pin_memory")


def kind_in_backward(node: str) -> str:
    """The same for a copy that a node of the graph makes: ``MaskedFillBackward0`` is the backward of masked_fill."""
    name = re.sub(r"Backward\d*$", "", node.rpartition("::")[2])
    return f"in backward of {re.sub(r'(?<=[a-z0-9])(?=[A-Z])', '_', name).lower()}"


def call_that_copies(depth: int = 1) -> str:
    """The name of the innermost call of Python, of the program or of a library, that is being carried out."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None and frame.f_code.co_filename.startswith(OWN_FOLDER):
        frame = frame.f_back
    name, outer = call_at(frame) if frame is not None else "", frame
    for _ in range(_DEEP_COPY):
        if outer is None or outer.f_code.co_name == "__deepcopy__":
            return name if outer is None else "deepcopy"
        outer = outer.f_back
    return name


def call_at(frame: FrameType) -> str:
    """The name of the call that *frame* is in; empty if its source can't tell."""
    text = _segment(frame)
    with suppress(SyntaxError, ValueError, RecursionError):
        statements = ast.parse(text.strip(), mode="exec").body
        return _name(statements[0]) if statements else ""
    calls = (name for name in re.findall(r"([A-Za-z_]\w*)\s*\(", text) if name not in _NOT_CALLS)
    return next(calls, "")


def _segment(frame: FrameType) -> str:
    """The source of the expression that *frame* is at, or of its line where Python doesn't know the columns."""
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
    if not hasattr(frame.f_code, "co_positions"):
        return line
    place = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
    first, last, start, end = place
    if first is None or last is None or start is None or end is None or last - first > 50:
        return line
    lines = [linecache.getline(frame.f_code.co_filename, n).encode() for n in range(first, last + 1)]
    if not lines:
        return line
    lines[-1] = lines[-1][:end]
    return b"".join([lines[0][start:], *lines[1:]]).decode(errors="replace")


def _name(node: ast.AST) -> str:
    match node:
        case ast.Expr(value=value) | ast.Return(value=ast.expr() as value) | ast.Await(value=value):
            return _name(value)
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return name
        case ast.BinOp(op=op) | ast.AugAssign(op=op):
            return _SIGNS.get(type(op), "")
        case ast.Assign(targets=[ast.Subscript()]) | ast.AnnAssign(target=ast.Subscript()):
            return "assignment"
        case ast.Assign(value=value):
            return _name(value)
        case ast.Subscript():
            # What is stored to, as the columns of the statement `x[i] = y` are those of its target.
            return "assignment"
    return ""
