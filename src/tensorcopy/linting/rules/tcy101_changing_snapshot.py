"""Something kept for later changes with the memory that it shares."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Call, ClassEnd, Compared, Kept, KeptChanged, Operator, Stale, Write, on, on_call
from ..flow.frame import Frame
from ..flow.values import Step, Value
from ..model import Level, Rule
from ._keeping import collector_of
from ._reading import ancestors, body_of, contains, position, reaches, written_expression
from ._training import is_bound_in
from ._witness import reader_of, reader_of_attribute

RULE = Rule(
    code="TCY101",
    name="changing-snapshot",
    level=Level.ERROR,
    summary="what was kept shares memory that is written afterwards, so that it changes",
)
_COMPARISONS = tuple(
    f"{root}.{name}"
    for root, names in {
        "torch": "equal allclose isclose sub subtract dist eq ne",
        "torch.Tensor": "equal allclose isclose sub subtract dist eq ne",
        "torch.testing": "assert_close",
        "torch.nn.functional": "mse_loss l1_loss",
        "numpy": "allclose isclose array_equal array_equiv subtract",
        "numpy.testing": "assert_allclose assert_array_equal assert_array_almost_equal",
    }.items()
    for name in names.split()
)


@on("KeptChanged")
def kept_in_a_loop(event: KeptChanged) -> None:
    """Each turn keeps the same memory and the next turn writes it: all that was kept ends up equal."""
    kept = event.kept
    if not event.carried and not _accumulated(event):
        return
    if not event.certain or event.write.how == "call" or _is_meant_to_change(event):
        return
    if "may copy" in kept.value.traits or _is_of_the_turn(event) or _is_replaced_at_once(event):
        return
    if event.carried and _is_made_each_turn(event):
        return
    if kept.value.kind == v.ARRAY and _adds_elements(event.region.node):
        return
    reader = _collector(event)
    what = "yielded" if kept.how == "yield" else "kept"
    when = "a later turn of the loop writes" if event.carried else "a later line writes"
    event.report(
        RULE,
        kept.node,
        f"what is {what} here {_shares(kept.value)}; {when} that memory in place, "
        f"so everything {what} so far changes with it: keep a copy",
        related=((event.write.node, "the memory is written here"),),
        level=Level.NOTE if reader is None else None,
    )


def _is_made_each_turn(event: KeptChanged) -> bool:
    """``while True: rows = zeros(3); for i in ...: rows[i] = i; put(rows)``: a later turn writes memory of its own."""
    made, loop = event.region.node, event.kept.loop
    if event.region.origin != "fresh" or made is None or loop is None or not contains(loop, made):
        return False
    around = list(ancestors(event.frame, made))
    inside = around[: around.index(loop)] if loop in around else around
    return not any(isinstance(n, (ast.If, ast.For, ast.While, ast.Try, ast.IfExp)) for n in inside)


def _adds_elements(made: ast.AST | None) -> bool:
    """``time = 0; for wait in waits: time += wait``: elements of an array of one dimension are numbers."""
    return isinstance(made, ast.AugAssign) and isinstance(made.value, ast.Name)


def _collector(event: KeptChanged) -> ast.AST | None:
    """Where all that was kept is read later, or where a caller in the file collects what is yielded."""
    kept, frame = event.kept, event.frame
    if kept.how == "yield":
        return collector_of(frame.unit, frame.function.node) if frame.function is not None else None
    holder = _holder(kept.node)
    while isinstance(holder, ast.Subscript):
        holder = holder.value
    if isinstance(holder, ast.Name):
        known = frame.function is None or is_bound_in(frame.function.node, {holder.id})
        return reader_of(frame.unit, body_of(frame) if known else frame.unit.tree, holder.id, kept.node)
    if isinstance(holder, ast.Attribute):
        return reader_of_attribute(frame.unit, holder.attr, kept.node)
    node: ast.AST = kept.node
    return node


def _holder(node: ast.AST) -> ast.AST | None:
    """rows of ``rows.append(x)`` and of ``rows[i] = x``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.value
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return node.targets[0].value
    return None


def _is_of_the_turn(event: KeptChanged) -> bool:
    """``for k in names: x = tensors[k].numpy(); x *= 2; found[k] = x``: each turn takes another entry."""
    loop, node = event.kept.loop, event.kept.node
    given = node.args[:1] if isinstance(node, ast.Call) else []
    source = node.value if isinstance(node, ast.Assign) else next(iter(given), None)
    if not isinstance(loop, ast.For) or not isinstance(source, ast.Name):
        return False
    moves = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
    bound = [n.value for n in ast.walk(loop) if isinstance(n, ast.Assign) and _binds(n, source.id)]
    before = [value for value in bound if position(value) < position(node)]
    indices = [n.slice for n in ast.walk(before[-1]) if isinstance(n, ast.Subscript)] if before else []
    return any(isinstance(n, ast.Name) and n.id in moves for index in indices for n in ast.walk(index))


def _is_replaced_at_once(event: KeptChanged) -> bool:
    """``if full: rows.append(row); row = zeros()``: the name gets memory of its own before the next write."""
    node, loop = event.kept.node, event.kept.loop
    given = node.args[0] if isinstance(node, ast.Call) and node.args else None
    if not isinstance(given, ast.Name) or loop is None:
        return False
    for outer in ancestors(event.frame, node):
        for block in (getattr(outer, "body", ()), getattr(outer, "orelse", ())):
            behind = [s for s in block if isinstance(s, ast.Assign) and position(s) > position(node)]
            around = any(contains(s, node) for s in block)
            if around and any(_binds(s, given.id) and not contains(s, node) for s in behind):
                return True
        if outer is loop:
            break
    return False


def _binds(statement: ast.Assign, name: str) -> bool:
    return any(isinstance(t, ast.Name) and t.id == name for t in statement.targets)


def _is_meant_to_change(event: KeptChanged) -> bool:
    """Whether what is kept is filled where it lies, or is made anew for each place of a container."""
    kept = event.kept
    if kept.how not in ("append", "yield", "item") or _through_the_container(event):
        return True
    if _of_an_object_of_the_turn(event.frame, kept.value.node):
        return True
    return kept.how == "item" and kept.value.step is None and _made_in_the_loop(event)


def _of_an_object_of_the_turn(frame: Frame, node: ast.AST | None) -> bool:
    """``attack = Attack(x); ...; found[k] = attack.noise``: each turn has an object, and memory, of its own."""
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)] if node is not None and frame.loops else []
    for name in names:
        value = frame.lookup(name.id)
        made = value.node if value is not None and value.kind in (v.INSTANCE, v.MODULE) else None
        if made is not None and any(contains(loop, made) for loop in frame.loops):
            return True
    return False


def _made_in_the_loop(event: KeptChanged) -> bool:
    """``if k not in rows: rows[k] = zeros()``: each place has memory of its own."""
    made, loop = event.region.node, event.kept.loop
    return made is None or loop is None or contains(loop, made)


def _through_the_container(event: KeptChanged) -> bool:
    """``rows.append(zeros); rows[-1][0] = 1``: what is kept is meant to be filled where it is."""
    holder = _holder(event.kept.node)
    return holder is not None and reaches(written_expression(event.write.node), holder)


def _accumulated(event: KeptChanged) -> bool:
    """``losses.append(loss); loss += penalty``: the name goes on as a value of its own. Filling by index is meant."""
    kept, write = event.kept, event.write
    named = isinstance(write.node, ast.AugAssign) and isinstance(write.node.target, ast.Name)
    return named and kept.how == "append" and kept.value.kind == v.TENSOR and not kept.value.is_part


def _shares(value: Value) -> str:
    if value.step is None:
        return "is the object itself"
    return f"shares its memory with the source ({value.step.name})"


@on("Kept")
def kept_by_a_method(event: Kept) -> None:
    """Remember ``self.path.append(self.position)``; whether the position is written in place, the class's end tells."""
    cls = event.frame.cls
    sure = not event.value.is_part and "may copy" not in event.value.traits
    if event.how == "append" and cls is not None and sure:
        event.frame.unit.remembered.setdefault(f"{RULE.code} {id(cls)}", []).append(event)


