"""Two copies where one would do: the first is a temporary that nothing else refers to."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.binding import quiet_value
from ..flow.events import Call, Operator, on, on_call
from ..flow.frame import Frame
from ..flow.places import method_dropped, replaced
from ..flow.values import Value
from ..flow.vocabulary import ARRAY_METHODS, COMPUTED, FACTORIES, METHODS, NUMPY_COMPUTED, NUMPY_FACTORIES
from ..model import Fix, Level, Rule
from ._saving import RESULT_NEEDED

RULE = Rule(
    code="TCY402",
    name="copy-of-copy",
    level=Level.WARNING,
    summary="a copy is made of a temporary copy, which is dropped at once",
)
# What always gives new memory: copies, factories, and computations, but for those that may give back what they got.
_FRESH = (
    COMPUTED
    | METHODS
    | ARRAY_METHODS
    | NUMPY_COMPUTED
    | FACTORIES
    | NUMPY_FACTORIES
    | {"tensor", "array", "copy", "astype"}
) - frozenset(
    (
        "alpha_dropout",
        "conj_physical",
        "conj",
        "conjugate",
        "dropout",
        "feature_alpha_dropout",
        "feature_dropout",
        "random",
        "resize",
        "resize_as",
        "rrelu",
        "sum_to_size",
        "to_dense",
        "to_mkldnn",
        "type_as",
    )
)
# NumPy functions that give an array whatever they are given, never a scalar.
_ARRAYS = NUMPY_FACTORIES | frozenset(
    [
        "append",
        "astype",
        "concatenate",
        "column_stack",
        "delete",
        "dstack",
        "hstack",
        "insert",
        "pad",
        "repeat",
        "sort",
        "stack",
        "tile",
        "unique",
        "vstack",
    ]
)


@on_call("torch.Tensor.clone", "numpy.ndarray.copy")
def copied_again(event: Call) -> None:
    """``torch.tensor(x).clone()``, ``(a * b).clone()``, ``a.astype(d).copy()``: the second copy is for nothing."""
    func = event.node.func
    if event.node.args or event.node.keywords or not isinstance(func, ast.Attribute):
        return
    inner, value = _before_detach(func.value, event.receiver)
    if _is_temporary(inner, value) and not (_is_one_element(event.frame, inner) or _is_saved(inner, value)):
        _report(event, event.node, inner, f".{func.attr}()")


@on_call("numpy.array", "numpy.copy")
def array_again(event: Call) -> None:
    """``np.array(a + b)``: an array is made of a new array."""
    if len(event.node.args) != 1 or event.node.keywords or isinstance(event.node.args[0], ast.Starred):
        return
    inner, value = event.node.args[0], event.args[0]
    if value is None or value.kind != v.ARRAY or value.traits & {"masked", "inferred"}:
        return
    if isinstance(inner, ast.Call) and _name_of(inner) in _ARRAYS and _is_temporary(inner, value):
        function = ast.unparse(event.node.func)
        text = ast.unparse(inner)
        event.report(
            RULE,
            event.node,
            _message(f"{function}()", inner),
            related=((inner, "the new array is made here"),),
            fix=lambda lines: Fix(title=f"drop {function}()", edits=(replaced(event.node, text, lines),), safe=True),
        )


@on_call("numpy.ndarray.astype", "numpy.array", "numpy.copy", "torch.tensor")
def copied_before(event: Call) -> None:
    """``a.copy().astype(d)``, ``np.array(a.copy())``: what follows copies anyway, so the first copy is for nothing."""
    if any(k.arg in ("copy", "subok", None) for k in event.node.keywords):
        return
    inner: ast.expr | None
    if event.name == "numpy.ndarray.astype":
        inner, value = getattr(event.node.func, "value", None), event.receiver
        known = True
    else:
        inner, value = event.argument_node(0), event.argument(0)
        known = value is not None and value.kind == v.ARRAY and "inferred" not in value.traits
    if inner is not None and known and _is_pure_copy(inner, value):
        _report_first(event, inner)


@on("Operator")
def computed_from_copy(event: Operator) -> None:
    """``a.clone() + b``: the sum is new memory, so the copy is for nothing."""
    if not isinstance(event.node, ast.BinOp):
        return
    # A product of tensors keeps its factors for backward, and the copy may be what protects one of them.
    kinds = v.NUMERIC if isinstance(event.node.op, (ast.Add, ast.Sub)) else {v.ARRAY}
    for node, value in ((event.node.left, event.left), (event.node.right, event.right)):
        known = value is not None and value.kind in kinds and not value.traits & {"inferred", "subclass", "masked"}
        if known and _is_pure_copy(node, value):
            _report_first(event, node)


def _before_detach(node: ast.expr, value: Value | None) -> tuple[ast.expr, Value | None]:
    """What a temporary was before ``.detach()``, which shares its memory."""
    if value is None or value.step is None or value.step.node is not node:
        return node, value
    detached = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "detach"
    return (node.func.value, value.step.base) if detached else (node, value)  # type: ignore[attr-defined]


def _is_temporary(node: ast.expr, value: Value | None) -> bool:
    """Whether *node* makes new memory that nothing but the expression around it refers to."""
    if (
        value is None
        or value.kind not in v.NUMERIC
        or value.step is not None
        or value.traits & {"inferred", "subclass"}
    ):
        return False
    if len(value.regions) != 1 or value.regions[0].origin != "fresh" or value.regions[0].node is not node:
        return False
    if isinstance(node, ast.Call):
        return _name_of(node) in _FRESH and not any(k.arg in ("out", "inplace", "copy") for k in node.keywords)
    return isinstance(node, ast.BinOp) or (isinstance(node, ast.Subscript) and "picked" in value.traits)


def _is_saved(node: ast.expr, value: Value | None) -> bool:
    """``torch.tanh(x).clone()``: what autograd keeps of the result for backward, the copy protects from writes."""
    kept = isinstance(node, ast.Call) and _name_of(node) in RESULT_NEEDED
    return kept and value is not None and value.kind == v.TENSOR and value.graph != v.OFF


def _is_one_element(frame: Frame, node: ast.expr) -> bool:
    """Whether a subscript may be a view: an integer tensor without dimensions picks one element, as a number does."""
    if not isinstance(node, ast.Subscript) or isinstance(node.slice, (ast.List, ast.Compare)):
        return False
    index = quiet_value(frame, node.slice)
    return not (
        index is not None and (index.dtype == "bool" or isinstance(index.owner.node, ast.Call)) and not index.step
    )


def _is_pure_copy(node: ast.expr, value: Value | None) -> bool:
    """Whether *node* is ``x.copy()`` or ``x.clone()``, which change nothing but whose memory it is."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("copy", "clone")
        and not node.args
        and not node.keywords
        and not (value is not None and value.kind in (v.LIST, v.DICT, v.SET, v.LIBRARY))
    )


def _name_of(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _message(second: str, first: ast.expr) -> str:
    made = f"{_name_of(first)}()" if isinstance(first, ast.Call) else "the expression"
    return f"{made} gives new memory that nothing else refers to, and {second} copies it once more"


def _report(event: Call, node: ast.Call, first: ast.expr, second: str) -> None:
    event.report(
        RULE, node, _message(second, first), related=((first, "the new memory is made here"),), fix=_dropping(node)
    )


def _report_first(event: Call | Operator, inner: ast.expr) -> None:
    assert isinstance(inner, ast.Call)
    name = f".{_name_of(inner)}()"
    event.report(
        RULE,
        inner,
        f"{name} makes a copy that is read once and dropped: what follows makes new memory by itself",
        related=((event.node, "and here is the second"),),
        fix=_dropping(inner),
    )


def _dropping(node: ast.Call) -> object:
    def fix(lines: list[str]) -> Fix | None:
        edit = method_dropped(node, lines)
        return None if edit is None else Fix(title=f"drop .{_name_of(node)}()", edits=(edit,), safe=True)

    return fix
