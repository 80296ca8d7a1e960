"""An argument is changed in place under another name, or by a function that looks as if it returned something new."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Stale, Write, on
from ..flow.values import Step, Value
from ..model import Level, Rule
from ._reading import is_read_after, means_to_write, written_name

RULE = Rule(
    code="TCY112",
    name="argument-written",
    level=Level.ERROR,
    summary="an assignment does not copy: what is written under a new name changes the argument as well",
)


@on("Write")
def under_another_name(event: Write) -> None:
    """``scaled = features; scaled[:, 0] /= 2`` changes features, and with it what the caller passed."""
    frame, value = event.frame, event.value
    step = value.step
    if frame.function is None or step is None or event.how == "call" or means_to_write(frame):
        return
    steps = value.steps()
    if any(s.name not in ("=", "[...]") for s in steps) or not any(s.name == "=" for s in steps):
        return
    name = written_name(event.node)
    renamed = next(s for s in reversed(steps) if s.name == "=")
    source = _assigned_name(renamed)
    if not name or not source or name == source or not is_read_after(frame, name, event.node):
        return
    parameter = next((r for r in value.regions if r.origin == "parameter" and r.name != "self"), None)
    if parameter is None or not (parameter.name == source or _half_shared(value)):
        return
    if parameter.many and not _half_shared(value):
        return
    sometimes = " on this branch" if _half_shared(value) else ""
    event.report(
        RULE,
        renamed.node,
        f"{name} is the same object as {source}{sometimes}, not a copy, and is written in place: the caller's data change "
        f"as well; copy it first",
        related=((event.node, f"{source} is written here"),),
    )


def _assigned_name(step: Step) -> str:
    node = step.node
    source = node.value if isinstance(node, ast.Assign) else None
    return source.id if isinstance(source, ast.Name) else ""


def _half_shared(value: Value) -> bool:
    """Whether one branch shares with an argument while another made memory of its own."""
    return "on one branch" in value.traits and any(r.origin == "fresh" for r in value.regions)


@on("Stale")
def shared_on_one_branch(event: Stale) -> None:
    """One branch copied, the other did not; then the source is written, and the half copy read."""
    value = event.value
    step = value.step
    if event.relation == "source" or step is None or step.name != "=" or "on one branch" not in value.traits:
        return
    if event.write.how == "call" or not event.certain or value.kind not in (v.TENSOR, v.ARRAY):
        return
    source = _assigned_name(step)
    if not source or not isinstance(event.node, ast.Name) or event.node.id == source or written_name(event.write.node) != source:
        return
    event.report(
        RULE,
        step.node,
        f"{event.node.id} is the same object as {source} on this branch and a value of its own on the other; {source} is then "
        f"written in place, which changes {event.node.id} on this branch only; copy here as well",
        related=((event.write.node, f"{source} is written here"), (event.node, "and read here")),
    )


@on("Write")
def by_a_function_that_returns(event: Write) -> None:
    """``def normalized(x): x[:, 0] -= 1; return x`` called as ``y = normalized(argument)``."""
    inner = event.inner
    if event.how != "call" or inner is None or inner.frame.unit is not event.frame.unit or event.frame.function is None:
        return
    if inner.how not in ("subscript", "augmented") or inner.value.kind not in (v.TENSOR, v.ARRAY) or inner.value.step is not None:
        return
    if "inferred" in inner.value.traits or means_to_write(inner.frame) or not _returns_it(inner):
        return
    parent = event.frame.unit.parents.get(event.node)
    owned = any(r.origin == "parameter" and r.name != "self" and not r.many for r in event.value.regions)
    if isinstance(parent, ast.Expr) or not owned:
        return
    name = written_name(inner.node)
    event.report(
        RULE,
        inner.node,
        f"{inner.frame.function.name}() returns its argument {name} as if it were a new value, but writes it in place: the "
        f"caller's data change; compute a new value instead",
        related=((event.node, "called here with data that belong to the caller"),),
    )


def _returns_it(inner: Write) -> bool:
    """Whether every return gives the written argument itself."""
    function = inner.frame.function
    assert function is not None
    name = written_name(inner.node)
    returns = [n for n in ast.walk(function.node) if isinstance(n, ast.Return)]
    return bool(returns) and all(isinstance(r.value, ast.Name) and r.value.id == name for r in returns)
