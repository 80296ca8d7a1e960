"""Which line of the program wrote an array: the statements that write, filtered by the names that lie in its memory.

NumPy tells nobody of its writes. A change is noticed at the next look, and the line is found in the source: between two
looks only so many statements can have written this memory.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from types import FrameType
from typing import Any

import numpy as np
import torch

from ..sites import Site, is_library

# Methods of arrays that write the array itself, and functions that write an argument, by its place.
_METHODS = frozenset(["fill", "sort", "put", "partition", "itemset", "resize", "setfield", "at", "byteswap"])
_FUNCTIONS = {
    "copyto": 0,
    "put": 0,
    "place": 0,
    "putmask": 0,
    "put_along_axis": 0,
    "fill_diagonal": 0,
    "shuffle": 0,
    "at": 0,
    "readinto": 0,
    "readinto1": 0,
    "recv_into": 0,
    "recvfrom_into": 0,
    "pack_into": 1,
}
# Two arguments and a third place, which is the output, as in ``np.add(a, b, a)``.
_BINARY = frozenset(["add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "matmul", "dot", "clip"])
_MOST_VALUES = 2_000
_MOST_LINES = 3

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Write:
    """A statement that may write what `root` names. `scope` is the line of the function around it, 0 for a module."""

    line: int
    root: str
    scope: int
    loops: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Text:
    """What one file says: its writes, which names stand for which, and who calls whom with what."""

    writes: tuple[Write, ...] = ()
    aliases: tuple[tuple[int, str, str], ...] = ()
    calls: tuple[tuple[int, str, tuple[str, ...]], ...] = ()
    functions: dict[str, tuple[tuple[int, tuple[str, ...]], ...]] = field(default_factory=dict)
    allocated: frozenset[str] = frozenset()


def lines_that_wrote(low: int, high: int, before: Site, now: Site, frame: FrameType | None) -> tuple[Site, ...]:
    """The lines that can have written the memory from *low* to *high* between two looks, the likeliest first."""
    names, files = names_in(low, high, frame)
    found: list[tuple[int, Site]] = []
    for file in dict.fromkeys((now.file, before.file, *files)):
        if file and not is_library(file):
            found += _candidates(file, names, before, now)
    best = min((rank for rank, _ in found), default=0)
    sites = dict.fromkeys((s.file, s.line) for rank, s in found if rank == best)
    return tuple(Site(*key) for key in sites)[:_MOST_LINES]


def is_allocated_empty(names: Iterable[str], file: str) -> bool:
    """Whether one of these names is bound to memory that was made to be filled, as by ``np.empty``."""
    return bool(_text_of(file).allocated & set(names))


def turn_together(writes: Iterable[Site], reader: Site, made: Site) -> bool:
    """Whether a loop writes and reads at each of its turns what was made before it: it is meant to change, then."""
    outside = _loops_around(made)
    return any(_loops_around(write) & _loops_around(reader) - outside for write in writes)


@lru_cache(maxsize=256)
def _loops_around(site: Site) -> frozenset[tuple[str, int]]:
    try:
        tree = ast.parse("".join(linecache.getlines(site.file)))
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    loops = (n for n in ast.walk(tree) if isinstance(n, (ast.For, ast.While, ast.AsyncFor)))
    return frozenset((site.file, n.lineno) for n in loops if n.lineno <= site.line <= (n.end_lineno or 0))


def _candidates(file: str, names: frozenset[str], before: Site, now: Site) -> Iterator[tuple[int, Site]]:
    text = _text_of(file)
    known = _spread(text, names)
    for write in text.writes:
        if write.root in known.get(write.scope, names):
            yield _rank(write, file, before, now), Site(file, write.line)


def _rank(write: Write, file: str, before: Site, now: Site) -> int:
    """0 for what runs for certain between the looks, 1 for what can, 2 for what would take another turn of a loop."""
    inside = [s for s in (before, now) if s.file == file and s.code is not None and _scope(s) == write.scope]
    if len(inside) < 2 or before.code is not now.code:
        if not inside:
            return 1
        (one,) = inside[:1]
        after = one is before
        return 1 if (write.line >= one.line) is after or write.loops else 2
    if before.line <= write.line <= now.line:
        return 0
    return 1 if now.line <= before.line else 2


def _scope(site: Site) -> int:
    code = site.code
    return 0 if code is None or code.co_name == "<module>" else code.co_firstlineno


def _spread(text: Text, names: frozenset[str]) -> dict[int, set[str]]:
    """The names for the memory in each function: also what it is passed as, and what it is bound to there."""
    known: dict[int, set[str]] = {}
    scopes = {w.scope for w in text.writes} | {scope for scope, _, _ in text.aliases}
    for scope in scopes:
        known[scope] = set(names)
    for _ in range(3):
        for scope, name, source in text.aliases:
            if source in known.get(scope, names):
                known.setdefault(scope, set(names)).add(name)
        for scope, function, arguments in text.calls:
            for line, parameters in text.functions.get(function, ()):
                for parameter, argument in zip(parameters, arguments, strict=False):
                    if argument and argument in known.get(scope, names):
                        known.setdefault(line, set(names)).add(parameter)
    return known


# --- names ------------------------------------------------------------------------------------------------------------


def names_in(low: int, high: int, frame: FrameType | None) -> tuple[frozenset[str], list[str]]:
    """The variables and attributes of the program's frames that lie in a range of memory, and the frames' files."""
    names: set[str] = set()
    files: list[str] = []
    while frame is not None:
        if not is_library(frame.f_code.co_filename):
            files.append(frame.f_code.co_filename)
            names.update(*(_names_among(dict(v), low, high, deep=True) for v in (frame.f_locals, frame.f_globals)))
        frame = frame.f_back
    return frozenset(names), files


def _names_among(variables: dict[str, Any], low: int, high: int, *, deep: bool) -> Iterator[str]:
    for name, value in list(variables.items())[:_MOST_VALUES]:
        if isinstance(value, (np.ndarray, torch.Tensor, bytearray, memoryview)):
            start, size = _extent(value)
            if start < high and low < start + size:
                yield name
        elif deep and not isinstance(value, type) and not name.startswith("__"):
            own = getattr(value, "__dict__", None)
            if type(own) is dict:
                yield from _names_among(own, low, high, deep=False)


def _extent(value: Any) -> tuple[int, int]:
    """Where an object's memory begins, and how long it is; -1 and 0 if it has none."""
    try:
        if isinstance(value, torch.Tensor):
            return value.data_ptr(), value.nbytes
        array = value if isinstance(value, np.ndarray) else np.frombuffer(value, np.uint8)
        return int(array.__array_interface__["data"][0]), max(array.nbytes, 1)
    except (RuntimeError, ValueError, TypeError, AttributeError):
        return -1, 0


