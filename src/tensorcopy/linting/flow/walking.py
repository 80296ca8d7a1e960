"""Walk trees faster than `ast` does, and find what a node is part of without walking the whole file."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator

# Fields that never hold what stands in the text as a node: words, and the marks of operators and contexts.
_WORDS = frozenset(
    """
    arg asname attr conversion ctx id is_async kind kwd_attrs level module op ops rest simple tag type_comment
    """.split()  # noqa: SIM905 (a word list reads best as words)
)
_fields: dict[type, tuple[str, ...]] = {ast.Constant: ()}
"""The fields of each type of node that can hold nodes, the last first. Filled as types are met."""


def _fields_of(kind: type[ast.AST]) -> tuple[str, ...]:
    found = _fields[kind] = tuple(name for name in reversed(kind._fields) if name not in _WORDS)
    return found


def walk(node: ast.AST, apart: frozenset[type] = frozenset()) -> Iterator[ast.AST]:
    """*node* and all nodes below it, in the order of the text. Operators and contexts are left out.

    apart: types of nodes that are left out with all that is below them.
    """
    pending = [node]
    while pending:
        node = pending.pop()
        kind = node.__class__
        if kind in apart:
            continue
        yield node
        fields = _fields.get(kind)
        for name in _fields_of(kind) if fields is None else fields:
            value = getattr(node, name, None)
            if value.__class__ is list:
                pending += [item for item in reversed(value) if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST):
                pending.append(value)


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below *node*, the last first. Operators and contexts are left out."""
    found: list[ast.AST] = []
    kind = node.__class__
    fields = _fields.get(kind)
    for name in _fields_of(kind) if fields is None else fields:
        value = getattr(node, name, None)
        if value.__class__ is list:
            found += [item for item in reversed(value) if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


class Parents:
    """What each node of a file is part of. Reads one function or statement at a time, when it is first asked about."""

    def __init__(self, tree: ast.Module) -> None:
        self._parents: dict[ast.AST, ast.AST] = dict.fromkeys(tree.body, tree)
        self._statements: list[ast.stmt] = []
        for statement in tree.body:
            self._statements.append(statement)
            if isinstance(statement, ast.ClassDef):
                self._statements += statement.body
                self._parents.update(dict.fromkeys(statement.body, statement))
        self._starts = [_first_line(statement) for statement in self._statements]
        self._read: set[int] = set()

    def get(self, node: ast.AST) -> ast.AST | None:
        """The node that *node* is right below of; None for the file itself and for nodes of other files."""
        found = self._parents.get(node)
        line = getattr(node, "lineno", None)
        if found is not None or line is None:
            return found
        place = bisect_right(self._starts, line) - 1
        if place < 0 or place in self._read:
            return None
        self._read.add(place)
        self._index(self._statements[place])
        return self._parents.get(node)

    def _index(self, statement: ast.stmt) -> None:
        """Note the parents inside a statement; inside a class, only of what stands around its body."""
        pending: list[ast.AST] = [statement]
        while pending:
            parent = pending.pop()
            below = children(parent)
            if parent is statement and isinstance(statement, ast.ClassDef):
                below = [child for child in below if child not in self._parents]
            self._parents.update(dict.fromkeys(below, parent))
            pending += below


def _first_line(statement: ast.stmt) -> int:
    """A decorated definition starts at its first decorator."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(d.lineno for d in decorators)])
