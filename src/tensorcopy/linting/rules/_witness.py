"""Evidence that a write hurts: somebody reads, after it, what the write changed under another name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..flow.frame import Frame
from ..flow.project import Unit
from ..flow.walking import walk
from ._calls import called_in, calls_of, scope_of, statement_of
from ._reading import contains, position

# What is asked of a tensor but for its values.
_OUTSIDE = frozenset(("shape", "dtype", "device", "ndim", "layout", "is_cuda", "requires_grad", "nbytes", "itemsize"))
_OUTSIDE_CALLS = frozenset(("size", "dim", "numel", "element_size", "stride", "is_contiguous", "get_device", "type"))
_LIKE = frozenset(
    ("zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like", "len", "isinstance", "type", "id")
)
# What surely gives the same memory, called on what holds it or with it.
_SAME_MEMORY = frozenset(
    ("detach", "numpy", "view", "view_as", "squeeze", "unsqueeze", "t", "transpose", "permute", "swapaxes", "data", "T")
)
# What puts other values in the place of the old ones.
_OVERWRITING = frozenset(("zero_", "fill_", "copy_", "normal_", "uniform_", "random_", "set_", "fill", "clear"))
_ADDING = frozenset(("append", "appendleft", "extend", "insert", "add", "clear", "reverse"))
_CROSSING = frozenset(("from_numpy", "asarray", "as_tensor", "from_dlpack"))
_DEEPEST = 3


def reader_after(unit: Unit, scope: ast.AST, name: str, node: Any) -> ast.Name | None:
    """Where *name* is read for its values once *node* has run, before it is bound to something else."""
    binder = statement_of(unit, node)
    if _binds(binder, name):
        return None
    end = _way_out(unit, node)
    loops = list(_loops(unit, node, scope))
    for found in walk(scope):
        if isinstance(found, ast.Name) and found.id == name and isinstance(found.ctx, ast.Load):
            reached = _end(node) <= position(found) and (end is None or position(found) < end)
            after = reached and not _in_other_arm(unit, found, node)
            again = any(contains(loop, found) and not _binds_in(loop, name) for loop in loops)
            if (
                (after or again)
                and _is_for_values(unit, found)
                and not (after and _is_rebound(unit, name, node, found))
            ):
                return found
    return None


def reader_of(unit: Unit, scope: ast.AST, name: str, apart: ast.AST) -> ast.Name | None:
    """Where a variable is read for its values, apart from one place and from what only adds to a list."""
    named = [n for n in walk(scope) if isinstance(n, ast.Name) and n.id == name]
    return next((n for n in named if _is_read(unit, n, apart)), None)


def reader_of_attribute(unit: Unit, name: str, apart: ast.AST) -> ast.Attribute | None:
    """Where the file reads an attribute of that name for its values, with the same exceptions."""
    named = [n for n in walk(unit.tree) if isinstance(n, ast.Attribute) and n.attr == name]
    return next((n for n in named if _is_read(unit, n, apart)), None)


def _is_read(unit: Unit, node: ast.Name | ast.Attribute, apart: ast.AST) -> bool:
    if not isinstance(node.ctx, ast.Load) or contains(apart, node):
        return False
    return _is_for_values(unit, node) and not _is_added_to(unit, node)


def _is_added_to(unit: Unit, node: ast.AST) -> bool:
    parent = unit.parents.get(node)
    return isinstance(parent, ast.Attribute) and parent.attr in _ADDING


def caller_that_reads(frame: Frame, parameter: str) -> ast.AST | None:
    """Where a caller in the same file reads what it handed over for *parameter*, after the call."""
    function = frame.function
    return None if function is None else _reads(frame.unit, function.node, parameter, 0)


def read_of_given(unit: Unit, call: ast.AST, given: ast.expr) -> ast.AST | None:
    """Where what a call was handed is read after it, by who called or by who called that one."""
    return _reads_given(unit, call, given, 0)


def has_callers(frame: Frame) -> bool:
    """Whether the file of a function calls it, but for itself."""
    return frame.function is not None and any(True for _ in calls_of(frame.unit, frame.function.node))


def _reads(unit: Unit, function: Any, parameter: str, depth: int) -> ast.AST | None:
    if depth > _DEEPEST or isinstance(function, ast.Lambda):
        return None
    for call, given in called_in(unit, function, parameter):
        found = _reads_given(unit, call, given, depth)
        if found is not None:
            return found
    return None


def _reads_given(unit: Unit, call: ast.AST, given: ast.expr, depth: int) -> ast.AST | None:
    """Where what an expression holds is read after the call that it is handed to."""
    if _is_put_back(unit, call, given):
        return None
    given, scope = _held(unit, given), scope_of(unit, call)
    if depth > _DEEPEST:
        return None
    if isinstance(given, ast.Attribute):
        return _read_on_object(unit, given, call)
    if not isinstance(given, ast.Name):
        return None
    loop = _loop_that_gives(unit, call, given.id)
    if loop is not None:
        return _reads_given(unit, loop, loop.iter, depth + 1)
    found = reader_after(unit, scope, given.id, call)
    if found is not None:
        return found
    if _is_global(unit, scope, given.id):
        return reader_of(unit, unit.tree, given.id, statement_of(unit, call) or call)
    source = _bound_to(unit, scope, given.id, call)
    if source is not None:
        return _reads_given(unit, call, source, depth + 1)
    if isinstance(scope, ast.Module) or given.id not in parameters_of(scope):
        return None
    return None if _is_bound_before(scope, given.id, call) else _reads(unit, scope, given.id, depth + 1)


def _is_put_back(unit: Unit, call: ast.AST, given: ast.expr) -> bool:
    """``rows[k] = f(rows[k])``, and ``x = f(d["x"])`` with ``d["x"] = x`` behind it: what was changed is replaced."""
    stages = {
        ast.dump(n) for n in walk(given) if isinstance(n, (ast.Subscript, ast.Attribute)) and _called_on(n, given)
    }
    assigned = (n for n in walk(scope_of(unit, call)) if isinstance(n, ast.Assign) and _end(n) >= _end(call))
    targets = (ast.dump(t).replace("Store()", "Load()") for n in assigned for t in n.targets)
    return any(target in stages for target in targets)


def _called_on(node: ast.AST, given: ast.expr) -> bool:
    """Whether *node* is what *given* starts from: ``rows[k]`` of ``rows[k].unsqueeze(1)``."""
    return position(node) == position(given)


def _held(unit: Unit, node: ast.expr) -> ast.expr:
    """x of ``x.view(-1)``, ``x[0]`` and ``torch.from_numpy(x)``: what surely holds the memory."""
    while True:
        if isinstance(node, ast.Subscript) and _is_basic(unit, node.slice):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SAME_MEMORY:
            node = node.func.value
        elif isinstance(node, ast.Call) and _called(node) in _CROSSING and len(node.args) == 1:
            node = node.args[0]
        elif isinstance(node, ast.Attribute) and node.attr in _SAME_MEMORY:
            node = node.value
        else:
            return node


def _is_basic(unit: Unit, index: ast.expr) -> bool:
    """Whether an index surely gives a view or an element: made of numbers, slices, and what loops count."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(
        isinstance(p, (ast.Slice, ast.Constant, ast.UnaryOp))
        or (isinstance(p, ast.Name) and _loop_that_gives(unit, p, p.id) is not None)
        for p in parts
    )


def _read_on_object(unit: Unit, attribute: ast.Attribute, call: ast.AST) -> ast.AST | None:
    """Where an attribute of an object, which lives on, is read apart from the call that was handed it."""
    statement = statement_of(unit, call)
    if any(isinstance(t, ast.Attribute) and t.attr == attribute.attr for t in getattr(statement, "targets", ())):
        return None
    return reader_of_attribute(unit, attribute.attr, statement or call)


def _loop_that_gives(unit: Unit, node: ast.AST, name: str) -> Any:
    """The loop or the part of a comprehension around *node* whose variable is *name*."""
    current = unit.parents.get(node)
    while current is not None and not isinstance(current, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        givers = getattr(current, "generators", [current] if isinstance(current, ast.For) else [])
        for giver in givers:
            if name in _names_in([giver.target]):
                return _Part(current, _iterated(giver, name))
        current = unit.parents.get(current)
    return None


def _iterated(giver: Any, name: str) -> ast.expr:
    """What gives the variable: xs of ``for x in xs`` and of ``for i, x in enumerate(xs)``."""
    if isinstance(giver.target, ast.Tuple) and isinstance(giver.iter, ast.Call):
        places = [i for i, t in enumerate(giver.target.elts) if isinstance(t, ast.Name) and t.id == name]
        called, given = _called(giver.iter), giver.iter.args
        if places and called == "zip" and places[0] < len(given):
            return given[places[0]]
        if places == [1] and called == "enumerate" and given:
            return given[0]
    plain: ast.expr = giver.iter
    return plain


class _Part:
    """A loop or a comprehension, with what one of its variables goes over."""

    def __init__(self, node: Any, iterable: ast.expr) -> None:
        self.node, self.iter = node, iterable
        self.lineno, self.col_offset = node.lineno, node.col_offset
        self.end_lineno, self.end_col_offset = node.end_lineno, node.end_col_offset


def _bound_to(unit: Unit, scope: ast.AST, name: str, call: Any) -> ast.expr | None:
    """What a variable was last bound to before the call, where that surely is the memory of something else."""
    bound = [
        n
        for n in walk(scope)
        if isinstance(n, ast.Assign) and position(n) < position(call) and _names_in(n.targets) == [name]
    ]
    if not bound:
        return None
    source = max(bound, key=position).value
    held = _held(unit, source)
    plain = isinstance(held, (ast.Name, ast.Attribute)) and not (isinstance(held, ast.Name) and held.id == name)
    return source if plain else None


def _is_global(unit: Unit, scope: Any, name: str) -> bool:
    """Whether a function uses a variable of the file."""
    if isinstance(scope, ast.Module) or name in parameters_of(scope):
        return False
    return not _binds_in(scope, name)


def parameters_of(scope: Any) -> set[str]:
    """The names of a function's parameters."""
    return {a.arg for a in (*scope.args.posonlyargs, *scope.args.args, *scope.args.kwonlyargs)}


def _is_bound_before(scope: ast.AST, name: str, call: Any) -> bool:
    stores = (n for n in walk(scope) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store))
    return any(position(n) < position(call) for n in stores)


def _names_in(targets: list[ast.expr]) -> list[str]:
    return [n.id for t in targets for n in walk(t) if isinstance(n, ast.Name)]


def _is_for_values(unit: Unit, read: ast.AST) -> bool:
    """Whether a reading is of the values: not only of the shape, of whether it is None, or to be written into."""
    node: ast.AST = read
    parent = unit.parents.get(read)
    while isinstance(parent, ast.Subscript) and node is parent.value:
        if not isinstance(parent.ctx, ast.Load):
            return False
        node, parent = parent, unit.parents.get(parent)
    if isinstance(parent, ast.Attribute):
        outer = unit.parents.get(parent)
        called = isinstance(outer, ast.Call) and outer.func is parent
        return isinstance(parent.ctx, ast.Load) and not _asks_only(parent.attr, called=called)
    if isinstance(parent, ast.Call) and node in parent.args:
        return _called(parent) not in _LIKE
    if isinstance(parent, ast.Compare):
        return not any(isinstance(op, (ast.Is, ast.IsNot)) for op in parent.ops)
    if isinstance(parent, (ast.If, ast.While, ast.BoolOp, ast.Delete)):
        return False
    statement = statement_of(unit, read)
    return not isinstance(statement, ast.Assign) or not _is_dead(unit, statement, read)


