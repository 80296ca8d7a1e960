"""The best, first or latest state of a model is kept by reference while training goes on changing it."""

from __future__ import annotations

import ast

from ..flow.events import Assigned, Call, ClassEnd, on, on_call
from ..flow.places import inserted_after, inserted_before
from ..flow.project import ClassInfo
from ..flow.values import INSTANCE
from ..model import Edit, Fix, Level, Rule
from ._reading import ancestors, body_of, contains, position, source_of, statement_of
from ._training import (
    binds_always,
    called_name,
    compared_around,
    is_bound_in,
    is_model,
    is_read_outside,
    live_model,
    loops_around,
    names_in,
    training_in,
)
from ._witness import reader_of_attribute

RULE = Rule(
    code="TCY104",
    name="live-snapshot-of-model",
    level=Level.ERROR,
    summary="state_dict(), parameters() and the model itself are live: what is kept changes with the next step",
)


_Live = tuple[str, ast.expr]


@on("Assigned")
def assigned(event: Assigned) -> None:
    """A model, its parameters or its state dict get a name."""
    live = _live(event)
    if live is not None and not _is_told_otherwise(event, live[1]):
        _best(event, live)
        _on_the_object(event, live)
        _restored(event, live)


def _best(event: Assigned, live: _Live) -> None:
    """``if better: best = model.state_dict()`` in a loop that trains the model."""
    what, model = live
    loops = loops_around(event.frame, event.node)
    branch = next((n for n in _branches(event) if not loops or _is_inside(n, loops[-1])), None)
    if branch is None or not loops or is_bound_in(loops[-1], set(names_in(model))):
        return
    training = training_in(loops[-1])
    if training is not None and _is_used_outside(event, branch, loops[-1]):
        _report(event, event.source, what, training)


def _on_the_object(event: Assigned, live: _Live) -> None:
    """``if loss < self.best: self.state = model.state_dict()`` in an early stopping, which is called while training."""
    target = event.target
    if not _is_own_attribute(target) or loops_around(event.frame, event.node):
        return
    branch = compared_around(event.frame, event.node)
    cls = event.frame.cls
    if branch is None or cls is None or not live[0].startswith(("state_dict", "these")):
        return
    if _attribute_read_outside(cls.node, target, branch):
        _report(event, event.source, live[0], None)


def _restored(event: Assigned, live: _Live) -> None:
    """``first = model.state_dict(); train(); model.load_state_dict(first)`` puts nothing back."""
    target = event.target
    if not isinstance(target, ast.Name) or "state_dict" not in live[0]:
        return
    if _is_filled(event, target.id):
        return
    restore = _restore(event, target.id, live[1])
    if restore is None or _is_bound_again(event, target.id, restore):
        return
    training = _training_between(event, restore)
    if training is not None:
        _report(event, event.source, live[0], training)


@on("ClassEnd")
def synchronised(event: ClassEnd) -> None:
    """``self.target = self.net``, and ``self.target.load_state_dict(self.net.state_dict())`` in another method."""
    if not event.frame.unit.says("load_state_dict"):
        return
    nodes = list(ast.walk(event.info.node))
    loads = [n for n in nodes if isinstance(n, ast.Call) and called_name(n) == "load_state_dict" and n.args]
    for node in nodes if loads else ():
        if not isinstance(node, ast.Assign) or not _is_own_attribute(node.value):
            continue
        if not _is_own_attribute(node.targets[0]):
            continue
        target = ast.unparse(node.targets[0])
        load = next((n for n in loads if _puts_state_of(n, target, ast.unparse(node.value))), None)
        if load is not None and sum(_stores(n, target) for n in nodes) == 1:
            event.report(
                RULE,
                node,
                f"{target} is the same object as {ast.unparse(node.value)}, not a copy: the two never differ, and "
                f"load_state_dict() puts into it what it has; make it a copy.deepcopy()",
                related=((load, "the one is to follow the other here"),),
            )


@on("ClassEnd")
def averaged(event: ClassEnd) -> None:
    """``self.shadow = {n: p.data for n, p in net.named_parameters()}``, then ``self.shadow[n].mul_(d).add_(p)``."""
    if not event.frame.unit.says(".data for", ".detach() for"):
        return
    nodes = list(ast.walk(event.info.node))
    for node in nodes:
        if not isinstance(node, ast.Assign) or not _is_own_attribute(node.targets[0]) or not _taken_off_graph(node):
            continue
        write = next((n for n in nodes if _averages(n, ast.unparse(node.targets[0]))), None)
        if write is not None:
            event.report(
                RULE,
                node,
                f"{ast.unparse(node.targets[0])} holds the memory of the live parameters: what is averaged into it is "
                f"written into the model; keep a clone() of each",
                related=((write, "the parameters themselves are written here"),),
            )


def _taken_off_graph(node: ast.Assign) -> bool:
    """Whether a comprehension over parameters takes each as it is, but for its graph."""
    made = node.value
    element = made.value if isinstance(made, ast.DictComp) else made.elt if isinstance(made, ast.ListComp) else None
    if isinstance(element, ast.Call):
        element = element.func if not element.args else None
    return isinstance(element, ast.Attribute) and element.attr in ("data", "detach") and live_model(made) is not None


