"""Questions about models in a function's text: what refers to live parameters, and where they are trained."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..flow import values as v
from ..flow.frame import Frame
from ..flow.walking import walk
from ._reading import ancestors, body_of, position

_BACKWARD = frozenset(("backward", "manual_backward"))
_STEPS = _BACKWARD | {"step", "fit", "train_step", "training_step", "optimizer_step"}
_TRAINING = _STEPS | {"train", "train_epoch", "train_one_epoch"}
# Methods that only modules have.
_ONLY_MODULES = frozenset(("parameters", "state_dict", "load_state_dict", "named_parameters", "zero_grad"))
# What gives a view of the same memory, or may: cpu() copies what lies on another device.
_SHARING = frozenset(("detach", "cpu", "data", "numpy"))


def called_name(node: ast.AST) -> str:
    """The last part of what a call calls: ``step`` of ``self.opt.step()``."""
    func = node.func if isinstance(node, ast.Call) else None
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def training_in(tree: ast.AST) -> ast.Call | None:
    """Where parameters change inside *tree*: a step, an in-place call, a call that is named for it.

    A backward pass, which only foretells the step, is given where there is nothing else.
    """
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and _trains(n)]
    return next((n for n in found if called_name(n) not in _BACKWARD), found[0] if found else None)


def _trains(node: ast.Call) -> bool:
    name = called_name(node)
    if name == "train" and not node.args:
        return not isinstance(node.func, ast.Attribute)
    in_place = name.endswith("_") and not name.endswith("__") and name != "requires_grad_"
    return name in _TRAINING or in_place or name.startswith("train_")


def live_model(node: ast.expr) -> tuple[str, ast.expr] | None:
    """What of a model an expression keeps alive and shared, and the model: its state dict, its parameters, or itself.

    Behind shallow copies, comprehensions without a clone, and inside displays as well. None if nothing is shared.
    """
    if isinstance(node, ast.Call):
        return _of_call(node)
    if isinstance(node, (ast.DictComp, ast.ListComp)):
        return _of_comprehension(node)
    if isinstance(node, (ast.Tuple, ast.List, ast.Dict)):
        parts = node.values if isinstance(node, ast.Dict) else node.elts
        return next((found for p in parts if (found := live_model(p)) is not None), None)
    return None


def _of_call(node: ast.Call) -> tuple[str, ast.expr] | None:
    name, func = called_name(node), node.func
    if isinstance(func, ast.Attribute):
        if name == "state_dict" and not _is_optimizer(func.value):
            return "state_dict() refers to the live parameters", func.value
        if name == "copy" and not node.args:
            return live_model(func.value)
    if name in ("dict", "OrderedDict", "copy", "list", "tuple") and len(node.args) == 1 and not node.keywords:
        return live_model(node.args[0]) or _given_parameters(node.args[0])
    return None


def _is_optimizer(node: ast.expr) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return any(word in name.lower() for word in ("optim", "sched", "scaler")) or name in ("opt", "o")


def _given_parameters(node: ast.expr) -> tuple[str, ast.expr] | None:
    """The model in ``model.parameters()`` or ``model.state_dict().items()``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in ("parameters", "named_parameters", "buffers"):
            return "these are the live parameters", node.func.value
        if node.func.attr in ("items", "values"):
            return live_model(node.func.value)
    return None


def _of_comprehension(node: ast.DictComp | ast.ListComp) -> tuple[str, ast.expr] | None:
    element = node.value if isinstance(node, ast.DictComp) else node.elt
    if len(node.generators) != 1 or not _shares(element):
        return None
    return _given_parameters(node.generators[0].iter)


def _shares(node: ast.expr) -> bool:
    """``p``, ``p.data``, ``p.detach().cpu()``: no copy on the way."""
    while isinstance(node, (ast.Call, ast.Attribute)):
        if isinstance(node, ast.Call) and node.args:
            return False
        inner = node.func if isinstance(node, ast.Call) else node
        if not isinstance(inner, ast.Attribute) or inner.attr not in _SHARING:
            return False
        node = inner.value
    return isinstance(node, ast.Name)


def is_model(frame: Frame, node: ast.expr, value: v.Value | None) -> bool:
    """Whether *node* is a module: known to be, asked for what only modules have, or called and trained."""
    if value is not None and value.kind != v.UNKNOWN:
        return value.kind == v.MODULE
    if not frame.unit.says("backward", ".step(") or not _may_be_model(frame, node):
        return False
    return ast.dump(node) in _models_in(frame)


def _models_in(frame: Frame) -> set[str]:
    """The expressions of a function that are modules by what is asked of them. Found once a function."""
    body = body_of(frame)
    known: dict[ast.AST, set[str]] = frame.unit.remembered.setdefault("models", {})
    if body not in known:
        nodes = list(walk(body))
        known[body] = {ast.dump(n.value) for n in nodes if isinstance(n, ast.Attribute) and n.attr in _ONLY_MODULES}
        if any(called_name(n) == "backward" for n in nodes):
            known[body] |= {ast.dump(n.func) for n in nodes if isinstance(n, ast.Call) and n.args}
    return known[body]