def _asks_only(attribute: str, *, called: bool) -> bool:
    if not called:
        return attribute in _OUTSIDE
    return attribute in _OUTSIDE_CALLS or attribute in _OVERWRITING or attribute.startswith("new_")


def _is_dead(unit: Unit, statement: ast.Assign, read: ast.AST) -> bool:
    """``x = x * 2``, and the new x is never read."""
    name = getattr(read, "id", "")
    if not name or _names_in(statement.targets) != [name]:
        return False
    loads = (n for n in walk(scope_of(unit, statement)) if isinstance(n, ast.Name) and n.id == name)
    return not any(isinstance(n.ctx, ast.Load) and position(n) >= _end(statement) for n in loads)


def _is_rebound(unit: Unit, name: str, node: Any, read: ast.AST) -> bool:
    """Whether the way from *node* to the reading surely leads past another binding of the name."""
    child: ast.AST | None = read
    while child is not None:
        parent = unit.parents.get(child)
        for block in _blocks(parent):
            if child in block:
                before = block[: block.index(child)]
                if any(position(s) >= _end(node) and _binds(s, name) for s in before):
                    return True
        if isinstance(parent, ast.For) and name in _names_in([parent.target]) and position(parent) >= _end(node):
            return True
        child = parent
    return any(_binds(s, name) and position(s) < position(read) for s in _behind(unit, node))


def _way_out(unit: Unit, node: Any) -> tuple[int, int] | None:
    """Where the function is surely left once *node* has run; None if it may go on."""
    statement = statement_of(unit, node)
    leaving = [s for s in (statement, *_behind(unit, node)) if isinstance(s, (ast.Return, ast.Raise))]
    return _end(leaving[0]) if leaving else None


def _behind(unit: Unit, node: Any) -> Iterator[ast.stmt]:
    """The statements that surely run after *node*, in the block around its statement."""
    statement = statement_of(unit, node)
    for block in _blocks(unit.parents.get(statement) if statement is not None else None):
        if statement in block:
            yield from block[block.index(statement) + 1 :]


def _binds(statement: ast.AST | None, name: str) -> bool:
    """Whether a statement gives the name another value, whichever way it goes."""
    if isinstance(statement, ast.If):
        return all(any(_binds(s, name) for s in arm) for arm in (statement.body, statement.orelse))
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return any(_binds(s, name) for s in statement.body)
    targets = list(getattr(statement, "targets", ())) if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets = [statement.target]
    return any(isinstance(n, ast.Name) and n.id == name for t in targets for n in _bound_in(t))


def _bound_in(target: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from _bound_in(element)
    elif isinstance(target, ast.Starred):
        yield target.value
    else:
        yield target


def _binds_in(loop: Any, name: str) -> bool:
    """Whether turns of a loop bind the name anew, be it on one branch."""
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in walk(loop))


def _loops(unit: Unit, node: ast.AST, scope: ast.AST) -> Iterator[ast.AST]:
    """What is repeated around *node*: loops, and comprehensions."""
    current = unit.parents.get(getattr(node, "node", node))
    while current is not None and current is not scope:
        if isinstance(current, (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            yield current
        current = unit.parents.get(current)


def _in_other_arm(unit: Unit, read: ast.AST, node: Any) -> bool:
    """Whether one of two branches holds *node* and the other one the reading."""
    child, current = read, unit.parents.get(read)
    while current is not None:
        if isinstance(current, ast.If):
            arms = (current.body, current.orelse)
            mine = next((arm for arm in arms if child in arm), None)
            if mine is not None and any(contains(s, node) for arm in arms if arm is not mine for s in arm):
                return True
        child, current = current, unit.parents.get(current)
    return False


def _blocks(node: ast.AST | None) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if isinstance(block, list):
            yield block


def _called(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _end(node: Any) -> tuple[int, int]:
    return node.end_lineno, node.end_col_offset
