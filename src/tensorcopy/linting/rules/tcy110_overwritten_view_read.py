"""A part is kept by reference, its place overwritten, and the kept part read."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Stale, on
from ..flow.places import inserted_after
from ..model import Fix, Level, Rule
from ._reading import source_of

RULE = Rule(
    code="TCY110",
    name="overwritten-view-read",
    level=Level.ERROR,
    summary="a view was kept, its place in the source overwritten, and the view read: it shows the new values",
)


@on("Stale")
def swapped(event: Stale) -> None:
    """``tmp = x[i]; x[i] = x[j]; x[j] = tmp``: tmp is x[i], so both end up equal."""
    write, value = event.write, event.value
    step = value.step
    if step is not None and step.name == "=":
        step = step.base.step
    if event.relation not in ("snapshot", "sibling") or write.how != "subscript" or step is None or step.name != "[...]":
        return
    view, target = step.node, write.node
    if not isinstance(view, ast.Subscript) or not isinstance(target, ast.Subscript):
        return
    if source_of(event.frame, view) != source_of(event.frame, target) or not _is_view(value, view):
        return
    if any(r.many for r in value.regions) or _rebound_between(event, view, target):
        return
    suffix = ".copy()" if value.kind == v.ARRAY else ".clone()"
    event.report(
        RULE,
        view,
        f"{source_of(event.frame, view)} is a view: it is overwritten before what was kept of it is read, so the old values "
        f"are lost; keep {source_of(event.frame, view)}{suffix}",
        related=((target, "overwritten here"), (event.node, "and read here, with the new values")),
        fix=lambda lines: Fix(title="Keep a copy", edits=(inserted_after(view, suffix, lines),), safe=value.kind != v.UNKNOWN),
    )


def _is_view(value: v.Value, view: ast.Subscript) -> bool:
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
    for node in ast.walk(event.frame.function.node if event.frame.function is not None else event.frame.unit.tree):
        if isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Store) and first < node.lineno <= last:
            return True
    return False