def _may_be_model(frame: Frame, node: ast.expr) -> bool:
    """A quick no by the text of the file, where neither is done with a variable."""
    if not isinstance(node, ast.Name):
        return True
    unit, body = frame.unit, body_of(frame)
    known: set[str] | None = unit.remembered.get("asked")
    if known is None:
        known = unit.remembered["asked"] = set(_asked(unit.source.text))
    if "" in known or node.id in known:
        return True
    return unit.mentions(body, "backward") and _is_called(unit.source.text, node.id, *unit.lines_of(body))


def _is_called(text: str, name: str, start: int, end: int) -> bool:
    """Whether an opening bracket follows the name somewhere, nothing but blanks and brackets between them."""
    place = text.find(name, start, end)
    while place >= 0:
        behind = place + len(name)
        if text[behind : behind + 100].lstrip(" \t\n\f\\)").startswith("("):
            return True
        place = text.find(name, behind, end)
    return False


def _asked(text: str) -> Iterator[str]:
    """The variables that a text asks for what only modules have, and some more; empty where that can't be told."""
    for word in ("parameters", "state_dict", "zero_grad"):  # parts of all of them
        place = text.find(word)
        while place >= 0:
            before = text[max(place - 200, 0) : place]
            asked = _ASKED.search(before) if _may_be_asked(before) else None
            if asked is not None:
                yield "" if "#" in asked[0] else asked[1]
            place = text.find(word, place + 1)


def _may_be_asked(before: str) -> bool:
    """A quick no: where there is no comment, a dot stands in front, with nothing but blanks between."""
    return "#" in before or _BEHIND_A_DOT.search(before) is not None


# A variable in front of a dot. Brackets, blanks and comments may stand between them, and behind the dot.
_BEHIND_A_DOT = re.compile(r"\.[\s\\]*(?:named_|load_)?$")
_ASKED = re.compile(r"(\w+)(?:[\s)\\]|#.*\n)*\.(?:[\s\\]|#.*\n)*(?:named_|load_)?$")


def loops_around(frame: Frame, node: ast.AST) -> list[ast.For | ast.While]:
    """The loops around a node, the innermost first."""
    return [n for n in ancestors(frame, node) if isinstance(n, (ast.For, ast.While))]


def compared_around(frame: Frame, node: ast.AST) -> ast.If | None:
    """The innermost test around a node that asks for something better: an ordering comparison."""
    for outer in ancestors(frame, node):
        if isinstance(outer, ast.If) and any(_orders(n) for n in ast.walk(outer.test)):
            return outer
    return None


def _orders(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Lt, ast.Gt, ast.LtE, ast.GtE))


def names_in(node: ast.AST) -> Iterator[str]:
    """The variables that an expression reads."""
    return (n.id for n in ast.walk(node) if isinstance(n, ast.Name))


def is_bound_in(tree: ast.AST, names: set[str]) -> bool:
    """Whether *tree* gives one of these variables another value."""
    return any(isinstance(n, ast.Name) and n.id in names and isinstance(n.ctx, ast.Store) for n in ast.walk(tree))


def is_read_outside(tree: ast.AST, name: str, branch: ast.AST, loop: ast.AST) -> bool:
    """Whether a variable is read in *tree* from the *loop* on, but not only inside *branch*."""
    start, first = position(branch), position(loop)
    end = (getattr(branch, "end_lineno", 0), getattr(branch, "end_col_offset", 0))
    loads = (n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load))
    reads = [n for n in loads if position(n) >= first and not start <= position(n) < end]
    return any(not _is_bound_before(tree, name, n, loop) for n in reads)


def _is_bound_before(tree: ast.AST, name: str, read: ast.AST, loop: ast.AST) -> bool:
    """``state = ...; save(state)`` behind the loop: the name has another value by the time that it is read."""
    behind = (getattr(loop, "end_lineno", 0), getattr(loop, "end_col_offset", 0))
    for block in _blocks_around(tree, read):
        for statement in block:
            if binds_always(statement, name) and behind <= position(statement) and _ends(statement) <= position(read):
                return True
    return False


def binds_always(statement: ast.stmt, name: str) -> bool:
    """Whether a statement gives a variable another value, whichever way it goes."""
    if isinstance(statement, ast.If):
        return all(any(binds_always(s, name) for s in arm) for arm in (statement.body, statement.orelse))
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(isinstance(t, ast.Name) and t.id == name for t in targets)


def _ends(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0)


def _blocks_around(tree: ast.AST, node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists of statements that *node* stands in, directly or deeper."""
    for outer in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(outer, field, None)
            if isinstance(block, list) and any(position(s) <= position(node) < _ends(s) for s in block):
                yield block
