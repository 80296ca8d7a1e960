"""A method writes a buffer of its object in place and hands that very buffer out."""

from __future__ import annotations

from ..flow import values as v
from ..flow.events import ClassEnd, Write, on
from ..flow.project import FunctionInfo
from ..flow.values import Region, Value
from ..model import Level, Rule

RULE = Rule(
    code="TCY103",
    name="internal-buffer-returned",
    level=Level.WARNING,
    summary="a method returns the object's own buffer, which the next call overwrites in the caller's hands",
)


@on("ClassEnd")
def returned_buffer(event: ClassEnd) -> None:
    """``self.buffer += ...; return self.buffer``: every result ever returned is the same memory."""
    info = event.info
    for attribute, returns in info.returned.items():
        for function, node, value in returns:
            if function is None or not _is_result(function, value, attribute):
                continue
            write = next(
                (w for f, w in info.written.get(attribute, ()) if f is not None and f.node is function.node and _is_direct(w)),
                None,
            )
            if write is None:
                continue
            event.report(
                RULE,
                node,
                f"returns the object's own buffer {attribute}, which {function.name}() overwrites at each call: results "
                f"that a caller keeps change under it; return a copy",
                related=((write.node, f"{attribute} is written in place here"),),
            )


def _is_result(function: FunctionInfo, value: Value, attribute: str) -> bool:
    if value.kind not in (v.TENSOR, v.ARRAY) or "inferred" in value.traits or value.is_part:
        return False
    if function.name.endswith("_") and not function.name.startswith("__"):
        return False
    if function.name in ("__init__", "__iadd__", "__isub__", "__imul__", "reset"):
        return False
    return all(region.kept == attribute and not _made_in(region, function) for region in value.regions)


def _is_direct(write: Write) -> bool:
    """Whether the buffer is written under its own name, not through an element or a view of it."""
    return write.how in ("augmented", "subscript") and not write.value.is_part and write.value.step is None


def _made_in(region: Region, function: FunctionInfo) -> bool:
    """Whether each call makes the memory anew."""
    line = getattr(region.node, "lineno", 0)
    return bool(function.node.lineno <= line <= (function.node.end_lineno or 0))
