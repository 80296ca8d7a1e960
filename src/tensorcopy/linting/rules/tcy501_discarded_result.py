"""A call that returns a new tensor or array, as a statement: its result is lost and its source stays as it was."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.effects import writes_nothing
from ..flow.events import Discarded, on
from ..flow.places import inserted_before
from ..flow.values import Value
from ..flow.vocabulary import ARRAY_METHODS, COMPUTED, FACTORIES, IN_PLACE_TWINS, NUMPY_COMPUTED, NUMPY_OUT
from ..model import Fix, Level, Rule

RULE = Rule(
    code="TCY501",
    name="discarded-result",
    level=Level.WARNING,
    summary="a call that changes nothing in place stands as a statement, so its result is lost",
)
# Reading these is the point of calling them.
_READS = frozenset(["numpy", "item", "tolist", "data", "resize", "size", "stride", "storage", "untyped_storage"])
# Work that programs do for its time alone, to warm up or to measure.
_TIMED = frozenset(
    [
        "sum",
        "mean",
        "prod",
        "std",
        "var",
        "any",
        "all",
        "dot",
        "matmul",
        "mm",
        "bmm",
        "einsum",
        "outer",
        "inner",
        "norm",
        "argmax",
        "argmin",
    ]
)
# Methods that tensors alone have, so that one such call is enough to know its receiver.
_TELLING = frozenset(
    ["resolve_conj", "resolve_neg", "masked_fill", "index_select", "type_as", "unsqueeze", "masked_select"]
)
_DRILL = 5
"""Results in a row that nobody takes, from which on the calls are meant to be tried and no more."""
_HOMES = ("torch.Tensor", "numpy.ndarray", "torch", "numpy")
_DUPLICATES = frozenset(("copy.copy", "copy.deepcopy"))
_STATELESS = frozenset(
    f"torch.nn.{name}"
    for name in ("ReLU", "LeakyReLU", "GELU", "SiLU", "Sigmoid", "Tanh", "Softmax", "LogSoftmax", "Dropout", "Flatten")
)


@on("Discarded")
def discarded(event: Discarded) -> None:
    """The result is a tensor, an array or a copied container, the call writes nothing, and nothing takes the result."""
    library, _, last = event.name.rpartition(".")
    if event.frame.probing or (event.result is None and event.name not in _DUPLICATES) or _is_shown(event):
        return
    if last in _READS or last in _TIMED or _writes(event, last) or _is_workload(event, library) or _is_drill(event):
        return
    source = _source(event, library, last)
    if source is None or not _outlives(source) or _is_timed(event):
        return
    shown = ast.unparse(source) if _is_named(source) else "its source"
    event.report(
        RULE,
        event.node,
        f"{last}() returns its result and leaves {shown} as it was; nothing takes the result",
        fix=_fix(event, source),
    )


def _writes(event: Discarded, last: str) -> bool:
    if (
        (last.endswith("_") and last != "__call__")
        or event.result is event.receiver
        or len(event.node.args) > NUMPY_OUT.get(last, 99)
    ):
        return True
    return any(k.arg in ("out", "inplace", "copy") or k.arg is None for k in event.node.keywords)


def _is_timed(event: Discarded) -> bool:
    """Whether a loop does nothing but repeat the call, always the same."""
    loop = event.frame.loop
    if not isinstance(loop, ast.For) or len(loop.body) != 1:
        return False
    used = {n.id for n in ast.walk(loop.body[0]) if isinstance(n, ast.Name)}
    return not used & _loop_variables(event)


def _source(event: Discarded, library: str, last: str) -> ast.expr | None:
    """Where the value stands that the call was meant to change; None if the call may be right as it is."""
    if event.name in _DUPLICATES:
        return event.node.args[0] if event.node.args and not _is_tried(event) else None
    if library in (v.DICT, v.LIST):
        return event.node.func.value if last == "copy" else None
    assert event.result is not None
    if event.result.kind not in v.NUMERIC:
        return None
    if library in ("torch.Tensor", "numpy.ndarray"):
        return _receiver(event, library, last)
    return _first_argument(event, library, last)


def _is_shown(event: Discarded) -> bool:
    """Whether it is a line of a notebook, which shows what the last expression of a cell gives."""
    if not event.frame.unit.source.name.endswith(".ipynb") or event.frame.function is not None:
        return False
    statement = event.frame.unit.parents.get(event.node)
    return statement is not None and isinstance(event.frame.unit.parents.get(statement), ast.Module)


def _is_workload(event: Discarded, library: str) -> bool:
    """``torch.add(x, y)`` in a function inside of a test: something to do, for what is tested."""
    outer = event.frame.unit.parents.get(event.frame.function.node) if event.frame.function is not None else None
    return library in ("torch", "numpy") and getattr(outer, "name", "").startswith("test_")


def _is_drill(event: Discarded) -> bool:
    """Whether it stands among calls like it: who drops so many results in a row wants to see that the calls run."""
    parents = event.frame.unit.parents
    statement = parents.get(event.node)
    block = getattr(parents.get(statement), "body", []) if statement is not None else []
    return statement in block and _run_around(block, block.index(statement)) >= _DRILL


def _run_around(block: list[ast.stmt], at: int) -> int:
    """How many results are dropped by the statements without a gap around place *at*, that one included."""
    dropped = [isinstance(s, ast.Expr) and _computes(s.value) for s in block]
    before = next((i for i, one in enumerate(reversed(dropped[:at])) if not one), at)
    after = next((i for i, one in enumerate(dropped[at:]) if not one), len(block) - at)
    return before + after


def _computes(node: ast.expr) -> bool:
    """By its name alone."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    name = node.func.attr
    return name in IN_PLACE_TWINS or any(writes_nothing(f"{home}.{name}") for home in _HOMES)


