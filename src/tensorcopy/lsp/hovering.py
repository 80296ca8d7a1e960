"""Which operation of the catalogue stands under the cursor, and what there is to say about it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..catalogue import Operation, find, for_call
from ..linting.reading import UnreadableError, parse
from ..reporting import render
from ..reporting.operations import operation_report


@dataclass(frozen=True, slots=True, kw_only=True)
class Hovered:
    """The name of an operation, where it stands, and its page in Markdown. Line and columns count from 1."""

    line: int
    column: int
    end_column: int
    name: str
    page: str


def hovered(text: str, line: int, column: int) -> Hovered | None:
    """What is known of the operation at a place; None where there is none, or the text is not Python."""
    try:
        tree = parse(text, "hover")
    except UnreadableError:
        return None
    source = text.split("\n")
    for node in _named(tree, line):
        start, end = _name_columns(node, source)
        if start <= column <= end:
            return _known(node, _aliases(tree), line, start, end)
    return None


def _named(tree: ast.Module, line: int) -> Iterator[ast.Attribute | ast.Name]:
    """The names that end on a line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name) and node.end_lineno == line:
            yield node


def _name_columns(node: ast.Attribute | ast.Name, source: Sequence[str]) -> tuple[int, int]:
    """From which column to which the last word of a name stands, counted in characters from 1."""
    word = node.attr if isinstance(node, ast.Attribute) else node.id
    assert node.end_lineno is not None
    end = len(source[node.end_lineno - 1].encode()[: node.end_col_offset].decode(errors="ignore")) + 1
    return end - len(word), end


def _known(
    node: ast.Attribute | ast.Name, aliases: Mapping[str, str], line: int, start: int, end: int
) -> Hovered | None:
    name = _qualified(node, aliases)
    found = _operations(node, name)
    if not found:
        return None
    page = render(operation_report(found, name, releases={}), "markdown")
    return Hovered(line=line, column=start, end_column=end, name=name, page=page)


def _operations(node: ast.Attribute | ast.Name, name: str) -> tuple[Operation, ...]:
    """The entries for a function by its full name, or for a method by its own."""
    if not name.startswith("x."):
        return for_call(name)
    assert isinstance(node, ast.Attribute)
    return tuple(op for op in find(name) if any(call.rpartition(".")[2] == node.attr for call in op.call.names))


def _qualified(node: ast.expr, aliases: Mapping[str, str]) -> str:
    """The full name of a function, or ``x.name`` for a method of some object."""
    parts: list[str] = []
    inner = node
    while isinstance(inner, ast.Attribute):
        parts.append(inner.attr)
        inner = inner.value
    if isinstance(inner, ast.Name) and inner.id in aliases:
        return ".".join([aliases[inner.id], *reversed(parts)])
    return f"x.{parts[0]}" if parts else ""


def _aliases(tree: ast.Module) -> dict[str, str]:
    """What the names that are imported anywhere in a file stand for."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            tops = ((alias, alias.name.partition(".")[0]) for alias in node.names)
            found |= {alias.asname or top: alias.name if alias.asname else top for alias, top in tops}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found
