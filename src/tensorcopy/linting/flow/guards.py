"""What a test says: whether its outcome is known, and what holds of the names in it on either branch."""

from __future__ import annotations

import ast

from . import values as v
from .expressions import evaluate, path_of
from .frame import Frame
from .project import ClassInfo
from .values import Value

_KINDS = {
    "torch.Tensor": v.TENSOR,
    "torch.nn.Parameter": v.TENSOR,
    "torch.FloatTensor": v.TENSOR,
    "torch.autograd.Variable": v.TENSOR,
    "numpy.ndarray": v.ARRAY,
    "torch.Size": v.TUPLE,
    "builtins.list": v.LIST,
    "builtins.tuple": v.TUPLE,
    "builtins.dict": v.DICT,
    "builtins.int": v.INT,
    "builtins.float": v.FLOAT,
    "builtins.bool": v.BOOL,
    "builtins.str": v.TEXT,
    "builtins.bytes": v.BYTES,
    "builtins.set": v.SET,
    "torch.nn.Module": v.MODULE,
    "pandas.Series": v.SERIES,
    "pandas.DataFrame": v.SERIES,
}


def truth(frame: Frame, test: ast.expr) -> bool | None:
    """True or False where the analysis knows the outcome of a test, else None. Tells no rule anything."""
    if type(test) is ast.UnaryOp and isinstance(test.op, ast.Not):
        inner = truth(frame, test.operand)
        return None if inner is None else not inner
    if type(test) is ast.Constant:
        return bool(test.value)
    if type(test) is ast.BoolOp:
        return _truth_of_all(frame, test)
    if type(test) is ast.Compare and len(test.ops) == 1:
        return _compared(frame, test)
    if type(test) is ast.Call:
        asked = _asked_kinds(frame, test)
        if asked is not None:
            return _is_kind(asked[1], asked[2])
        return None
    if type(test) is ast.Name:
        value = _quiet(frame, test)
        if value is not None and value.kind in (v.BOOL, v.NOTHING) and value.const is not v.MISSING:
            return bool(value.const)
    return None


def _truth_of_all(frame: Frame, test: ast.BoolOp) -> bool | None:
    found = [truth(frame, part) for part in test.values]
    decisive = isinstance(test.op, ast.Or)
    if decisive in found:
        return decisive
    return (not decisive) if all(f is (not decisive) for f in found) else None


def _compared(frame: Frame, test: ast.Compare) -> bool | None:
    if not isinstance(test.ops[0], (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)):
        return None
    left, right = _quiet(frame, test.left), _quiet(frame, test.comparators[0])
    if left is None or right is None:
        return None
    negated = isinstance(test.ops[0], (ast.IsNot, ast.NotEq))
    if isinstance(test.ops[0], (ast.Is, ast.IsNot)):
        if right.kind != v.NOTHING or "or None" in left.traits or left.kind == v.UNKNOWN:
            return None
        return (left.kind == v.NOTHING) is not negated
    if left.kind == right.kind == v.TEXT and left.const is not v.MISSING and right.const is not v.MISSING:
        return (left.const == right.const) is not negated
    return None


def _quiet(frame: Frame, node: ast.expr) -> Value | None:
    """The value of a name, a path or a literal, without telling rules that it was read."""
    if type(node) is ast.Name:
        return frame.lookup(node.id)
    if type(node) is ast.Constant:
        return evaluate(frame, node)
    if type(node) is ast.Attribute:
        path = path_of(node)
        return frame.state.attributes.get(path) if path is not None else None
    return None


def _asked_kinds(frame: Frame, test: ast.Call) -> tuple[ast.expr, Value | None, list[str]] | None:
    """For ``isinstance(x, ...)`` and ``torch.is_tensor(x)``: the node of x, its value, the kinds asked for."""
    callee = _called(frame, test.func)
    if callee == "builtins.isinstance" and len(test.args) == 2:
        kinds = list(dict.fromkeys(_kind_named(frame, t) for t in _types(test.args[1])))
        return test.args[0], _quiet(frame, test.args[0]), kinds
    if callee in ("torch.is_tensor", "torch.overrides.is_tensor_like") and test.args:
        return test.args[0], _quiet(frame, test.args[0]), [v.TENSOR]
    if callee in ("tensorcopy.is_tensor",) or not test.args:
        return None
    name = test.func.attr if type(test.func) is ast.Attribute else getattr(test.func, "id", "")
    if name in ("is_tensor", "is_torch_tensor", "istensor"):
        return test.args[0], _quiet(frame, test.args[0]), [v.TENSOR]
    if name in ("is_numpy", "is_ndarray", "is_np_array", "is_numpy_array"):
        return test.args[0], _quiet(frame, test.args[0]), [v.ARRAY]
    return None


