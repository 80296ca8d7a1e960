"""Questions that several rules ask of a function's text: what is read later, what a function means to do."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..flow.events import Write
from ..flow.frame import Frame
from ..flow.walking import Parents, walk


def position(node: Any) -> tuple[int, int]:
    """Where a node starts."""
    return node.lineno, node.col_offset


def body_of(frame: Frame) -> ast.AST:
    """The function that is followed, or the whole file."""
    return frame.function.node if frame.function is not None else frame.unit.tree


def is_read_after(frame: Frame, name: str, node: Any) -> bool:
    """Whether *name* is used behind *node* for more than being written into."""
    end = (node.end_lineno, node.end_col_offset)
    parents = frame.unit.parents
    for found in walk(body_of(frame)):
        if not isinstance(found, ast.Name) or found.id != name or not isinstance(found.ctx, ast.Load):
            continue
        if position(found) >= end and not _only_written(found, parents):
            return True
    return False


def _only_written(name: ast.AST, parents: Parents) -> bool:
    """Whether the name is only the base of a target: ``name[...] = ...``."""
    parent = parents.get(name)
    while isinstance(parent, (ast.Subscript, ast.Attribute)):
        if isinstance(parent.ctx, (ast.Store, ast.Del)):
            return True
        name, parent = parent, parents.get(parent)
    return False


def is_written_under(frame: Frame, name: str) -> bool:
    """Whether the function writes into *name* by an index or in place as well, under that very name."""
    for node in walk(body_of(frame)):
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load) and _is_called(node.value, name):
            return True
        if isinstance(node, ast.AugAssign) and _is_called(node.target, name):
            return True
    return False


def _is_called(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def statement_of(frame: Frame, node: ast.AST) -> ast.stmt | None:
    """The statement that *node* is part of."""
    parents = frame.unit.parents
    current: ast.AST | None = node
    while current is not None and not isinstance(current, ast.stmt):
        current = parents.get(current)
    return current


def ancestors(frame: Frame, node: ast.AST) -> Iterator[ast.AST]:
    """What *node* is inside of, the nearest first, up to the function around it."""
    current = frame.unit.parents.get(node)
    while current is not None and not isinstance(
        current, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
    ):
        yield current
        current = frame.unit.parents.get(current)


def means_to_write(frame: Frame) -> bool:
    """Whether the function says that it works in place: by its name, a parameter, or its docstring."""
    if frame.function is None:
        return False
    node, name = frame.function.node, frame.function.name
    if name.endswith("_") and not name.endswith("__"):
        return True
    if any(
        word in name
        for word in (
            "inplace",
            "in_place",
            "_fill",
            "fill_",
            "update",
            "init_",
            "reset",
            "assign",
            "set_",
            "copy_to",
            "scatter",
        )
    ):
        return True
    parameters = {a.arg for a in (*node.args.args, *node.args.kwonlyargs)}
    if parameters & {"out", "overwrite", "copy"} or any("inplace" in p.replace("_", "") for p in parameters):
        return True
    text = ast.get_docstring(node, clean=False) if not isinstance(node, ast.Lambda) else None
    return text is not None and any(
        word in text.lower() for word in ("in-place", "in place", "inplace", "modif", "mutat")
    )


def only_where_it_converts(frame: Frame, node: ast.AST) -> bool:
    """Whether a conversion stands under a test that dtype or device differ, so that it always copies."""
    child, target = node, _dtype_asked(node)
    for outer in ancestors(frame, node):
        if isinstance(outer, ast.If) and _converts_where(outer, child, target):
            return True
        child = outer
    return False


def _converts_where(branch: ast.If, child: ast.AST, target: str) -> bool:
    """Whether the side of the branch that *child* is on is reached only by what is not *target* yet."""
    if child in branch.body:
        return _asks_for_difference(branch.test) or _is_of_other_dtype(branch.test, target)
    return child in branch.orelse and _compared_dtype(branch.test) == target != ""


_SAME_DTYPE = {"float": "float32", "double": "float64", "half": "float16", "long": "int64", "int": "int32"}


def _dtype_asked(node: ast.AST) -> str:
    """The dtype that a conversion asks for: of ``x.float()``, ``x.to(torch.float)``, ``x.astype(np.float32)``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return ""
    if node.func.attr in _SAME_DTYPE:
        return _SAME_DTYPE[node.func.attr]
    given = [*node.args, *(k.value for k in node.keywords if k.arg == "dtype")]
    return next((d for d in map(_dtype_named, given) if d), "")


