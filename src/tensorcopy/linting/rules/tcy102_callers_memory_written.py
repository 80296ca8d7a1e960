"""A function converts or views its argument, writes the result, and so changes what the caller passed."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Write, on
from ..flow.values import Step, Value
from ..model import Level, Rule
from ._callers import is_replaced_by_callers
from ._reading import body_of, converts_bytes, is_read_after, means_to_write, only_where_it_converts, written_name
from ._witness import caller_that_reads, reader_after

RULE = Rule(
    code="TCY102",
    name="callers-memory-written",
    level=Level.ERROR,
    summary="what is written in place shares memory with an argument, so the caller's data change",
)

# What makes another object over the same memory, or may: the author thinks of the result as new.
_CONVERTING = frozenset(
    ("to", "float", "double", "half", "type_as", "type", "contiguous", "detach", "cpu", "cuda", "astype")
)
_CROSSING = frozenset(("from_numpy", "as_tensor", "asarray", "asanyarray", "numpy", "from_dlpack", "to_numpy"))
_CONVERSIONS = _CONVERTING | _CROSSING | {"ascontiguousarray"}
# What only looks at the memory in another shape.
_VIEWS = frozenset(("view", "reshape", "ravel", "flatten", "squeeze", "unsqueeze", "view_as", "reshape_as"))


@on("Write")
def converted_argument(event: Write) -> None:
    """``x = torch.from_numpy(argument); x /= 255; return x``."""
    frame, value = event.frame, event.value
    if frame.function is None or event.how in ("call", "step") or isinstance(frame.function.node, ast.Lambda):
        return
    root = next((r for r in value.regions if r.origin == "parameter" and r.name != "self"), None)
    name = written_name(event.node) if root is not None else ""
    if root is None or not name or means_to_write(frame):
        return
    step = _conversion(value) or (None if root.many else _rebound(event, root.name) or _viewed(event, name, root.name))
    if step is None or root not in step.base.regions or only_where_it_converts(frame, step.node):
        return
    if converts_bytes(event.node, step.node) or _asks_for_copy(step.node):
        return
    if not is_read_after(frame, name, event.node) or "expanded" in value.traits:
        return
    if is_replaced_by_callers(frame, root.name):
        return
    maybe = "may copy" in value.traits or "on one branch" in value.traits
    reader = None if maybe or _depends_on_device(event) else _reader(event, name, root.name)
    written = (event.node, f"the memory of {root.name} is written here")
    event.report(
        RULE,
        step.node,
        f"{name} shares memory with the argument {root.name} "
        f"{'whenever no conversion is needed ' if maybe else ''}and is written in place: the caller's data change; "
        f"compute a new value instead, or copy first",
        related=(written,) if reader is None else (written, (reader, "and read here afterwards")),
        level=Level.NOTE if reader is None else None,
    )


def _depends_on_device(event: Write) -> bool:
    """``x.cpu().numpy()`` in a file that works on another device as well: then it is a copy."""
    moved = any(isinstance(n, ast.Attribute) and n.attr == "cpu" for s in event.value.steps() for n in ast.walk(s.node))
    return moved and event.frame.unit.says("cuda", ".device", "device=", ".to(dev")


def _reader(event: Write, name: str, parameter: str) -> ast.AST | None:
    """Where the data are read after the write by who holds them: under the argument's own name, or in a caller."""
    frame = event.frame
    own = reader_after(frame.unit, body_of(frame), parameter, event.node) if name != parameter else None
    return own or caller_that_reads(frame, parameter)


@on("Write")
def seen_by_caller(event: Write) -> None:
    """``xy, wh = boxes.split(2, -1); xy /= size; return ...``, and the caller goes on to use its boxes."""
    inner = event.inner
    if event.how != "call" or inner is None or inner.frame.unit is not event.frame.unit or inner.how != "augmented":
        return
    steps, function = inner.value.steps(), inner.frame.function
    if not steps or any(_last(s) not in _PARTS for s in steps) or inner.value.kind not in v.NUMERIC:
        return
    if "inferred" in inner.value.traits or function is None or means_to_write(inner.frame):
        return
    given = _handed_over(event.node, function.parameters, inner)
    if not given or _is_bound_to(event, given) or not _gives_something(inner):
        return
    if is_read_after(event.frame, given, event.node):
        event.report(
            RULE,
            steps[0].node,
            f"{written_name(inner.node)} is a view of an argument of {function.name}() and is written in place: the "
            f"caller's {given} changes; compute a new value instead, or copy first",
            related=((inner.node, "it is written here"), (event.node, f"{given} is handed over here, and used later")),
        )


# What takes a tensor apart: the parts look like values of their own.
_PARTS = frozenset(("split", "chunk", "unbind", "tensor_split", "unpacking"))


def _handed_over(call: ast.AST, parameters: list[str], inner: Write) -> str:
    """The variable that a call hands over for the argument that is written."""
    name = next((r.name for r in inner.value.regions if r.origin == "parameter"), "")
    if not isinstance(call, ast.Call) or name not in parameters or isinstance(call.func, ast.Attribute):
        return ""
    place = parameters.index(name)
    given = call.args[place] if place < len(call.args) else None
    given = given or next((k.value for k in call.keywords if k.arg == name), None)
    return given.id if isinstance(given, ast.Name) else ""


def _is_bound_to(event: Write, name: str) -> bool:
    """``boxes = relative(boxes)``: the old boxes are gone."""
    statement = event.frame.unit.parents.get(event.node)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(isinstance(n, ast.Name) and n.id == name for t in targets for n in ast.walk(t))


def _gives_something(inner: Write) -> bool:
    """Whether the function returns a value, as one does that is not called for what it writes."""
    returns = [n.value for n in ast.walk(body_of(inner.frame)) if isinstance(n, ast.Return)]
    return bool(returns) and all(value is not None for value in returns)


def _asks_for_copy(conversion: ast.AST) -> bool:
    """``x.to(dtype, copy=not inplace)``: whoever calls decides."""
    keywords = conversion.keywords if isinstance(conversion, ast.Call) else []
    return any(k.arg == "copy" and not (isinstance(k.value, ast.Constant) and not k.value.value) for k in keywords)


def _last(step: Step) -> str:
    return step.name.partition("(")[0].rpartition(".")[2]


def _conversion(value: Value) -> Step | None:
    """The step that turned the argument into another object over the same memory."""
    return next((s for s in value.steps() if "." in s.name and _last(s) in _CONVERSIONS), None)


def _rebound(event: Write, parameter: str) -> Step | None:
    """``x = x.transpose(0, 1)``: the parameter's name now means a view, which reads like a value of its own."""
    value = event.frame.state.names.get(parameter)
    if written_name(event.node) != parameter or value is None or value.kind not in v.NUMERIC:
        return None
    named = [s for s in value.steps() if s.name != "=" and not _last(s).endswith("_")]
    if not named or any(s.name.endswith("()") or s.name == "[...]" for s in named):
        return None
    return named[0]


def _viewed(event: Write, name: str, parameter: str) -> Step | None:
    """``flat = x.view(-1); flat -= flat.mean(); return flat``: the view is handed out as if it were a new value."""
    steps = event.value.steps()
    if name == parameter or event.how != "augmented" or "inferred" in event.value.traits or not steps:
        return None
    if any(_last(s) not in _VIEWS and s.name != "=" for s in steps):
        return None
    returns = [n.value for n in ast.walk(body_of(event.frame)) if isinstance(n, ast.Return)]
    given = bool(returns) and all(isinstance(r, ast.Name) and r.id == name for r in returns)
    return next((s for s in steps if s.name != "="), None) if given else None