def _averages(node: ast.AST, attribute: str) -> bool:
    """``attribute[name].mul_(decay).add_(p.data, alpha=...)``: scaled first, as nobody does with a parameter itself."""
    func = node.func if isinstance(node, ast.Call) else None
    if not isinstance(func, ast.Attribute) or func.attr not in ("mul_", "lerp_"):
        return False
    return isinstance(func.value, ast.Subscript) and ast.unparse(func.value.value) == attribute


def _puts_state_of(load: ast.Call, target: str, source: str) -> bool:
    receiver = load.func.value if isinstance(load.func, ast.Attribute) else None
    return (
        receiver is not None
        and ast.unparse(receiver) == target
        and (ast.unparse(load.args[0]) == f"{source}.state_dict()")
    )


def _stores(node: ast.AST, attribute: str) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node) == attribute


@on_call("list.append", "?.append")
def appended(event: Call) -> None:
    """``states.append(model.state_dict())`` in each turn of the loop that trains the model."""
    if not event.frame.loops:
        return
    source = event.argument_node(0)
    live = _live_argument(event, source)
    loops = loops_around(event.frame, event.node) if live is not None else []
    if live is None or not loops or is_bound_in(loops[0], set(names_in(live[1]))):
        return
    training = training_in(loops[0])
    holder = event.node.func.value if isinstance(event.node.func, ast.Attribute) else None
    if training is not None and isinstance(holder, ast.Name) and not is_bound_in(loops[0], {holder.id}):
        _report(event, source, live[0], training)


def _live_argument(event: Call, node: ast.expr | None) -> _Live | None:
    if isinstance(node, ast.Name):
        known = event.frame.loops and is_model(event.frame, node, event.argument(0))
        return ("this is the model itself, not a copy", node) if known else None
    return live_model(node) if node is not None else None


def _live(event: Assigned) -> _Live | None:
    """What of a model is kept by an assignment, and which model."""
    source = event.source
    if type(source) not in _HOLDING:
        return None
    if isinstance(source, ast.Name):
        plain = isinstance(event.target, (ast.Name, ast.Attribute)) and event.frame.loops
        model = plain and is_model(event.frame, source, event.value)
        return ("this is the model itself, not a copy", source) if model else None
    name = called_name(source)
    if isinstance(source, ast.Call) and name not in _GIVING:
        return None
    if name == "copy" and isinstance(source, ast.Call) and len(source.args) == 1:
        copied = source.args[0]
        if isinstance(copied, ast.Name) and is_model(event.frame, copied, event.frame.lookup(copied.id)):
            return "copy.copy() of a model keeps its parameters", copied
    return live_model(source) if event.frame.unit.says("state_dict", "parameters", "buffers") else None


# The calls that can give what lives in a model.
_GIVING = frozenset(("state_dict", "copy", "dict", "OrderedDict", "list", "tuple"))
# The expressions that can refer to a model or its parameters.
_HOLDING = frozenset((ast.Name, ast.Call, ast.DictComp, ast.ListComp, ast.Tuple, ast.List, ast.Dict))


def _is_told_otherwise(event: Assigned, model: ast.expr) -> bool:
    """Whether the object has a state_dict of its own making, which may well copy."""
    value = event.frame.lookup(model.id) if isinstance(model, ast.Name) else None
    info = value.ref if value is not None and value.kind == INSTANCE else None
    return isinstance(info, ClassInfo) and info.method("state_dict") is not None


def _branches(event: Assigned) -> list[ast.If]:
    """The branches around an assignment, but for those that bind the name whichever way they go."""
    name = event.target.id if isinstance(event.target, ast.Name) else ""
    branches = [n for n in ancestors(event.frame, event.node) if isinstance(n, ast.If)]
    return [n for n in branches if not binds_always(n, name)]


def _is_inside(node: ast.AST, outer: ast.AST) -> bool:
    return any(n is node for n in ast.walk(outer))


def _is_own_attribute(target: ast.expr) -> bool:
    return isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"


def _is_used_outside(event: Assigned, branch: ast.If, loop: ast.AST) -> bool:
    """Whether what is kept is used after the branch that keeps it: behind the loop, or in a later turn."""
    target = event.target
    if isinstance(target, ast.Subscript):
        target = target.value
    if isinstance(target, ast.Attribute) and _is_own_attribute(target):
        return reader_of_attribute(event.frame.unit, target.attr, branch) is not None
    tree = body_of(event.frame)
    if not isinstance(target, ast.Name) or not is_read_outside(tree, target.id, branch, loop):
        return False
    stores = (n for n in ast.walk(loop) if _is_name(n, target.id) and not isinstance(n.ctx, ast.Load))  # type: ignore[attr-defined]
    each_turn = any(not contains(branch, n) for n in stores)
    return not each_turn or is_read_outside(tree, target.id, loop, loop)


