"""An argument is changed in place under another name, or by a function that looks as if it returned something new."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Stale, Write, on
from ..flow.values import Step, Value
from ..model import Level, Rule
from ._calls import given_for
from ._reading import ancestors, body_of, is_read_after, is_written_under, means_to_write, position, written_name
from ._training import names_in
from ._witness import caller_that_reads, read_of_given, reader_after

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
    if frame.function is None or value.step is None or event.how in ("call", "step") or means_to_write(frame):
        return
    steps = value.steps()
    renamed = next((s for s in reversed(steps) if s.name == "="), None)
    if renamed is None or any(s.name not in ("=", "[...]") for s in steps):
        return
    name, source = written_name(event.node), _assigned_name(renamed)
    if name in ("", source) or not source or not is_read_after(frame, name, event.node):
        return
    if not _belongs_to_caller(value, source) or is_written_under(frame, source):
        return
    if _is_asked_for(event, renamed.node) or _is_cloned_first(event, name):
        return
    sometimes = " on this branch" if _half_shared(value) else ""
    reader = reader_after(frame.unit, body_of(frame), source, event.node) or caller_that_reads(frame, source)
    written = (event.node, f"{source} is written here")
    event.report(
        RULE,
        renamed.node,
        f"{name} is the same object as {source}{sometimes}, not a copy, and is written in place: the caller's data "
        f"change as well; copy it first",
        related=(written,) if reader is None else (written, (reader, "and read here afterwards")),
        level=Level.NOTE if reader is None else None,
    )


def _is_asked_for(event: Write, node: ast.AST) -> bool:
    """``if self.inplace: target = image``: shared where in place was asked for."""
    tests = (n.test for n in ancestors(event.frame, node) if isinstance(n, ast.If))
    names = (getattr(n, "attr", getattr(n, "id", "")) for test in tests for n in ast.walk(test))
    return any("inplace" in name.replace("_", "") for name in names)


def _is_cloned_first(event: Write, name: str) -> bool:
    """``if not cloned: x = x.clone(); cloned = True``, right before the write: only the first turn shares."""
    blocks = (getattr(outer, "body", []) for outer in ancestors(event.frame, event.node))
    before = (n for block in blocks for n in block if position(n) < position(event.node))
    return any(isinstance(n, ast.If) and not n.orelse and _binds_once(n, name) for n in before)


def _binds_once(branch: ast.If, name: str) -> bool:
    """Whether a branch binds *name*, and a flag that its own test asks for."""
    targets = [t for n in branch.body if isinstance(n, ast.Assign) for t in n.targets]
    bound = {t.id for t in targets if isinstance(t, ast.Name)}
    return name in bound and any(isinstance(n, ast.Name) and n.id in bound for n in ast.walk(branch.test))


def _belongs_to_caller(value: Value, source: str) -> bool:
    """Whether the memory is that of an argument: of *source* itself, or of one branch."""
    parameter = next((r for r in value.regions if r.origin == "parameter" and r.name != "self"), None)
    if parameter is None:
        return False
    return _half_shared(value) or (parameter.name == source and not parameter.many)


def _assigned_name(step: Step) -> str:
    source = step.node.value if isinstance(step.node, ast.Assign) else None
    return source.id if isinstance(source, ast.Name) else ""


def _half_shared(value: Value) -> bool:
    """Whether one branch shares with an argument while another made memory of its own."""
    return "on one branch" in value.traits and any(r.origin == "fresh" for r in value.regions)


@on("Stale")
def shared_on_one_branch(event: Stale) -> None:
    """One branch copied, the other did not; then the source is written, and the half copy read."""
    value, step = event.value, event.value.step
    if event.relation == "source" or step is None or step.name != "=" or "on one branch" not in value.traits:
        return
    if event.write.how == "call" or not event.certain or value.kind not in v.NUMERIC:
        return
    source = _assigned_name(step)
    if not isinstance(event.node, ast.Name) or event.node.id == source or written_name(event.write.node) != source:
        return
    if _only_in_a_turn(event):
        return
    event.report(
        RULE,
        step.node,
        f"{event.node.id} is the same object as {source} on this branch and a value of its own on the other; {source} "
        f"is then written in place, which changes {event.node.id} on this branch only; copy here as well",
        related=((event.write.node, f"{source} is written here"), (event.node, "and read here")),
    )


def _only_in_a_turn(event: Stale) -> bool:
    """``if step == 0: x *= scale``, and the reading stands before it: only a turn after that one would see it."""
    for loop in (n for n in ancestors(event.frame, event.write.node) if isinstance(n, ast.For)):
        moves = set(names_in(loop.target))
        tests = [n.test for n in ancestors(event.frame, event.write.node) if isinstance(n, ast.If)]
        if position(event.node) < position(event.write.node) and any(moves & set(names_in(t)) for t in tests):
            return True
    return False


@on("Write")
def by_a_function_that_returns(event: Write) -> None:
    """``def normalized(x): x[:, 0] -= 1; return x`` called as ``y = normalized(argument)``."""
    inner = event.inner
    if event.how != "call" or inner is None or inner.frame.unit is not event.frame.unit or not _writes_result(inner):
        return
    if isinstance(event.frame.unit.parents.get(event.node), ast.Expr):
        return
    reader = _reader(event, inner)
    if reader is None and not _is_owned_by_caller(event):
        return
    name = written_name(inner.node)
    related = (event.node, "called here with data that are used elsewhere as well")
    event.report(
        RULE,
        inner.node,
        f"{inner.frame.function.name}() returns its argument {name} as if it were a new value, but writes it in place: "
        f"the caller's data change; compute a new value instead",
        related=(related,) if reader is None else (related, (reader, "and read here afterwards")),
        level=Level.NOTE if reader is None else None,
    )


def _is_owned_by_caller(event: Write) -> bool:
    """Whether the function that calls was given the data itself."""
    owned = any(r.origin == "parameter" and r.name != "self" and not r.many for r in event.value.regions)
    computed = any(step.name.endswith("()") for step in event.value.steps())
    return owned and event.frame.function is not None and not computed


def _reader(event: Write, inner: Write) -> ast.AST | None:
    """Where who called goes on with what it handed over, or who called that one does."""
    name, call = written_name(inner.node), event.node
    if inner.how not in ("subscript", "augmented") and not isinstance(event.frame.unit.parents.get(call), ast.Assign):
        return None
    function = inner.frame.function
    if function is None or not isinstance(call, ast.Call):
        return None
    given = given_for(call, function.node, name, is_method=function.cls is not None)
    return read_of_given(event.frame.unit, call, given) if given is not None else None


def _writes_result(inner: Write) -> bool:
    """Whether a function writes an argument in place without saying so, and returns that argument."""
    if inner.how not in ("subscript", "augmented", "method", "out") or inner.value.kind not in v.NUMERIC:
        return False
    if inner.value.step is not None or "inferred" in inner.value.traits or means_to_write(inner.frame):
        return False
    name = written_name(inner.node)
    returns = [n for n in ast.walk(body_of(inner.frame)) if isinstance(n, ast.Return)]
    return bool(returns) and all(isinstance(r.value, ast.Name) and r.value.id == name for r in returns)
