"""The argument positions that an entry names are those at which its examples have the source and the destination."""

from __future__ import annotations

import ast

from tensorcopy.catalogue import Operation, Style

from .measuring import ENTRIES, cells, of

LIBRARIES = {"torch", "np", "nn", "copy", "pickle", "data", "io"}
CALLS = [op for op in ENTRIES if op.call.style is Style.CALL and "pickle" not in op.name]


def arguments(call: ast.Call) -> dict[int | str, str]:
    """What stands at each position and keyword, as text; the receiver of a method is at 0."""
    receiver = [] if of_a_library(call.func) else [call.func.value]
    placed = [*receiver, *call.args]
    return {i: ast.unparse(a) for i, a in enumerate(placed)} | {k.arg: ast.unparse(k.value) for k in call.keywords}


def of_a_library(function: ast.expr) -> bool:
    while isinstance(function, ast.Attribute):
        function = function.value
    return isinstance(function, ast.Name) and (function.id in LIBRARIES or function.id not in {"x", "dst", "m", "rng"})


def calls_in(op: Operation, example: str) -> list[ast.Call]:
    """The calls in *example* that carry the last word of a name of the entry."""
    words = {name.rsplit(".", 1)[-1] for name in op.call.names}
    found = [n for n in ast.walk(ast.parse(example)) if isinstance(n, ast.Call)]
    return [n for n in found if getattr(n.func, "attr", getattr(n.func, "id", "")) in words]


def names_in(text: str) -> set[str]:
    return {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}


@of(lambda op: op in CALLS)
def test_the_source_stands_where_the_entry_says(op):
    placed = [arguments(c).get(op.call.source, "") for e in op.examples for c in calls_in(op, e)]
    assert [text for text in placed if not names_in(text) & {"x", "left", "path", "buffer"}] == []


@of(lambda op: op in CALLS and op.writes)
def test_what_is_written_stands_where_the_entry_says(op):
    changed = {"x" if c.changed_source else "dst" for c in cells(op.name) if c.changed_source or c.changed_target}
    placed = [arguments(c).get(p, "") for e in op.examples for c in calls_in(op, e) for p in op.call.writes_to]
    assert [text for text in placed if not names_in(text) & (changed | {"m"})] == []


@of(lambda op: op in CALLS)
def test_a_sequence_of_sources_is_told_from_a_source(op):
    placed = [arguments(c).get(op.call.source, "") for e in op.examples for c in calls_in(op, e)]
    nested = {isinstance(ast.parse(text).body[0].value, ast.List | ast.Tuple) for text in placed if text}
    assert op.call.in_sequence in nested or not nested