def _attribute_read_outside(tree: ast.AST, target: ast.expr, branch: ast.If) -> bool:
    """Whether ``self.name`` is read in the class, but not only inside *branch*."""
    name = target.attr if isinstance(target, ast.Attribute) else ""
    inside = {id(n) for n in ast.walk(branch)}
    reads = (
        n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and n.attr == name and isinstance(n.ctx, ast.Load)
    )
    return any(id(n) not in inside for n in reads)


def _restore(event: Assigned, name: str, model: ast.expr) -> ast.Call | None:
    """The call ``model.load_state_dict(name)`` behind the assignment, of the same model, neither changed before."""
    if _is_edited(event, name) or _is_rebound(event, set(names_in(model))):
        return None
    calls = (n for n in ast.walk(body_of(event.frame)) if called_name(n) == "load_state_dict")
    return next(
        (n for n in calls if isinstance(n, ast.Call) and _loads(n, name, model) and _follows(n, event.node)), None
    )


def _loads(call: ast.Call, name: str, model: ast.expr) -> bool:
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
    same = receiver is not None and ast.dump(receiver) == ast.dump(model)
    return same and bool(call.args) and _is_name(call.args[0], name)


def _follows(node: ast.AST, other: ast.AST) -> bool:
    return position(node) > position(other)


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_edited(event: Assigned, name: str) -> bool:
    """Whether entries of what was kept are replaced, so that loading it does put something in."""
    return any(_edits(node, name) for node in ast.walk(body_of(event.frame)))


def _edits(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Subscript):
        return _is_name(node.value, name) and not isinstance(node.ctx, ast.Load)
    called = called_name(node) in ("update", "pop", "deepcopy", "clone")
    return called and any(_is_name(n, name) for n in ast.walk(node))


def _is_rebound(event: Assigned, names: set[str]) -> bool:
    """Whether another model comes under the name later on."""
    stores = (n for n in ast.walk(body_of(event.frame)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return any(n.id in names and position(n) > position(event.node) for n in stores)


def _is_bound_again(event: Assigned, name: str, restore: ast.Call) -> bool:
    """Whether another state comes under the name before it is restored, as the copy of the best one does."""
    stores = (n for n in ast.walk(body_of(event.frame)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return any(n.id == name and position(event.target) < position(n) < position(restore) for n in stores)


def _is_filled(event: Assigned, name: str) -> bool:
    """Whether the entries are written through the state itself, as where weights of another model are put in."""
    calls = [n for n in ast.walk(body_of(event.frame)) if isinstance(n, ast.Call) and called_name(n).endswith("_")]
    receivers = [n.func.value for n in calls if isinstance(n.func, ast.Attribute)]
    entries = [r.value for r in receivers if isinstance(r, ast.Subscript)]
    return any(isinstance(e, ast.Name) and e.id == name for e in entries)


def _training_between(event: Assigned, restore: ast.Call) -> ast.Call | None:
    """Where the model is trained after it was kept and before it is restored."""
    loops = loops_around(event.frame, restore)
    outside = [loop for loop in loops if not _is_inside(event.node, loop)]
    if outside and (training := training_in(outside[-1])) is not None:
        return training
    calls = [n for n in ast.walk(body_of(event.frame)) if isinstance(n, ast.Call) and training_in(n) is n]
    return next((n for n in calls if position(event.node) < position(n) < position(restore)), None)


def _copied(event: Assigned | Call, source: ast.expr, lines: list[str]) -> tuple[Edit, ...]:
    """*source* in a deep copy, with the import that it takes where the file has none."""
    edits = (inserted_before(source, "copy.deepcopy(", lines), inserted_after(source, ")", lines))
    known = event.frame.lookup("copy")
    if known is not None and known.ref == "copy":
        return edits
    first = next(n for n in event.frame.unit.tree.body if not _stands_first(n))
    return (inserted_before(first, "import copy\n", lines), *edits)


def _stands_first(node: ast.stmt) -> bool:
    """A docstring, or an import from the future."""
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


def _depends_on_device(event: Assigned | Call, source: ast.expr) -> bool:
    """``{k: v.cpu() for ...}`` in a file that works on another device as well: then these are copies."""
    moved = any(isinstance(n, ast.Attribute) and n.attr == "cpu" for n in ast.walk(source))
    return moved and event.frame.unit.says("cuda", ".device", "device=", ".to(dev")


def _report(event: Assigned | Call, source: ast.expr | None, what: str, training: ast.AST | None) -> None:
    assert source is not None
    statement = statement_of(event.frame, event.node)
    kept = source_of(event.frame, event.target) if isinstance(event, Assigned) else "every entry"
    event.report(
        RULE,
        source if statement is None or source.lineno == statement.lineno else statement,
        f"{what}: the training that goes on changes {kept} as well, so the state at this point is lost; "
        f"keep a copy.deepcopy() of it",
        related=((training, "the parameters change here"),) if training is not None else (),
        level=Level.NOTE if _depends_on_device(event, source) else None,
        fix=lambda lines: Fix(
            title="Keep a deep copy",
            edits=_copied(event, source, lines),
            safe=False,
        ),
    )
