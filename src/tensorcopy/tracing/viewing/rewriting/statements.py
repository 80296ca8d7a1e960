"""One statement of a program, and the same with some of its expressions written anew."""

from __future__ import annotations

import ast
import builtins
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

_LONGEST = 12
Edit = tuple[ast.AST, str]
Rewrite = Callable[["Statement"], Sequence[Edit]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """The innermost statement on a line, or the head of one that holds others; `lines` are those of the whole file.

    modules: what the file calls the modules that it imports. names: all names that it binds anywhere.
    """

    node: ast.stmt
    line: int
    lines: Sequence[str]
    modules: Mapping[str, str] = field(default_factory=dict)
    names: frozenset[str] = frozenset()

    def module(self, name: str, otherwise: str = "") -> str:
        """What the program calls a module that it has imported."""
        return self.modules.get(name, otherwise or name)

    @property
    def last(self) -> int:
        """Its last line; that of its head if it has a body."""
        body = getattr(self.node, "body", None)
        return body[0].lineno - 1 if isinstance(body, list) and body else self.node.end_lineno or self.node.lineno

    def nodes(self, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
        """Its nodes of these kinds that touch the line, outer ones first."""
        for node in ast.walk(self.node):
            if isinstance(node, kinds) and node.lineno <= self.line <= (node.end_lineno or 0):  # type: ignore[attr-defined]
                yield node

    def text(self, node: ast.AST) -> str:
        """How *node* is written."""
        first, last, start, end = place_of(node)
        lines = [line.encode() for line in self.lines[first - 1 : last]]
        lines[-1] = lines[-1][:end]
        lines[0] = lines[0][start:]
        return b"\n".join(lines).decode()

    def atom(self, node: ast.expr) -> str:
        """*node* as something that a dot may follow."""
        bare = isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
        return self.text(node) if bare else f"({self.text(node)})"

    def owner(self, node: ast.AST) -> str:
        """What stands before the dot of a method call or of an attribute."""
        match node:
            case ast.Call(func=ast.Attribute(value=value)) | ast.Attribute(value=value):
                return self.atom(value)
        return ""

    def bare_owner(self, call: ast.Call) -> str:
        """The same to stand where the call stands, in brackets only if that needs them."""
        alone = any(
            call in (*getattr(node, "args", ()), getattr(node, "value", None))
            for node in ast.walk(self.node)
            if isinstance(node, (ast.Call, ast.Assign, ast.Return, ast.keyword))
        )
        return self.text(call.func.value) if alone and isinstance(call.func, ast.Attribute) else self.owner(call)

    def first_argument(self, call: ast.Call) -> str:
        """How the first argument of a call is written; empty if there is none."""
        return self.text(call.args[0]) if call.args else ""

    def calls(self, *names: str) -> Iterator[ast.Call]:
        """Its calls of functions or methods of these names."""
        for node in self.nodes(ast.Call):
            if isinstance(node, ast.Call) and called(node) in names:
                yield node


def called(call: ast.Call) -> str:
    """The name of the function or method that is called."""
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def place_of(node: ast.AST) -> tuple[int, int, int, int]:
    """First and last line, first and last column in bytes."""
    assert isinstance(node, (ast.expr, ast.stmt)), "only these have places"
    return node.lineno, node.end_lineno or node.lineno, node.col_offset, node.end_col_offset or node.col_offset


def statement_at(text: str, line: int) -> Statement | None:
    """The statement on a line of a file; None if there is none, or it is too long to be shown again."""
    tree, lines, modules, names = _parsed(text)
    if tree is None:
        return None
    found = [n for n in ast.walk(tree) if isinstance(n, ast.stmt) and n.lineno <= line <= (n.end_lineno or 0)]
    if not found:
        return None
    node = max(found, key=lambda n: n.lineno)
    statement = Statement(node=node, line=line, lines=lines, modules=modules, names=names)
    return statement if line <= statement.last < node.lineno + _LONGEST else None


_File = tuple["ast.Module | None", tuple[str, ...], Mapping[str, str], frozenset[str]]


@lru_cache(maxsize=32)
def _parsed(text: str) -> _File:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None, (), {}, frozenset()
    imported = [(n, a) for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom)) for a in n.names]
    modules = {a.name: a.asname or a.name for n, a in reversed(imported) if isinstance(n, ast.Import)}
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    names |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    names |= {(a.asname or a.name).partition(".")[0] for _, a in imported}
    return tree, tuple(text.split("\n")), modules, frozenset(names)


def edited(statement: Statement, edits: Sequence[Edit]) -> str:
    """The statement with the edits, without its indentation.

    Empty if there are none, or the result says nothing, such as ``x = x``, or takes a name that the file doesn't know.

    Raises:
        SyntaxError: it would not be Python.
    """
    if not edits:
        return ""
    first = statement.node.lineno
    lines = [line.encode() for line in statement.lines[first - 1 : statement.last]]
    for node, new in sorted(edits, key=lambda edit: place_of(edit[0]), reverse=True):
        top, bottom, start, end = place_of(node)
        head, tail = lines[top - first][:start], lines[bottom - first][end:]
        lines[top - first : bottom - first + 1] = (head + new.encode() + tail).split(b"\n")
    text = textwrap.dedent(b"\n".join(lines).decode()).rstrip()
    made = ast.parse(text + ("\n    pass" if text.endswith(":") else ""))
    return "" if _says_nothing(made) or not _is_known(made, statement.names) else text


def _says_nothing(made: ast.Module) -> bool:
    match made.body:
        case [ast.Assign(targets=[target], value=value)]:
            return ast.unparse(target) == ast.unparse(value)
        case [ast.Expr(value=ast.Name() | ast.Attribute() | ast.Constant())]:
            return True
    return False


def _is_known(made: ast.Module, names: frozenset[str]) -> bool:
    found = [n for n in ast.walk(made) if isinstance(n, ast.Name)]
    bound = names | {n.id for n in found if isinstance(n.ctx, ast.Store)}
    return all(n.id in bound or hasattr(builtins, n.id) for n in found)
