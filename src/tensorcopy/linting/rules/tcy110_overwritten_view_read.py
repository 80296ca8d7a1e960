"""A part is kept by reference, its place overwritten, and the kept part read."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Stale, Write, on
from ..flow.places import inserted_after
from ..flow.values import Value
from ..model import Fix, Level, Rule
from ._reading import body_of, position, source_of, written_expression

RULE = Rule(
    code="TCY110",
    name="overwritten-view-read",
    level=Level.ERROR,
    summary="a view was kept, its place in the source overwritten, and the view read: it shows the new values",
)


@on("Stale")
def swapped(event: Stale) -> None:
    """``tmp = x[i]; x[i] = x[j]; x[j] = tmp``: tmp is x[i], so both end up equal."""
    view, target = _kept(event.value), _overwritten(event.write)
    if event.relation == "source" or view is None or target is None:
        return
    if ast.unparse(view) != ast.unparse(target) or not _is_view(event.value, view):
        return
    if any(region.many for region in event.value.regions) or _rebound_between(event, view, target):
        return
    if _is_copied_by_then(event, target):
        return
    text = source_of(event.frame, view)
    suffix = ".copy()" if event.value.kind == v.ARRAY else ".clone()"
    event.report(
        RULE,
        view,
        f"{text} is a view: it is overwritten before what was kept of it is read, so the old values are lost; "
        f"keep {text}{suffix}",
        related=((target, "overwritten here"), (event.node, "and read here, with the new values")),
        fix=lambda lines: Fix(
            title="Keep a copy",
            edits=(inserted_after(view, suffix, lines),),
            safe=event.value.kind in v.NUMERIC and "inferred" not in event.value.traits,
        ),
    )


def _is_copied_by_then(event: Stale, target: ast.Subscript) -> bool:
    """``inner = x[1:]; x[1:] = costs; kept = inner.copy()``: a window on what is written, and then a copy of it."""
    name = getattr(event.node, "id", None)
    names = [n for n in ast.walk(body_of(event.frame)) if isinstance(n, ast.Name) and n.id == name]
    later = [n for n in names if position(n) > position(target)]
    around = event.frame.unit.parents.get(min(later, key=position)) if later else None
    return isinstance(around, ast.Attribute) and around.attr in ("copy", "clone")


def _kept(value: Value) -> ast.Subscript | None:
    """The index by which a part was taken, be it under another name since."""
    step = value.step
    if step is not None and step.name == "=":
        step = step.base.step
    node = step.node if step is not None and step.name == "[...]" else None
    return node if isinstance(node, ast.Subscript) else None


def _overwritten(write: Write) -> ast.Subscript | None:
    """The index that is written: ``x[0] = y``, ``x[0] += 1``, ``x[0].copy_(y)``."""
    target = written_expression(write.node) if write.how in ("subscript", "augmented", "method") else None
    return target if isinstance(target, ast.Subscript) else None


def _is_view(value: Value, view: ast.Subscript) -> bool:
    """Basic indexing gives a view; one integer into a NumPy array may give a number, and slices of lists are copies."""
    if "may copy" in value.traits:
        return False
    if value.kind == v.TENSOR:
        return True
    wide = isinstance(view.slice, ast.Tuple) or (isinstance(view.slice, ast.Slice) and value.kind == v.ARRAY)
    return wide and (value.kind == v.ARRAY or _has_slice(view.slice))


def _has_slice(node: ast.expr) -> bool:
    return isinstance(node, ast.Tuple) and any(isinstance(e, ast.Slice) for e in node.elts)


def _rebound_between(event: Stale, view: ast.AST, target: ast.AST) -> bool:
    """Whether a variable in the index has another value at the write than it had at the view."""
    names = {n.id for n in ast.walk(view) if isinstance(n, ast.Name)}
    first, last = getattr(view, "lineno", 0), getattr(target, "lineno", 0)
    if last < first:
        return True
    stores = (n for n in ast.walk(body_of(event.frame)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return any(n.id in names and first < n.lineno <= last for n in stores)
