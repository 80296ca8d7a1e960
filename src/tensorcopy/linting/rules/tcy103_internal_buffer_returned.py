"""A method writes a buffer of its object in place and hands that very buffer out."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import ClassEnd, Write, on
from ..flow.project import ClassInfo, FunctionInfo
from ..flow.values import Region, Value
from ..model import Level, Rule
from ._keeping import keeper_of
from ._reading import contains, is_whole_write

RULE = Rule(
    code="TCY103",
    name="internal-buffer-returned",
    level=Level.WARNING,
    summary="a method returns the object's own buffer, which the next call overwrites in the caller's hands",
)
_NOT_RESULTS = frozenset(("__init__", "__iadd__", "__isub__", "__imul__", "__itruediv__", "reset"))


@on("ClassEnd")
def returned_buffer(event: ClassEnd) -> None:
    """``self.buffer += ...; return self.buffer``: every result ever returned is the same memory."""
    for attribute, returns in event.info.returned.items():
        held = event.info.attribute(attribute)
        if held is not None and held.kind not in (*v.NUMERIC, v.UNKNOWN):
            continue
        for function, node, value in returns:
            write = _write_by(event.info, function, attribute, node) if function is not None else None
            if function is None or write is None or not _is_result(function, value, attribute, write):
                continue
            keeper = keeper_of(event.frame.unit, function.node)
            written = (write.node, f"{attribute} is written in place here")
            event.report(
                RULE,
                _handed_out(event.info, value, attribute) or node,
                f"returns the object's own buffer {attribute}, which {function.name}() overwrites at each call: "
                f"results that a caller keeps change under it; return a copy",
                related=(written,) if keeper is None else (written, (keeper, "a result is kept here")),
                level=Level.NOTE if keeper is None else None,
            )


def _write_by(info: ClassInfo, function: FunctionInfo, attribute: str, node: ast.AST) -> Write | None:
    """Where a method writes the whole buffer, or the very part that it returns, under its own name."""
    writes = (w for f, w in info.written.get(attribute, ()) if f is not None and f.node is function.node)
    own = [w for w in writes if all(s.name == "=" for s in w.value.steps())]
    return next((w for w in own if is_whole_write(w) or _is_same_part(w.node, getattr(node, "value", None))), None)


def _is_same_part(written: ast.AST, returned: ast.expr | None) -> bool:
    """``self.buffer[:n] = x``, and ``return self.buffer[:n]``: from the start, so that two calls overlap."""
    part = returned.slice if isinstance(returned, ast.Subscript) else None
    if not isinstance(part, ast.Slice) or not isinstance(written, ast.Subscript):
        return False
    return part.lower is None and ast.unparse(written) == ast.unparse(returned)  # type: ignore[arg-type]


def _is_result(function: FunctionInfo, value: Value, attribute: str, write: Write) -> bool:
    if value.kind not in v.NUMERIC or "inferred" in value.traits or (value.is_part and is_whole_write(write)):
        return False
    if function.name in _NOT_RESULTS or (function.name.endswith("_") and not function.name.startswith("__")):
        return False
    return all(region.kept == attribute and not _is_made_by(function, region) for region in value.regions)


def _is_made_by(function: FunctionInfo, region: Region) -> bool:
    """Whether each call makes the memory anew."""
    return region.node is not None and contains(function.node, region.node)


def _handed_out(info: ClassInfo, value: Value, attribute: str) -> ast.AST | None:
    """The return of the getter through which the buffer reaches the caller."""
    getter = value.step.name.removesuffix("()") if value.step is not None else ""
    returns = info.returned.get(attribute, ())
    return next((node for f, node, _ in returns if f is not None and f.name == getter), None)
