"""What a type annotation says of a value."""

from __future__ import annotations

import ast

from . import values as v
from .expressions import evaluate
from .frame import Frame
from .project import ClassInfo
from .values import Region, Value

_ANNOTATED = {
    "torch.Tensor": v.TENSOR,
    "torch.FloatTensor": v.TENSOR,
    "torch.LongTensor": v.TENSOR,
    "torch.nn.Parameter": v.TENSOR,
    "numpy.ndarray": v.ARRAY,
    "numpy.typing.NDArray": v.ARRAY,
    "builtins.int": v.INT,
    "builtins.float": v.FLOAT,
    "builtins.bool": v.BOOL,
    "builtins.str": v.TEXT,
    "builtins.bytes": v.BYTES,
    "builtins.dict": v.DICT,
    "torch.optim.Optimizer": v.OPTIMIZER,
    "pandas.Series": v.SERIES,
    "torch.device": v.DEVICE,
}
_LISTS = frozenset(("List", "list", "Sequence", "Iterable", "Tuple", "tuple"))


def annotated(frame: Frame, node: ast.expr | None, region: Region | None = None) -> Value | None:
    """What an annotation says, with memory in *region*; None if it says nothing that helps."""
    if node is None:
        return None
    if type(node) is ast.Constant and isinstance(node.value, str):
        try:
            node = ast.parse(node.value, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    if type(node) is ast.BinOp and isinstance(node.op, ast.BitOr):
        return _either(annotated(frame, node.left, region), annotated(frame, node.right, region), node)
    if type(node) is ast.Subscript:
        return _annotated_generic(frame, node, region)
    if type(node) is ast.Constant and node.value is None:
        return Value(v.NOTHING, node, const=None)
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return None
    value = evaluate(frame, node)
    if value is None:
        return None
    kind = _ANNOTATED.get(str(value.ref)) if value.kind == v.LIBRARY else None
    if kind is not None:
        regions = (region,) if region is not None and kind in (v.TENSOR, v.ARRAY, v.SERIES) else ()
        return Value(kind, node, regions=regions, traits=frozenset(("annotated",)))
    if isinstance(value.ref, ClassInfo) and value.kind == v.CLASS:
        if value.ref.is_tensor:
            return Value(
                v.TENSOR,
                node,
                regions=(region,) if region is not None else (),
                traits=frozenset(("annotated", "subclass")),
            )
        return Value(v.MODULE if value.ref.is_module else v.INSTANCE, node, ref=value.ref)
    return None


def _either(a: Value | None, b: Value | None, node: ast.expr) -> Value | None:
    if a is None or b is None:
        return None
    if b.kind == v.NOTHING:
        return a.with_(traits=a.traits | {"or None"})
    if a.kind == v.NOTHING:
        return b.with_(traits=b.traits | {"or None"})
    return a if a.kind == b.kind else None


def _annotated_generic(frame: Frame, node: ast.Subscript, region: Region | None) -> Value | None:
    name = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if not inner:
        return None
    if name == "Optional":
        found = annotated(frame, inner[0], region)
        return found.with_(traits=found.traits | {"or None"}) if found is not None else None
    if name == "Union":
        found = annotated(frame, inner[0], region)
        for other in inner[1:]:
            found = _either(found, annotated(frame, other, region), node)
        return found
    if name in ("NDArray", "ndarray"):
        return Value(v.ARRAY, node, regions=(region,) if region is not None else (), traits=frozenset(("annotated",)))
    if name in (
        "Float",
        "Int",
        "Int64",
        "Int32",
        "Float32",
        "Float64",
        "Bool",
        "Shaped",
        "Num",
        "Integer",
        "UInt8",
        "Complex",
    ):
        return annotated(frame, inner[0], region)
    if name in _LISTS and inner:
        region = region.element if region is not None else None
        element = annotated(frame, inner[0], region)
        kind = v.TUPLE if name in ("Tuple", "tuple") else v.LIST
        if kind == v.TUPLE and not (len(inner) == 2 and isinstance(inner[1], ast.Constant)):
            return Value(
                kind, node, items=[annotated(frame, i, region) for i in inner], traits=frozenset(("annotated",))
            )
        return Value(kind, node, items=[element], traits=frozenset(("comprehension", "annotated")))
    if name in ("Dict", "dict", "Mapping") and inner:
        held = annotated(frame, inner[-1], region.element if region is not None else None)
        return Value(v.DICT, node, items={...: held}, traits=frozenset(("annotated",)))
    return None
