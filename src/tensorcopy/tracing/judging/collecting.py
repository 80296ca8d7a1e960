"""What the source tells of one memory kept under two names, a tensor or an array that was to be an earlier state.

That a list holds one tensor again and again is seen when it is joined, and that two arrays share memory when the second
is taken; which lines collect, write and subtract them, the source tells.
"""

from __future__ import annotations

import ast
import gc
import linecache
from collections.abc import Iterator, Sequence
from functools import lru_cache
from types import FrameType
from typing import Any, NamedTuple

import torch

from ..sites import Site

_FEWEST = 3
_COLLECTS = frozenset(("append", "appendleft", "add"))


class Turn(NamedTuple):
    """A loop, the line in it that collects a variable, and the first that writes it in place."""

    collects: Site
    writes: Site


def is_one_tensor(values: Sequence[Any]) -> bool:
    """Whether a list is one tensor several times, which was written as often as it must have been in between."""
    first = values[0] if len(values) >= _FEWEST else None
    if not isinstance(first, torch.Tensor) or first.is_inference() or any(v is not first for v in values):
        return False
    return first._version >= len(values) - 1


def turn_of(tensor: Any, frame: FrameType | None) -> Turn | None:
    """The loop of the running function that collects a variable of it that is *tensor*, and writes it."""
    if frame is None:
        return None
    variables = {**frame.f_globals, **frame.f_locals} if frame.f_code.co_name == "<module>" else dict(frame.f_locals)
    names = frozenset(name for name, value in variables.items() if value is tensor)
    code, file = frame.f_code, frame.f_code.co_filename
    for collects, writes, name in _turns(file):
        if name in names and code.co_firstlineno <= collects <= frame.f_lineno:
            return Turn(Site(file, collects, code), Site(file, writes, code))
    return None


def turns_at_the_end() -> Iterator[tuple[Any, Turn]]:
    """The lists of modules that still hold one tensor several times, collected and written by a loop of the module."""
    lists = [o for o in gc.get_objects() if type(o) is list and len(o) >= _FEWEST]
    # What other objects say of their class is not to be asked for: some load a library then.
    found = [o for o in lists if issubclass(type(o[0]), torch.Tensor) and is_one_tensor(o)]
    for values in found:
        holders = (h for h in gc.get_referrers(values) if type(h) is dict and "__builtins__" in h)
        for names in holders:
            file = str(names.get("__file__", ""))
            for collects, writes, name in _turns(file):
                if names.get(name) is values[0]:
                    yield values, Turn(Site(file, collects), Site(file, writes))


@lru_cache(maxsize=32)
def _turns(file: str) -> tuple[tuple[int, int, str], ...]:
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError):
        return ()
    loops = [n for n in ast.walk(tree) if isinstance(n, (ast.For, ast.While, ast.AsyncFor))]
    return tuple(turn for loop in loops for turn in _turns_in(loop))


def _turns_in(loop: ast.AST) -> Iterator[tuple[int, int, str]]:
    nodes = list(ast.walk(loop))
    bound = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own = list(_of_one_turn(loop))
    written = dict(reversed([found for n in own for found in _written(n)]))
    # `x += 1` binds its name as well, to the same tensor.
    again = {n.target.id for n in nodes if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)}
    for node in own:
        match node:
            case ast.Call(func=ast.Attribute(attr=how), args=[ast.Name(id=name)]) if how in _COLLECTS:
                if name in written and (name not in bound or name in again):
                    yield node.lineno, written[name], name


def differ_later(frame: FrameType, name: str, line: int) -> bool:
    """Whether what a line binds and the variable *name* are subtracted from each other before either is renewed."""
    return (line, name) in _differences(frame.f_code.co_filename)


@lru_cache(maxsize=32)
def _differences(file: str) -> frozenset[tuple[int, str]]:
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    return frozenset(found for node in ast.walk(tree) for found in _in_body(getattr(node, "body", None)))


def _in_body(body: Any) -> Iterator[tuple[int, str]]:
    """Of statements that follow each other: those that bind a name, with what it is subtracted from later on."""
    for at, statement in enumerate(body if isinstance(body, list) else ()):
        match statement:
            case ast.Assign(targets=[ast.Name(id=bound)]):
                yield from ((statement.lineno, other) for other in _subtracted(bound, body[at + 1 :]))


def _subtracted(name: str, statements: Sequence[ast.stmt]) -> Iterator[str]:
    bound: set[str] = set()
    for statement in statements:
        nodes = list(ast.walk(statement))
        for node in nodes:
            match node:
                case ast.BinOp(op=ast.Sub(), left=ast.Name(id=one), right=ast.Name(id=other)) if name in (one, other):
                    yield from {one, other} - {name} - bound
        bound |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        if name in bound:
            return


def _of_one_turn(loop: ast.AST) -> Iterator[ast.AST]:
    """What each turn of a loop does once: nothing of loops and functions inside of it."""
    for node in ast.iter_child_nodes(loop):
        if not isinstance(node, (ast.For, ast.While, ast.AsyncFor, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield node
            yield from _of_one_turn(node)


def _written(node: ast.AST) -> Iterator[tuple[str, int]]:
    match node:
        case ast.AugAssign(target=ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name))):
            yield name, node.lineno
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]):
            yield name, node.lineno
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=how)) if how.endswith("_") and how[0] != "_":
            yield name, node.lineno
        case ast.Call(keywords=keywords):
            yield from ((k.value.id, node.lineno) for k in keywords if k.arg == "out" and isinstance(k.value, ast.Name))
