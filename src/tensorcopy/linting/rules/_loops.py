"""Whether a loop is known to have many turns, by what is visible of it."""

from __future__ import annotations

import ast
import re
from math import prod

from ..flow import values as v
from ..flow.binding import quiet_value
from ..flow.events import Event
from ..flow.frame import Frame
from ..flow.walking import walk
from ._reading import body_of
from ._training import called_name

_MANY = 256
# As many rows make a set of data, if they hold that many numbers.
_ROWS = 16
# What gives the same turns as its first argument.
_PASSING = frozenset(("enumerate", "tqdm", "iter", "zip", "reversed", "list", "track", "sorted", "prefetch", "islice"))
# What is read from a file in each turn has some size, and files are many.
_READING = frozenset(
    ("imread", "loadmat", "read_csv", "read_parquet", "read_image", "fromfile", "loadtxt", "genfromtxt")
)
_LOADS = frozenset(("numpy.load", "torch.load", "PIL.Image.open", "builtins.open", "torchaudio.load", "librosa.load"))
# What is called a loader or a data set; several of them are few.
_SET_OF_DATA = re.compile(r"loader(?!s)|data_?set(?!s)|batches")


def has_many_turns(event: Event, loop: ast.For | ast.While) -> bool:
    """Whether a loop goes over a data set, counts far, or reads a file in each turn."""
    if not isinstance(loop, ast.For):
        return False
    iterated = _iterated(event.frame, loop.iter)
    if isinstance(iterated, ast.Call) and called_name(iterated) in ("range", "trange", "arange"):
        return _counts_far(event.frame, iterated)
    if _is_set_of_data(event.frame, iterated) or _reads_files(event.frame, loop):
        return True
    at_top = event.frame.function is None or not isinstance(iterated, ast.Name)
    return (at_top and _is_of_size(_bound_to(event.frame, iterated))) or _is_handed_in(event.frame, iterated)


def _iterated(frame: Frame, node: ast.expr) -> ast.expr:
    """What a loop goes over, behind ``enumerate()`` and progress bars."""
    for _ in range(8):
        if isinstance(node, ast.NamedExpr):
            node = node.value
        elif isinstance(node, ast.Call) and called_name(node) in _PASSING and node.args:
            node = node.args[0]
        elif isinstance(node, ast.Name) and (wrapped := _wrapped(frame, node.id)) is not None:
            node = wrapped
        else:
            break
    return node


def _wrapped(frame: Frame, name: str) -> ast.expr | None:
    """``tqdm(loader)`` of ``with tqdm(loader) as bar`` and of ``bar = tqdm(loader)``."""
    for node in walk(body_of(frame)):
        bound: list[tuple[ast.AST | None, ast.expr]] = []
        if isinstance(node, ast.With):
            bound = [(i.optional_vars, i.context_expr) for i in node.items]
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            bound = [(node.targets[0], node.value)]
        for target, value in bound:
            if isinstance(target, ast.Name) and target.id == name and called_name(value) in _PASSING:
                return value
    return None


def _counts_far(frame: Frame, call: ast.Call) -> bool:
    """``range(10_000)``, the number written there or bound to a variable, and ``range(len(dataset))``."""
    if not call.args:
        return False
    end = call.args[0] if len(call.args) == 1 else call.args[1]
    if isinstance(end, ast.Call) and called_name(end) == "len" and end.args:
        return _is_set_of_data(frame, end.args[0])
    value = end.value if isinstance(end, ast.Constant) else getattr(quiet_value(frame, end), "const", None)
    return isinstance(value, int) and value >= _MANY


def _is_set_of_data(frame: Frame, node: ast.expr) -> bool:
    """Whether it is a loader, data that the file makes, or called a set of data."""
    value = quiet_value(frame, node)
    if value is not None and (value.kind == v.LOADER or _is_made(value)):
        return True
    while isinstance(node, ast.Subscript):
        node = node.value
    name = node.attr if isinstance(node, ast.Attribute) else called_name(node) or getattr(node, "id", "")
    return _SET_OF_DATA.search(name.lower()) is not None


def _is_made(value: v.Value) -> bool:
    """Whether it is an array or a tensor of some size that is made here, or read from a file."""
    made = value.owner.node
    return value.kind in v.NUMERIC and isinstance(made, ast.Call) and _is_of_size(made)


def _is_of_size(node: ast.AST) -> bool:
    """Whether what an expression makes has many rows of some size by what is written: ``torch.ones(50, 400)``."""
    if isinstance(node, ast.ListComp):
        iterated = node.generators[0].iter
        ends = iterated.args if isinstance(iterated, ast.Call) and called_name(iterated) == "range" else []
        return any(size >= _ROWS for end in ends[-1:] for size in _numbers(end))
    if not isinstance(node, ast.Call):
        return False
    sizes = [size for a in (*node.args, *(k.value for k in node.keywords)) for size in _numbers(a)]
    return called_name(node) in (*_READING, "load") or (bool(sizes) and sizes[0] >= _ROWS and prod(sizes) >= _MANY)


def _numbers(node: ast.AST) -> list[int]:
    return [n.value for n in walk(node) if isinstance(n, ast.Constant) and type(n.value) is int]


def _is_handed_in(frame: Frame, node: ast.expr) -> bool:
    """Whether a call in the file hands over something of that size as the argument that a loop goes over."""
    function = frame.function
    if not isinstance(node, ast.Name) or function is None or node.id not in function.parameters:
        return False
    place = function.parameters.index(node.id) - (function.cls is not None and not function.is_static)
    calls = (n for n in walk(frame.unit.tree) if isinstance(n, ast.Call) and called_name(n) == function.name)
    return any(_is_of_size(_bound_to(frame, c.args[place])) for c in calls if len(c.args) > place >= 0)


def _bound_to(frame: Frame, node: ast.expr) -> ast.AST:
    """What the file binds to a variable at its top, for a variable."""
    name = node.id if isinstance(node, ast.Name) else ""
    assigned = (s for s in frame.unit.tree.body if name and isinstance(s, ast.Assign))
    return next((s.value for s in assigned if any(getattr(t, "id", "") == name for t in s.targets)), node)


def _reads_files(frame: Frame, loop: ast.For) -> bool:
    """Whether each turn reads a file."""
    calls = (n for statement in loop.body for n in walk(statement) if isinstance(n, ast.Call))
    return any(called_name(n) in _READING or _library_name(frame, n.func) in _LOADS for n in calls)


def _library_name(frame: Frame, func: ast.expr) -> str:
    if isinstance(func, ast.Attribute):
        base = _library_name(frame, func.value)
        return f"{base}.{func.attr}" if base else ""
    value = quiet_value(frame, func)
    return str(value.ref) if value is not None and value.kind == v.LIBRARY else ""