# --- the source -------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _text_of(file: str) -> Text:
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError):
        return Text()
    reader = _Reader()
    reader.visit(tree)
    return Text(
        tuple(reader.writes),
        tuple(reader.aliases),
        tuple(reader.calls),
        {name: tuple(found) for name, found in reader.functions.items()},
        frozenset(reader.allocated),
    )


class _Reader(ast.NodeVisitor):
    """Collects what a file says about writes."""

    def __init__(self) -> None:
        self.writes: list[Write] = []
        self.aliases: list[tuple[int, str, str]] = []
        self.calls: list[tuple[int, str, tuple[str, ...]]] = []
        self.functions: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
        self.allocated: set[str] = set()
        self.scope = 0
        self.loops: tuple[int, ...] = ()

    def _wrote(self, node: ast.expr | ast.stmt, root: str) -> None:
        if root:
            self.writes.append(Write(node.lineno, root, self.scope, frozenset(self.loops)))

    def _function(self, node: Function) -> None:
        arguments = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        self.functions.setdefault(node.name, []).append((first, tuple(a for a in arguments if a != "self")))
        outer, self.scope, loops, self.loops = self.scope, first, self.loops, ()
        self.generic_visit(node)
        self.scope, self.loops = outer, loops

    def _loop(self, node: ast.For | ast.While | ast.AsyncFor) -> None:
        self.loops = (*self.loops, node.lineno)
        self.generic_visit(node)
        self.loops = self.loops[:-1]

    visit_FunctionDef = visit_AsyncFunctionDef = _function
    visit_For = visit_While = visit_AsyncFor = _loop

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                self._wrote(node, root_of(target))
            elif isinstance(target, (ast.Name, ast.Attribute)):
                self._bound(root_of(target), node.value)
        self.generic_visit(node)

    def _bound(self, name: str, value: ast.expr) -> None:
        source = root_of(value)
        if source:
            self.aliases.append((self.scope, name, source))
        if isinstance(value, ast.Call) and _called(value) in _ALLOCATIONS:
            self.allocated.add(name)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._wrote(node, root_of(node.target))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = _called(node)
        arguments = tuple(root_of(a) for a in node.args)
        self.calls.append((self.scope, name, arguments))
        if isinstance(node.func, ast.Attribute) and name in _METHODS:
            self._wrote(node, root_of(node.func.value))
        at = _FUNCTIONS.get(name, 2 if name in _BINARY and len(arguments) > 2 else -1)
        if 0 <= at < len(arguments):
            self._wrote(node, arguments[at])
        for keyword in node.keywords:
            if keyword.arg in ("out", "dst", "buffer"):
                values = keyword.value.elts if isinstance(keyword.value, ast.Tuple) else [keyword.value]
                for value in values:
                    self._wrote(node, root_of(value))
        self.generic_visit(node)


def root_of(node: ast.expr) -> str:
    """The name that an expression is a part or a view of: ``a`` of ``a[1:].T`` and ``obs`` of ``self.obs.flat[0]``."""
    while True:
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Attribute):
            if node.attr in ("T", "flat", "real", "imag", "data"):
                node = node.value
                continue
            return node.attr
        if isinstance(node, (ast.Subscript, ast.Starred)):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _VIEWS:
            node = node.func.value
        elif isinstance(node, ast.Call) and node.args and _called(node) in ("memoryview", "asarray"):
            node = node.args[0]
        else:
            return ""


_ALLOCATIONS = frozenset(
    ["empty", "zeros", "ones", "full", "empty_like", "zeros_like", "ones_like", "full_like", "bytearray"]
)
_VIEWS = frozenset(["reshape", "view", "ravel", "transpose", "squeeze", "swapaxes", "numpy", "detach"])


def _called(node: ast.Call) -> str:
    function = node.func
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )
