"""A method takes an element of its object's data, changes it in place, and so changes the data for the next call."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Write, on
from ..flow.values import Region, Step, Value
from ..model import Level, Rule
from ._reading import body_of, contains, is_at_fixed_place, is_read_after, written_name

RULE = Rule(
    code="TCY111",
    name="stored-data-written",
    level=Level.ERROR,
    summary="what a method hands out is written in place, which changes the object's own stored data",
)
_GETTERS = frozenset(("__getitem__", "__iter__", "__next__", "__call__", "forward", "transform", "sample"))


@on("Write")
def element(event: Write) -> None:
    """``t = self.data[i]; t /= 10; return t``: the next call divides again."""
    frame, value = event.frame, event.value
    if frame.function is None or frame.cls is None or event.how in ("call", "step"):
        return
    if frame.function.name not in _GETTERS and not frame.function.name.startswith("get_"):
        return
    region = next((r for r in value.regions if r.kept), None)
    if region is None or not _is_numeric(event) or _is_made_by(event, region):
        return
    step, name = _taken(value), written_name(event.node)
    if step is None or name in ("", "self") or not is_read_after(frame, name, event.node):
        return
    if _fills_fixed_place(event, name) or _is_handed_in(event, region.kept) or _is_state(event, region.kept):
        return
    event.report(
        RULE,
        step.node,
        f"{name} is the object's own data ({region.kept}), not a copy, and is written in place: each call changes what "
        f"is stored, so the next call starts from changed data; copy it first",
        related=((event.node, f"{region.kept} is written here"),),
        level=Level.NOTE if _only_replaces(event, name) or _fills_the_whole(event) else None,
    )


def _fills_the_whole(event: Write) -> bool:
    """``grid = self.grid; grid.fill(0); grid[i] = 1``: a buffer under a shorter name, and no data taken out of it."""
    return event.how != "augmented" and all(step.name == "=" for step in event.value.steps())


def _only_replaces(event: Write, name: str) -> bool:
    """``row = self.table[i]; row[-1] = index``: the same place gets a value that does not hang on the old one."""
    statement = event.frame.unit.parents.get(event.node)
    if event.how != "subscript" or not isinstance(statement, ast.Assign) or not is_at_fixed_place(event.node):
        return False
    return not any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(statement.value))


def _is_state(event: Write, attribute: str) -> bool:
    """Whether it is there to be brought up to date: a buffer of a module, or what is bound to the attribute again."""
    frame = event.frame
    bound = [n for n in ast.walk(body_of(frame)) if isinstance(n, ast.Assign)]
    if any(_is_own(target, attribute) for statement in bound for target in statement.targets):
        return True
    calls = (n for n in ast.walk(frame.cls.node) if isinstance(n, ast.Call)) if frame.cls is not None else ()
    named = [n.args[0] for n in calls if getattr(n.func, "attr", "") == "register_buffer" and n.args]
    return any(isinstance(n, ast.Constant) and n.value == attribute for n in named)


def _is_handed_in(event: Write, attribute: str) -> bool:
    """``def set_batch(self, x): self.batch = x.clone()``: another method makes the data anew for each call."""
    body = event.frame.cls.node.body if event.frame.cls is not None else ()
    setters = [n for n in body if isinstance(n, ast.FunctionDef) and n.name.startswith("set_")]
    bound = [n for setter in setters for n in ast.walk(setter) if isinstance(n, ast.Assign)]
    return any(_is_own(target, attribute) for statement in bound for target in statement.targets)


def _is_own(target: ast.expr, attribute: str) -> bool:
    own = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"
    return own and isinstance(target, ast.Attribute) and target.attr == attribute


def _fills_fixed_place(event: Write, name: str) -> bool:
    """``row = self.table[i]; row[-1] = self.last``: a place that is there for what the object knows at each call."""
    statement = event.frame.unit.parents.get(event.node)
    if event.how != "subscript" or not isinstance(statement, ast.Assign) or not is_at_fixed_place(event.node):
        return False
    names = {n.id for n in ast.walk(statement.value) if isinstance(n, ast.Name)}
    return "self" in names and name not in names


def _is_numeric(event: Write) -> bool:
    """Whether what is written surely lies in the stored data: a tensor, an array, or what is written like one."""
    if "may copy" in event.value.traits and not _by_item(event):
        return False
    return event.value.kind != v.UNKNOWN or event.how in ("subscript", "method")


def _by_item(event: Write) -> bool:
    """Whether only the index of ``__getitem__`` leaves open if it copies: data sets are asked for one number."""
    function, steps = event.frame.function, [s for s in event.value.steps() if s.name == "[...]"]
    if function is None or function.name != "__getitem__" or len(function.parameters) < 2:
        return False
    indices = [s.node.slice for s in steps if isinstance(s.node, ast.Subscript)]
    return bool(indices) and all(isinstance(i, ast.Name) and i.id == function.parameters[1] for i in indices)


def _is_made_by(event: Write, region: Region) -> bool:
    """Whether each call makes the data anew."""
    function = event.frame.function
    return function is not None and region.node is not None and contains(function.node, region.node)


def _taken(value: Value) -> Step | None:
    """The step that took an element of the data, or gave the data another name."""
    steps = [s for s in value.steps() if not s.name.endswith("()")]
    if any(s.base.kind == v.UNKNOWN and s.name == "[...]" and _is_element(s) for s in steps):
        return None
    return steps[-1] if any(s.name in ("=", "[...]", "iteration") for s in steps) else None


def _is_element(step: Step) -> bool:
    """Whether an element was taken from something unknown, whose ``__getitem__`` may well make a new object."""
    index = step.node.slice if isinstance(step.node, ast.Subscript) else None
    return not isinstance(index, (ast.Slice, ast.Tuple))