def _dtype_named(node: ast.AST) -> str:
    name = node.attr if isinstance(node, ast.Attribute) else ""
    name = name.removesuffix("Tensor").lower()
    is_dtype = name.rstrip("0123456789") in ("float", "bfloat", "double", "half", "int", "uint", "long", "bool")
    return _SAME_DTYPE.get(name, name) if is_dtype else ""


def _compared_dtype(test: ast.expr) -> str:
    """D of ``x.dtype == D``."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], (ast.Eq, ast.Is)):
        return ""
    sides = [test.left, *test.comparators]
    asked = any(isinstance(s, ast.Attribute) and s.attr == "dtype" for s in sides)
    return next((d for d in map(_dtype_named, sides) if d), "") if asked else ""


def _is_of_other_dtype(test: ast.expr, target: str) -> bool:
    """``if x.dtype == torch.uint8: x = x.float()``: another dtype than the one that is asked for."""
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    return bool(target) and any(_compared_dtype(part) not in ("", target) for part in parts)


def converts_bytes(write: ast.AST, conversion: ast.AST) -> bool:
    """``x = x.float(); x /= 255``: the values were bytes, which a conversion to floats always copies."""
    if not isinstance(conversion, ast.Call) or any(k.arg == "copy" for k in conversion.keywords):
        return False
    if not _dtype_asked(conversion).startswith(("float", "bfloat")):
        return False
    if isinstance(write, ast.AugAssign):
        factor: ast.AST | None = write.value
    else:
        scales = isinstance(write, ast.Call) and getattr(write.func, "attr", "") in ("div_", "mul_")
        factor = write.args[0] if scales and isinstance(write, ast.Call) and write.args else None
    return factor is not None and any(isinstance(n, ast.Constant) and n.value == 255 for n in ast.walk(factor))


def _asks_for_difference(test: ast.expr) -> bool:
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    for part in parts:
        if isinstance(part, ast.Compare) and isinstance(part.ops[0], (ast.NotEq, ast.IsNot)):
            sides = [part.left, *part.comparators]
            if any(isinstance(s, ast.Attribute) and s.attr in ("dtype", "device") for s in sides):
                return True
    return False


def source_of(frame: Frame, node: ast.AST) -> str:
    """The text of a node on one line, shortened."""
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 50 else text[:47] + "..."


def written_name(target: Any) -> str:
    """The variable through which a write goes: x of ``x[...] = ``, ``x += ``, ``x.add_()``."""
    if isinstance(target, ast.AugAssign):
        target = target.target
    if isinstance(target, ast.Call):
        out = next((k.value for k in target.keywords if k.arg == "out"), None)
        target = out or (target.func.value if isinstance(target.func, ast.Attribute) else target)
    while isinstance(target, (ast.Subscript, ast.Attribute)):
        target = target.value
    return target.id if isinstance(target, ast.Name) else ""


def written_expression(node: ast.AST) -> ast.AST:
    """The expression that a write goes through: ``x[i]`` of ``x[i] = y``, x of ``x += y`` and of ``x.add_()``."""
    if isinstance(node, ast.AugAssign):
        return node.target
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.value
    return node


def reaches(node: ast.AST, holder: ast.AST) -> bool:
    """Whether *node* is reached from *holder* by indices and attributes: ``rows[0].x`` from ``rows``."""
    text = ast.dump(holder).replace("Store()", "Load()")
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
        if ast.dump(node) == text:
            return True
    return False


def contains(outer: Any, node: Any) -> bool:
    """Whether *node* stands inside *outer* in the text."""
    return bool(position(outer) <= position(node) < (outer.end_lineno, outer.end_col_offset))


def is_whole_write(write: Write) -> bool:
    """Whether a write in this function goes to all of its target, or to fixed places of it: no index that moves on."""
    if write.value.is_part or write.how not in ("augmented", "subscript", "method", "out"):
        return False
    target = written_expression(write.node)
    return write.how in ("method", "out") or is_at_fixed_place(target)


def is_at_fixed_place(target: ast.AST) -> bool:
    """Whether no index of *target* moves on: ``x``, ``x[0, 1:]``, ``x[-1]``."""
    if not isinstance(target, ast.Subscript):
        return True
    indices = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
    return all(_is_fixed(i) for i in indices)


def _is_fixed(index: ast.expr) -> bool:
    if isinstance(index, ast.UnaryOp):
        return isinstance(index.operand, ast.Constant)
    if isinstance(index, ast.Slice):
        return all(part is None or isinstance(part, ast.Constant) for part in (index.lower, index.upper, index.step))
    return isinstance(index, ast.Constant)