@on("ClassEnd")
def written_by_the_next_call(event: ClassEnd) -> None:
    """Each call keeps the object's own memory, and the next call writes it."""
    info = event.info
    for kept in event.frame.unit.remembered.pop(f"{RULE.code} {id(info)}", ()):
        for region in kept.value.regions:
            write = next((w for f, w in info.written.get(region.kept, ()) if _is_later(f, w, kept)), None)
            if (
                region.kept
                and len(kept.value.regions) == 1
                and write is not None
                and not _is_made_by(kept, region.node)
            ):
                holder = _holder(kept.node)
                attribute = holder.attr if isinstance(holder, ast.Attribute) else ""
                reader = reader_of_attribute(kept.frame.unit, attribute, kept.node)
                kept.report(
                    RULE,
                    kept.node,
                    f"what is kept here {_shares(kept.value)}, {region.kept}, which the next call writes in place, "
                    f"so everything kept so far changes with it: keep a copy",
                    related=((write.node, "the memory is written here"),),
                    level=Level.NOTE if reader is None else None,
                )


def _is_later(function: object, write: Write, kept: Kept) -> bool:
    """Whether a write comes after the keeping, in the next call of the method: under the attribute's own name."""
    name = getattr(function, "name", "__init__")
    direct = write.how in ("augmented", "subscript", "method") and write.value.step is None
    return name != "__init__" and direct and not write.value.is_part and function is kept.frame.function


def _is_made_by(kept: Kept, made: ast.AST | None) -> bool:
    """Whether the method that keeps the memory makes it, too."""
    function = kept.frame.function
    return function is None or made is None or contains(function.node, made)


@on("Stale")
def elements_of_a_copy(event: Stale) -> None:
    """``old = dict(tensors); tensors["a"] += 1; old["a"]``: a copy of the container shares its elements."""
    step = event.value.step
    if event.relation == "source":
        step = next((s for s in event.write.value.steps() if s.name in _SHALLOW and s.base is event.value), None)
    if step is None or not event.certain or event.relation == "sibling":
        return
    if event.inside and _of_an_object_of_the_turn(event.frame, event.value.node):
        return
    if step.name in _SHALLOW or (event.inside and event.relation == "snapshot" and _is_whole_step(step)):
        _report(event, step, event.write, event.node)


@on("Stale")
def read_after_the_write(event: Stale) -> None:
    """``old = x.detach(); x += 1; old``, and ``if better: best = x`` in a loop that writes x."""
    steps, write = event.value.steps(), event.write
    if event.relation != "snapshot" or not event.certain or event.value.kind not in v.NUMERIC or not steps:
        return
    if "on one branch" in event.value.traits:
        return
    if _is_read_ahead(event):
        return
    if write.how != "call" and all(_is_whole_step(s) for s in steps) and not _is_window(event, steps[0]):
        _report(event, steps[0], write, event.node)


def _is_whole_step(step: Step) -> bool:
    """Whether a step gives the whole memory under another name or as another object."""
    return step.name in ("=", ".data") or _last(step) in _WHOLE or step.name.startswith("copy.copy")


def _last(step: Step) -> str:
    return step.name.partition("(")[0].rpartition(".")[2]


def _is_window(event: Stale, step: Step) -> bool:
    """``t = torch.from_numpy(buffer)`` before a loop that fills the buffer and reads t: sharing is the purpose."""
    if _last(step) not in _CONVERSIONS:
        return False
    loops = [n for n in ancestors(event.frame, event.node) if isinstance(n, (ast.For, ast.While))]
    return any(contains(loop, event.write.node) and not contains(loop, step.node) for loop in loops)


def _is_read_ahead(event: Stale) -> bool:
    """``old = x; for i in range(n): x[i] = f(old[i], old[i + 1])``: each place is read before it is written."""
    write, name = event.write.node, event.node.id if isinstance(event.node, ast.Name) else ""
    loops = [n for n in ancestors(event.frame, event.node) if isinstance(n, ast.For)]
    loop = next((n for n in loops if contains(n, write)), None)
    if not name or loop is None or not isinstance(write, ast.Subscript):
        return False
    reads = [n for n in ast.walk(loop) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    parents = (event.frame.unit.parents.get(n) for n in reads)
    return all(isinstance(p, ast.Subscript) and _is_ahead(p.slice, write.slice, loop) for p in parents)


def _is_ahead(read: ast.expr, written: ast.expr, loop: ast.For) -> bool:
    """Whether an index is the one that is written in this turn, or one of a later turn."""
    moves = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
    if not any(isinstance(n, ast.Name) and n.id in moves for n in ast.walk(written)):
        return False
    if isinstance(read, ast.BinOp) and isinstance(read.op, ast.Add) and isinstance(read.right, ast.Constant):
        return ast.dump(read.left) == ast.dump(written) and _counts_up(loop)
    return ast.dump(read) == ast.dump(written)


def _counts_up(loop: ast.For) -> bool:
    call = loop.iter if isinstance(loop.iter, ast.Call) else None
    plain = call is not None and isinstance(call.func, ast.Name) and call.func.id == "range"
    return plain and call is not None and len(call.args) < 3


_SHALLOW = frozenset(("copy.copy(list)", "copy.copy(dict)", "copy.copy(tuple)"))
_CONVERSIONS = frozenset(("numpy", "asarray", "from_numpy", "as_tensor"))
_WHOLE = _CONVERSIONS | {"detach"}


@on("Operator")
def subtracted(event: Operator) -> None:
    """``x - old``, where old is x: always zero."""
    node = event.node
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and _in_one_block(event.left, event.right)):
        return
    if not _is_one(node.left, node.right):
        _compare(event, event.left, event.right)


@on("Compared")
def compared(event: Compared) -> None:
    """``x == old``: always true. ``x != x`` asks for NaN."""
    if not _in_one_block(event.left, event.right):
        return
    if not (isinstance(event.node, ast.Compare) and _is_one(event.node.left, event.node.comparators[0])):
        _compare(event, event.left, event.right)


@on_call(*_COMPARISONS)
def compared_by_call(event: Call) -> None:
    """``torch.allclose(x, old)``: always true."""
    operands = [event.receiver, *event.args] if event.receiver is not None else event.args
    if len(operands) > 1:
        _compare(event, operands[0], operands[1])


def _is_one(left: ast.expr, right: ast.expr) -> bool:
    """Whether both sides are the same expression."""
    return ast.dump(left) == ast.dump(right)


def _in_one_block(left: Value | None, right: Value | None) -> bool:
    """Whether both lie in the same memory, and in no other."""
    return left is not None and right is not None and len(left.regions) == 1 and left.regions == right.regions


def _compare(event: Operator | Compared | Call, left: Value | None, right: Value | None) -> None:
    if left is None or right is None or not _in_one_block(left, right):
        return
    write = event.frame.state.writes.get(left.regions[0])
    if write is None or not _is_whole(left) or not _is_whole(right):
        return
    older = _older(left, right, write)
    if older is not None:
        _report(event, older.step or older, write, event.node, same=True)


def _is_whole(value: Value) -> bool:
    return not value.is_part and not value.traits & {"may copy", "on one branch"} and value.kind not in v.NUMBERS


def _older(left: Value, right: Value, write: Write) -> Value | None:
    """The one of two values over the same memory that was taken before the write, to keep what it overwrites."""
    a, b = sorted((left, right), key=_taken)
    if a is b and a.step is None:
        return None
    if left.regions[0].many:
        return a if _taken(a) < write.time <= _taken(b) and write.how == "step" else None
    kept = b if a is not b and _is_base(a, b) else a
    return kept if _taken(kept) < write.time else None


def _taken(value: Value) -> int:
    """When a value was taken; what is looked up in a state dict, when that was."""
    step = value.step
    return step.base.time if step is not None and step.base.kind == v.STATE_DICT else value.time


def _is_base(a: Value, b: Value) -> bool:
    return any(s.base is a or (s.base.node is a.node and s.base.step is a.step) for s in b.steps())


def _report(
    event: Stale | Operator | Compared | Call, kept: Step | Value, write: Write, read: ast.AST, *, same: bool = False
) -> None:
    name = kept.name if isinstance(kept, Step) else "the parameter itself"
    how = "another name for the same object" if name == "=" else f"{name} shares memory"
    outcome = "and compared with itself here" if same else "and read here"
    if kept.node is not None:
        event.report(
            RULE,
            _place(kept),
            f"{how}, and its source is written afterwards: what was kept here changes with it"
            f"{', so that the two never differ' if same else ''}; keep a copy",
            related=((write.node, "the memory is written here"), (read, outcome)),
        )


def _place(kept: Step | Value) -> ast.AST:
    """Where something was taken; for what is looked up in a state dict, where that was made."""
    made = kept.base.node if isinstance(kept, Step) and kept.base.kind == v.STATE_DICT else kept.node
    assert made is not None
    return made