def _is_tried(event: Discarded) -> bool:
    """Whether a test runner runs it, to see that copying does not raise."""
    function = event.frame.function
    return function is not None and function.name.startswith("test_")


def _first_argument(event: Discarded, library: str, last: str) -> ast.expr | None:
    first = event.node.args[0] if event.node.args else None
    if event.name == "torch.nn.Module.__call__":
        return first if _is_stateless(event.receiver) else None
    if library == "torch.nn.functional":
        known = not any(a is not None and a.const is True for a in event.args)
    elif library == "torch":
        known = last in IN_PLACE_TWINS or (
            _holds_memory(event.args) and (last in COMPUTED or writes_nothing(event.name))
        )
    else:
        known = library == "numpy" and (last in NUMPY_COMPUTED or writes_nothing(event.name))
    return first if known else None


def _is_stateless(module: Value | None) -> bool:
    """Whether a layer of torch does nothing but give its result: no statistics, no work in place."""
    if module is None or str(module.ref) not in _STATELESS or not isinstance(module.node, ast.Call):
        return False
    given = [*module.node.args, *(k.value for k in module.node.keywords)]
    return not any(isinstance(a, ast.Constant) and a.value is True for a in given)


def _receiver(event: Discarded, library: str, last: str) -> ast.expr | None:
    receiver, func = event.receiver, event.node.func
    if receiver is None or "subclass" in receiver.traits:
        return None
    if "inferred" in receiver.traits and last not in _TELLING:
        return None
    if library == "torch.Tensor":
        known = writes_nothing(event.name) or last in IN_PLACE_TWINS or last in ("cuda", "xpu")
    else:
        known = writes_nothing(event.name) or last in ARRAY_METHODS
    return func.value if known and isinstance(func, ast.Attribute) else None


def _holds_memory(args: list[Value | None]) -> bool:
    return bool(args) and args[0] is not None and args[0].kind in (v.TENSOR, v.ARRAY, v.LIST, v.TUPLE)


def _is_named(node: ast.expr) -> bool:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return isinstance(node, ast.Name)


def _outlives(node: ast.expr) -> bool:
    """Whether the value outlives the statement: what is made and dropped in it is made for its time, or its errors."""
    while isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if name in FACTORIES or not node.args:
            return False
        node = node.args[0]
    return _is_named(node)


def _fix(event: Discarded, source: ast.expr) -> object:
    target = _target(event, source)
    if target is None:
        return None
    return lambda lines: Fix(
        title=f"assign the result to {target}", edits=(inserted_before(event.node, f"{target} = ", lines),), safe=True
    )


def _target(event: Discarded, source: ast.expr) -> str | None:
    """What the result can be assigned to with the meaning that the statement was to have; None if it would not help."""
    of_receiver = event.receiver is not None and event.receiver.kind != v.MODULE
    value = event.receiver if of_receiver else event.args[0] if event.args else None
    if value is None or value.kind not in v.NUMERIC or value.traits & {"parameter", "leaf"}:
        return None
    if isinstance(source, ast.Attribute) and isinstance(source.value, ast.Name):
        return ast.unparse(source)
    if not isinstance(source, ast.Name) or source.id in _loop_variables(event):
        return None
    return source.id if source.id in event.frame.state.names and source.id not in event.frame.globals else None


def _loop_variables(event: Discarded) -> set[str]:
    targets = [loop.target for loop in event.frame.loops if isinstance(loop, (ast.For, ast.AsyncFor))]
    return {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