def _types(node: ast.expr) -> list[ast.expr]:
    """The classes that ``isinstance`` is given: one, a tuple, or ``A | B``."""
    if type(node) is ast.BinOp and isinstance(node.op, ast.BitOr):
        return [*_types(node.left), *_types(node.right)]
    return node.elts if type(node) is ast.Tuple else [node]


def _called(frame: Frame, node: ast.expr) -> str:
    if type(node) is ast.Name:
        value = frame.lookup(node.id)
    elif type(node) is ast.Attribute and type(node.value) is ast.Name:
        base = frame.lookup(node.value.id)
        return f"{base.ref}.{node.attr}" if base is not None and base.kind == v.LIBRARY else ""
    else:
        return ""
    return str(value.ref) if value is not None and value.kind == v.LIBRARY else ""


def _kind_named(frame: Frame, node: ast.expr) -> str:
    name = _called(frame, node)
    if name in _KINDS:
        return _KINDS[name]
    if name.startswith("torch.") and name.endswith("Tensor"):
        return v.TENSOR
    value = _quiet(frame, node) if type(node) is ast.Name else None
    if value is not None and isinstance(value.ref, ClassInfo):
        return v.TENSOR if value.ref.is_tensor else f"class {value.ref.name}"
    return "?"


def _is_kind(value: Value | None, kinds: list[str]) -> bool | None:
    if value is None or value.kind in (v.UNKNOWN, v.OTHER) or "?" in kinds or "or None" in value.traits:
        return None
    if any(k.startswith("class ") for k in kinds):
        return None
    if value.kind in kinds:
        return None if "inferred" in value.traits else True
    return None if "inferred" in value.traits or value.kind in (v.INSTANCE, v.MODULE, v.LIBRARY) else False


def narrowed(frame: Frame, test: ast.expr, *, holds: bool) -> None:
    """Note in the state what *test* says of its names if it holds, or if it does not."""
    if type(test) is ast.UnaryOp and isinstance(test.op, ast.Not):
        narrowed(frame, test.operand, holds=not holds)
    elif type(test) is ast.BoolOp:
        if isinstance(test.op, ast.And) is holds:
            for part in test.values:
                narrowed(frame, part, holds=holds)
    elif type(test) is ast.Call:
        _narrow_kind(frame, test, holds)
    elif type(test) is ast.Compare and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Is, ast.IsNot)):
        _narrow_none(frame, test, holds)


def _narrow_kind(frame: Frame, test: ast.Call, holds: bool) -> None:
    asked = _asked_kinds(frame, test)
    if asked is not None:
        node, value, kinds = asked
        if holds:
            kind = kinds[0] if len(kinds) == 1 and not kinds[0].startswith(("?", "class")) else None
            if kind is not None and (value is None or value.kind != kind):
                base = value if value is not None else Value(kind, node)
                _bind(frame, node, base.with_(kind=kind, traits=base.traits - {"inferred", "or None"}))
        elif value is None or value.kind in (v.UNKNOWN, *kinds):
            base = value if value is not None else Value(v.OTHER, node)
            _bind(frame, node, base.with_(kind=v.OTHER, regions=(), step=None))
        return
    name = getattr(test.func, "id", "")
    if name == "hasattr" and len(test.args) == 2 and not holds:
        return


def _narrow_none(frame: Frame, test: ast.Compare, holds: bool) -> None:
    right = test.comparators[0]
    if type(right) is ast.Constant and right.value is None:
        is_none = isinstance(test.ops[0], ast.Is) is holds
        value = _quiet(frame, test.left)
        if is_none:
            _bind(frame, test.left, Value(v.NOTHING, test.left, const=None))
        elif value is not None and "or None" in value.traits:
            _bind(frame, test.left, value.with_(traits=value.traits - {"or None"}))


def _bind(frame: Frame, node: ast.expr, value: Value) -> None:
    if type(node) is ast.Name:
        frame.state.names[node.id] = value
    elif type(node) is ast.Attribute and (path := path_of(node)) is not None:
        frame.state.attributes[path] = value
